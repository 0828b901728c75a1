/**
 * @file check_shared.c
 * @brief Races and uninitialised reads in shared memory.
 *
 * Each 4-byte word has a cell that remembers who wrote and who read it since
 * the last barrier (the epoch). A race is two accesses of different threads in
 * one epoch, at least one of them a write, not both atomic. It does not matter
 * which ran first here: the second one finds the first in the cell.
 *
 * Within a warp, __syncwarp and shuffles order the lanes: each makes a new
 * warp epoch, and accesses of different warp epochs do not conflict.
 *
 * Two readers from different warps are enough: whoever writes now conflicts
 * with at least one of them. Of each warp two threads are kept, so that one of
 * them may be the writer itself.
 *
 * A word that two warps have read is settled until the next barrier: further
 * reads add nothing. That is most of what happens in tiles of matrices, so it
 * is known from a small array, 32 words at a time.
 *
 * A word of which parts are used (char, short) gets a cell for each byte.
 */
#include <string.h>

#include "../include/cuda_runtime_api.h"
#include "alloc.h"
#include "check.h"
#include "findings.h"
#include "settings.h"
#include "sites.h"
#include "text.h"

/** One warp that has read a word. */
typedef struct {
    uint16_t warp;      /* of the block */
    uint16_t sub;       /* its warp epoch */
    uint16_t thread[2]; /* up to two of its threads */
    uint32_t site[2];   /* where they read */
} reader;

/** What is known about a word or a byte; one cache line. */
struct sim_shared_cell {
    uint32_t write_epoch; /* of the last write */
    uint32_t read_epoch;  /* that the readers belong to */
    uint32_t write_site;
    uint32_t written_in; /* block in which it was last written */
    uint16_t write_thread;
    uint16_t write_sub;
    bool write_atomic;
    bool split;         /* look at the cells of the bytes instead */
    uint8_t readers[2]; /* threads kept in reader[i]: 0 to 2 */
    reader reader[2];
    uint8_t unused[8];
};

_Static_assert(sizeof(struct sim_shared_cell) == 64, "one cache line");

/** The access that is being checked. */
typedef struct {
    sim_worker *w;
    uint32_t site;
    uint16_t warp;
    uint16_t sub;
    uint16_t thread;
    unsigned op;
    bool reads;      /* depends on what was there */
    uint32_t offset; /* in shared memory */
} visit;

void sim_check_begin(sim_worker *w)
{
    if (w->cells || !w->counting)
        return;
    w->shared_words = (w->dynamic_offset + SHARED_PER_SM) / 4;
    w->cells = sim_map(w->shared_words * sizeof *w->cells);
    w->byte_cells = sim_map(4 * w->shared_words * sizeof *w->cells);
    w->array_map = sim_map(w->shared_words);
    w->settled = sim_map(w->shared_words * sizeof *w->settled);
    /* Which bytes belong to an array; the rest are gaps between them. */
    const sim_array *arrays;
    size_t count = sim_arrays(&arrays);
    for (size_t i = 0; i < count; i++)
        for (size_t b = arrays[i].offset;
             b < arrays[i].offset + arrays[i].bytes; b++)
            w->array_map[b / 4] |= (uint8_t)(1 << b % 4);
    memset(w->array_map + w->dynamic_offset / 4, 15, SHARED_PER_SM / 4);
}

/* ---- reports ------------------------------------------------------------- */

#define COLD __attribute__((noinline, cold))

static sim_place place_of(const visit *v, uint32_t other)
{
    return (sim_place){
        .site = v->site, .other = other, .block = v->w->block_number};
}

static const char *name_of(const visit *v)
{
    return sim_describe_shared(v->offset, v->w->dynamic_offset,
                               v->w->dynamic_bytes);
}

/** Two threads, no order between them. */
static COLD void report_race(const visit *v, const char *first,
                             const char *second, unsigned thread, uint32_t site)
{
    bool one_warp = thread / LANES == v->warp;
    if (one_warp && v->op == OP_STORE && site == v->site &&
        !strcmp(first, "written")) {
        sim_finding("same-word-note", place_of(v, 0),
                    sim_format("threads %s and %s of block (%u,%u,%u) store to "
                               "the same word, %s: one of them wins",
                               sim_thread_text(v->w, thread),
                               sim_thread_text(v->w, v->thread), v->w->block[0],
                               v->w->block[1], v->w->block[2], name_of(v)));
        return;
    }
    sim_finding(
        one_warp ? "warp-race" : "shared-race", place_of(v, site),
        sim_format("%s by thread %s, %s by thread %s at %s, %s, in block "
                   "(%u,%u,%u), %s",
                   second, sim_thread_text(v->w, v->thread), first,
                   sim_thread_text(v->w, thread), sim_position(site),
                   one_warp ? "no __syncwarp between: works only if the lanes "
                              "run in lockstep"
                            : "no __syncthreads between",
                   v->w->block[0], v->w->block[1], v->w->block[2], name_of(v)));
}

static COLD void report_uninitialised(const visit *v)
{
    sim_finding("uninitialised-shared", place_of(v, 0),
                sim_format("thread %s of block (%u,%u,%u) reads %s before any "
                           "thread of the block has written it",
                           sim_thread_text(v->w, v->thread), v->w->block[0],
                           v->w->block[1], v->w->block[2], name_of(v)));
}

/** Between two arrays, or behind the last one. */
static COLD void report_outside(const visit *v)
{
    static const char *const verbs[] = {"reads", "writes", "changes"};
    sim_finding("array-bounds", place_of(v, 0),
                sim_format("thread %s of block (%u,%u,%u) %s shared memory %s",
                           sim_thread_text(v->w, v->thread), v->w->block[0],
                           v->w->block[1], v->w->block[2], verbs[v->op],
                           name_of(v)));
    sim_abort(ABORT_ERROR, cudaErrorIllegalAddress);
}

/* ---- one cell ------------------------------------------------------------ */

/** Is a thread of @p warp at warp epoch @p sub unordered with the visitor? */
static bool unordered(const visit *v, unsigned warp, unsigned sub)
{
    return warp != v->warp || sub == v->sub;
}

/** The last write, if it conflicts with this access. */
static void check_writer(const visit *v, const sim_shared_cell *c)
{
    if (c->write_epoch == v->w->epoch && c->write_thread != v->thread &&
        !(c->write_atomic && v->op == OP_ATOMIC) &&
        unordered(v, c->write_thread / LANES, c->write_sub))
        report_race(v, "written", v->op == OP_LOAD ? "read" : "written",
                    c->write_thread, c->write_site);
}

/** A reader that conflicts with this write. */
static void check_readers(const visit *v, const sim_shared_cell *c)
{
    if (c->read_epoch != v->w->epoch)
        return;
    for (int i = 0; i < 2; i++) {
        const reader *r = &c->reader[i];
        if (!c->readers[i] || !unordered(v, r->warp, r->sub))
            continue;
        int other = r->thread[0] != v->thread ? 0 : 1;
        if (other < c->readers[i]) {
            report_race(v, "read", "written", r->thread[other], r->site[other]);
            return;
        }
    }
}

/** Keep this thread as a reader, if it adds anything. */
static void add_reader(const visit *v, sim_shared_cell *c)
{
    if (c->read_epoch != v->w->epoch) {
        c->read_epoch = v->w->epoch;
        c->readers[0] = c->readers[1] = 0;
    }
    int i = c->readers[0] && c->reader[0].warp != v->warp;
    reader *r = &c->reader[i];
    if (!c->readers[i] || (r->warp == v->warp && r->sub != v->sub)) {
        *r = (reader){v->warp, v->sub, {v->thread, 0}, {v->site, 0}};
        c->readers[i] = 1;
    } else if (r->warp == v->warp && c->readers[i] == 1 &&
               r->thread[0] != v->thread) {
        r->thread[1] = v->thread;
        r->site[1] = v->site;
        c->readers[i] = 2;
    }
}

static void visit_cell(const visit *v, sim_shared_cell *c)
{
    check_writer(v, c);
    if (v->reads && c->written_in != v->w->block_serial)
        report_uninitialised(v);
    if (v->op == OP_LOAD) {
        add_reader(v, c);
        return;
    }
    check_readers(v, c);
    c->write_epoch = v->w->epoch;
    c->write_thread = v->thread;
    c->write_sub = v->sub;
    c->write_site = v->site;
    c->write_atomic = v->op == OP_ATOMIC;
    c->written_in = v->w->block_serial;
}

/* ---- one lane ------------------------------------------------------------ */

/** From now on the bytes of a word have cells of their own. */
static COLD void split(sim_worker *w, size_t word)
{
    for (size_t i = 0; i < 4; i++)
        w->byte_cells[4 * word + i] = w->cells[word];
    w->cells[word].split = true;
}

/** All words of one lane's access. */
static inline void visit_lane(visit *v, uint64_t access)
{
    sim_worker *w = v->w;
    unsigned bytes = access_bytes(access);
    v->offset = (uint32_t)access;
    if (bytes < 4) {
        size_t word = v->offset / 4;
        unsigned in_array = w->array_map[word] >> v->offset % 4;
        if ((in_array & ((1u << bytes) - 1)) != (1u << bytes) - 1) {
            report_outside(v);
            return;
        }
        if (!w->cells[word].split)
            split(w, word);
        w->settled[word] = 0;
        for (unsigned i = 0; i < bytes; i++)
            visit_cell(v, &w->byte_cells[v->offset + i]);
        return;
    }
    for (unsigned end = v->offset + bytes; v->offset < end; v->offset += 4) {
        size_t word = v->offset / 4;
        sim_shared_cell *c = &w->cells[word];
        if (v->op == OP_LOAD && w->settled[word] == w->epoch)
            continue;
        if (w->array_map[word] != 15) {
            report_outside(v);
            return;
        }
        if (!c->split) {
            visit_cell(v, c);
            bool read_only = c->write_epoch != w->epoch;
            bool by_two = c->read_epoch == w->epoch && c->readers[1];
            w->settled[word] = read_only && by_two ? w->epoch : 0;
            continue;
        }
        for (unsigned i = 0; i < 4; i++)
            visit_cell(v, &w->byte_cells[4 * word + i]);
    }
}

/** Are @p count successive words settled? */
static bool all_settled(const sim_worker *w, size_t first, size_t count)
{
    const uint32_t *settled = &w->settled[first];
    uint32_t differences = 0;
    for (size_t i = 0; i < count; i++)
        differences |= settled[i] ^ w->epoch;
    return !differences;
}

void sim_check_shared(sim_worker *w, unsigned warp,
                      const uint64_t access[LANES], uint32_t mask,
                      uint32_t site, sim_pattern pattern)
{
    if (!sim_settings.check)
        return;
    uint64_t first = access[__builtin_ctz(mask)];
    visit v = {.w = w,
               .site = site,
               .warp = (uint16_t)warp,
               .sub = w->warp_epoch[warp],
               .op = access_op(first),
               .reads = access_reads(first)};
    if (v.op == OP_LOAD && pattern == PATTERN_CONSECUTIVE &&
        access_bytes(first) >= 4 &&
        all_settled(w, (uint32_t)first / 4, LANES * access_bytes(first) / 4))
        return;
    /* Of lanes that read the same address, two say all there is to say. */
    if (v.op == OP_LOAD && pattern == PATTERN_SAME)
        mask = 3;
    uint64_t before = 0, before_that = 0;
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        if (v.op == OP_LOAD && access[l] == before && before == before_that)
            continue;
        before_that = before;
        before = access[l];
        v.thread = (uint16_t)(warp * LANES + l);
        visit_lane(&v, access[l]);
    }
}
