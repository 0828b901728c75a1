/**
 * @file tma.c
 * @brief The copy engine: boxes of an array, by a tensor map.
 *
 * A box lies in shared memory as it would without gaps, but for the swizzle:
 * bits 4 to 6 of an address are turned by bits 7 to 9, as wgmma has it.
 *
 * A store reads and writes when its thread waits for it. Until then its source
 * is marked: who writes there makes a finding. It is noted as read when it
 * begins, too, which finds what the engine may not see yet.
 */
#include "inside.h"

_Static_assert(sizeof(sim_tensor_map) <= 128, "fits a CUtensorMap");

/** Address of shared memory after the swizzle. */
static char *turned(const sim_tensor_map *map, char *to)
{
    uint32_t offset = (uint32_t)sim_shared_offset(to);
    uint32_t mask = (1u << map->swizzle) - 1;
    return (char *)sim_shared_pointer(offset ^ (offset >> 7 & mask) << 4);
}

/** Refuse a copy that hardware does not do. */
static void require(bool good, const char *what, uint32_t site)
{
    if (good)
        return;
    sim_worker *w = sim_self;
    sim_finding("tensor-copy", sim_place_at(w, site), "%s, by %s", what,
                sim_here(w));
    sim_end_launch(w, cudaErrorLaunchFailure);
}

/** A copy of a box. */
typedef struct {
    const sim_tensor_map *map;
    const int32_t *at; /* element at which the box begins */
    bool store;
    uint16_t blocks;  /* of the cluster, that get it */
    uint32_t barrier; /* offset of those that count the bytes */
    uint32_t site;
} copy;

/** Elements of a row. A store does not cut 16 bytes with something of it. */
static uint64_t size_of(const copy *c)
{
    uint32_t count = COPY_BYTES / c->map->bytes;
    uint64_t size = c->map->size[0];
    return c->store ? (size + count - 1) / count * count : size;
}

/** 16 bytes of a row of the box: those in the array. */
static void piece(const copy *c, char *shared, char *row, int64_t first)
{
    unsigned char data[COPY_BYTES] = {0};
    const sim_tensor_map *map = c->map;
    bool store = c->store;
    uint32_t count = COPY_BYTES / map->bytes;
    uint64_t size = size_of(c);
    bool whole = row && first >= 0 && (uint64_t)first + count <= size &&
                 (uintptr_t)(row + first * map->bytes) % COPY_BYTES == 0;
    uint32_t step = whole ? count : 1;
    shared = turned(map, shared);
    sim_hook_room(2); /* nobody else runs meanwhile */
    if (store) {
        sim_hook_bulk(shared, COPY_BYTES, false, c->site);
        memcpy(data, shared, COPY_BYTES);
    }
    for (uint32_t i = 0; i < count; i += step) {
        int64_t x = first + i;
        if (!row || x < 0 || (uint64_t)x >= size)
            continue;
        char *global = row + x * map->bytes;
        unsigned char *own = data + i * map->bytes;
        sim_hook_room(1);
        sim_hook_bulk(global, step * map->bytes, store, c->site);
        memcpy(store ? (void *)global : own, store ? own : (void *)global,
               step * map->bytes);
    }
    FOR_EACH_LANE (rank, c->blocks)
        sim_async_counted(
            sim_cluster_member(rank, c->site),
            (uint32_t)sim_shared_offset(shared), data,
            sim_mbarrier_at(rank << RANK_SHIFT | c->barrier, c->site), c->site);
}

/** Rows of a box: of all its dimensions but the first. */
static uint32_t rows_of(const sim_tensor_map *map)
{
    uint32_t rows = 1;
    for (unsigned d = 1; d < map->rank; d++)
        rows *= map->box[d];
    return rows;
}

/** Count a row of a box; those of its elements that are in the array. */
static void count_row(const copy *c, const char *row)
{
    uint32_t bytes = c->map->bytes;
    int64_t first = c->at[0] > 0 ? c->at[0] : 0;
    int64_t end = c->at[0] + (int64_t)c->map->box[0];
    int64_t size = (int64_t)size_of(c);
    if (end > size)
        end = size;
    size_t there = row && end > first ? (size_t)(end - first) * bytes : 0;
    int copies = __builtin_popcount(c->blocks);
    sim_async_count(
        c->store ? OP_STORE : OP_LOAD, there ? row + first * bytes : NULL,
        there, c->store ? there : (uint64_t)copies * c->map->box[0] * bytes);
}

/** All pieces of a box. */
static void pieces(const copy *c, char *shared)
{
    const sim_tensor_map *map = c->map;
    uint32_t rows = rows_of(map), row_bytes = map->box[0] * map->bytes;
    for (uint32_t i = 0; i < rows; i++) {
        char *row = (char *)map->address;
        for (uint32_t d = 1, left = i; d < map->rank; d++) {
            int64_t x = c->at[d] + (int64_t)(left % map->box[d]);
            left /= map->box[d];
            bool inside = x >= 0 && (uint64_t)x < map->size[d];
            row =
                row && inside ? row + x * 16 * (int64_t)map->pitch16[d] : NULL;
        }
        count_row(c, row);
        for (uint32_t b = 0; b < row_bytes; b += COPY_BYTES)
            piece(c, shared + b, row, c->at[0] + (int64_t)(b / map->bytes));
        shared += row_bytes;
    }
}

/** How far inside of the running lane's stack? */
static size_t depth_of(const sim_worker *w, const void *p)
{
    return sim_fiber_top(w->stack_low, w->stack_bytes) - (uintptr_t)p;
}

void sim_hook_grid_constant(const void *p, size_t bytes)
{
    sim_worker *w = sim_self;
    size_t place = depth_of(w, p);
    for (unsigned i = 0; i < w->constant_count; i++)
        if (w->constants[i].depth == place)
            return; /* another lane has said so */
    if (!w->lane || w->constant_count == MAX_CONSTANTS)
        return;
    w->constants[w->constant_count].depth = place;
    w->constants[w->constant_count++].bytes = bytes;
}

/** Is a map in a thread's own memory? */
static bool is_own(const sim_tensor_map *map)
{
    const sim_worker *w = sim_self;
    size_t place = depth_of(w, map);
    if (!w->counting || place > w->stack_bytes ||
        w->constant_count == MAX_CONSTANTS) /* there may be others */
        return false;
    for (unsigned i = 0; i < w->constant_count; i++)
        if (w->constants[i].depth - place < w->constants[i].bytes)
            return false;
    return true;
}

/** Refuse what hardware does not take. */
static void check(const sim_tensor_map *map, const void *shared, uint32_t site)
{
    require(map->magic == TMA_MAGIC, "not a tensor map", site);
    require(!is_own(map),
            "a tensor map in a thread's own memory, as a parameter is without "
            "__grid_constant__",
            site);
    require(!((uintptr_t)shared & 127),
            "the tile of a tensor copy does not begin at a multiple of 128",
            site);
}

/** Is the barrier there, and can the copy engine see it? */
static void check_barrier(unsigned rank, uint32_t offset, uint32_t site)
{
    const sim_mbarrier *barrier =
        sim_mbarrier_at(rank << RANK_SHIFT | offset, site);
    sim_mbarrier_use(barrier, site);
    sim_engine_sees(sim_cluster_member(rank, site), barrier, site);
}

/** Does nobody need what is in these bytes of the shared memory of @p w? */
static void check_target(sim_worker *w, uint32_t offset, uint32_t bytes,
                         uint32_t site)
{
    sim_wgmma_overwrite(w, offset, bytes);
    if (sim_mbarrier_within(w, offset, bytes))
        sim_finding("async-copy", sim_place_at(sim_self, site),
                    "%s has a box copied over a barrier", sim_here(sim_self));
}

void sim_tma_load(uint32_t to, const sim_tensor_map *map, const int32_t *at,
                  uint32_t barrier, uint16_t blocks, uint32_t site)
{
    char *shared = sim_shared_pointer(to & RANK_OFFSET);
    check(map, shared, site);
    FOR_EACH_LANE (rank, blocks) {
        check_barrier(rank, barrier & RANK_OFFSET, site);
        check_target(sim_cluster_member(rank, site), to & RANK_OFFSET,
                     rows_of(map) * map->box[0] * map->bytes, site);
    }
    pieces(&(copy){.map = map,
                   .at = at,
                   .blocks = blocks,
                   .barrier = barrier & RANK_OFFSET,
                   .site = site},
           shared);
}

/* ---- stores -------------------------------------------------------------- */

/** Add a store to those of the running lane. */
static void begin_store(const sim_tensor_map *map, const int32_t *at,
                        char *from, uint32_t site)
{
    sim_worker *w = sim_self;
    sim_store **end = &w->lane->stores, *s = sim_new(sizeof *s);
    while (*end)
        end = &(*end)->next;
    s->map = *map;
    memcpy(s->at, at, sizeof s->at);
    s->from = from;
    s->bytes = rows_of(map) * map->box[0] * map->bytes;
    s->group = w->lane->store_group;
    s->site = site;
    *end = s;
    sim_async_mark(w, from, s->bytes, FLIGHT_SOURCE);
    for (uint32_t i = 0; i < s->bytes; i += COPY_BYTES)
        sim_hook_bulk(from + i, COPY_BYTES, false, site);
}

/** Nobody need wait for a store any more. */
static void drop(sim_worker *w, sim_store **link)
{
    sim_store *s = *link;
    sim_async_mark(w, s->from, s->bytes, -FLIGHT_SOURCE);
    *link = s->next;
    free(s);
}

void sim_tma_store(const sim_tensor_map *map, const int32_t *at, void *from,
                   uint32_t site)
{
    check(map, from, site);
    begin_store(map, at, from, site);
}

void sim_bulk_store(void *to, const void *from, size_t bytes, uint32_t site)
{
    if (!sim_bulk_is_late(to, from, bytes, site))
        return;
    uint32_t words = (uint32_t)(bytes / sizeof(uint32_t));
    sim_tensor_map row = {.rank = 1,
                          .bytes = sizeof(uint32_t),
                          .box = {words},
                          .address = (uintptr_t)to,
                          .size = {words}};
    begin_store(&row, (int32_t[TMA_RANK]){0}, (char *)from, site);
}

void sim_bulk_commit(void)
{
    if (sim_self->lane)
        sim_self->lane->store_group++;
}

void sim_bulk_wait(uint32_t left)
{
    sim_worker *w = sim_self;
    sim_lane *lane = w->lane;
    while (lane && lane->stores &&
           lane->store_group - lane->stores->group > left) {
        const sim_store *s = lane->stores;
        pieces(
            &(copy){
                .map = &s->map, .at = s->at, .store = true, .site = s->site},
            s->from);
        drop(w, &lane->stores);
    }
}

void sim_tma_end_block(sim_worker *w, bool complete)
{
    if (!w->in_flight)
        return;
    for (unsigned t = 0; t < sim_now.threads; t++)
        while (w->lanes[t].stores) {
            if (complete)
                sim_finding("async-copy",
                            sim_place_at(w, w->lanes[t].stores->site),
                            "%s ends, and nobody has waited for this copy from "
                            "shared memory",
                            sim_who(w, t));
            drop(w, &w->lanes[t].stores);
        }
}
