/**
 * @file async.c
 * @brief Copies to shared memory that are under way: cp.async and its covers.
 *
 * A copy reads its source when it begins and writes its target when somebody
 * has waited for it, so a program that forgets to wait sees what was there
 * before. Meanwhile every byte of the target is marked; an access to a marked
 * byte is a finding, whoever does it.
 *
 * The read is logged when the copy begins, the write when it ends, both for
 * the line of the copy. So the search for races knows that a thread's wait
 * makes the bytes visible to itself only: others need a barrier afterwards.
 */
#include "inside.h"

#define SECTOR 32 /**< bytes that the L2 gives and takes */

/* ---- the books ----------------------------------------------------------- */

void sim_async_mark(sim_worker *w, const void *p, size_t bytes, int by)
{
    size_t offset = sim_cluster_offset(w, p);
    if (!w->flight)
        w->flight =
            sim_map((w->dynamic_offset + SHARED_PER_BLOCK) * sizeof *w->flight);
    for (size_t i = 0; i < bytes; i++)
        w->flight[offset + i] = (uint16_t)(w->flight[offset + i] + by);
    w->in_flight += (uint32_t)by;
    w->shared_fast = w->in_flight ? 0 : w->shared_bytes;
}

/** Mark the target of a copy, or take the mark away. */
static void mark(sim_worker *w, const sim_copy *copy, int by)
{
    sim_async_mark(w, copy->to, copy->bytes, by);
}

static sim_copy *new_copy(sim_worker *w)
{
    sim_copy *copy = w->unused;
    if (copy)
        w->unused = copy->next;
    else
        copy = sim_grow(NULL, sizeof *copy);
    return copy;
}

/** Take a copy out of its list. */
static void drop(sim_worker *w, sim_copy **link)
{
    sim_copy *copy = *link;
    mark(w, copy, -1);
    *link = copy->next;
    copy->next = w->unused;
    w->unused = copy;
}

void sim_async_move(sim_worker *w, int by)
{
    for (unsigned t = 0; t < sim_now.threads; t++) {
        for (sim_copy *c = w->lanes[t].copies; c; c = c->next)
            mark(w, c, by);
        for (sim_store *s = w->lanes[t].stores; s; s = s->next)
            sim_async_mark(w, s->from, s->bytes, by * FLIGHT_SOURCE);
    }
}

void sim_async_end_block(sim_worker *w, bool complete)
{
    if (!w->in_flight)
        return;
    for (unsigned t = 0; t < MAX_THREADS; t++)
        while (w->lanes[t].copies) {
            const sim_copy *copy = w->lanes[t].copies;
            if (complete && copy->box)
                sim_finding("async-copy", sim_place_at(w, copy->site),
                            "block (%u,%u,%u) ends, and nobody has waited for "
                            "this copy to its shared memory",
                            w->block[0], w->block[1], w->block[2]);
            drop(w, &w->lanes[t].copies);
        }
}

/* ---- accesses ------------------------------------------------------------ */

/** Log an access of the running lane, piece by piece if it is an odd one. */
static void note(const void *p, size_t bytes, bool write, uint32_t site)
{
    bool aligned = !((uintptr_t)p & (bytes - 1));
    if (!sim_self->counting)
        return;
    if ((bytes == 4 || bytes == 8 || bytes == 16) && aligned)
        sim_note((uintptr_t)p, (unsigned)bytes, write ? OP_STORE : OP_LOAD, 0,
                 site);
    else
        sim_hook_range(p, bytes, 1, write, site);
}

/** Write the target of a copy; its marks must be gone. */
static void write_target(const sim_copy *copy)
{
    if (copy->bulk)
        sim_hook_bulk(copy->to, copy->bytes, true, copy->site);
    else
        note(copy->to, copy->bytes, true, copy->site);
    memcpy(copy->to, copy->data, copy->bytes);
}

/** End a copy of the running lane. */
static void finish(sim_worker *w, sim_copy **link)
{
    sim_copy copy = **link;
    drop(w, link);
    write_target(&copy);
}

/** The lane's oldest copy for which @p left groups are not enough. */
static sim_copy **oldest(sim_lane *lane, uint32_t left)
{
    sim_copy **found = NULL;
    for (sim_copy **link = &lane->copies; *link; link = &(*link)->next)
        if (!(*link)->barrier &&
            (left == SIM_ASYNC_ALL || lane->copy_group - (*link)->group > left))
            found = link; /* the list begins with the latest */
    return found;
}

/** How many groups of the lane have been committed and are under way? */
static unsigned groups_under_way(const sim_lane *lane)
{
    unsigned groups = 0;
    uint32_t last = lane->copy_group;
    for (const sim_copy *c = lane->copies; c; c = c->next)
        if (!c->barrier && !c->bulk && c->group != last) {
            groups++;
            last = c->group;
        }
    return groups;
}

/* ---- what kernels call --------------------------------------------------- */

/** Begin a copy; the others of its fields are known. @p read bytes are read. */
static void begin(sim_worker *w, sim_copy begun, const char *from, size_t read)
{
    if (begun.bulk)
        sim_hook_bulk(from, read, false, begun.site);
    else if (read)
        note(from, read, false, begun.site);
    sim_copy *copy = new_copy(w);
    begun.next = w->lane->copies;
    begun.group = w->lane->copy_group;
    *copy = begun;
    memcpy(copy->data, from, read);
    w->lane->copies = copy;
    mark(w, copy, 1);
}

void sim_async_copy(void *to, const void *from, size_t bytes, size_t zeros,
                    sim_mbarrier *barrier, uint32_t site)
{
    sim_worker *w = sim_self;
    if (!w->lane) {
        memcpy(to, from, bytes);
        return;
    }
    size_t read = zeros < bytes ? bytes - zeros : 0;
    bool shared = in_shared(w, to, bytes);
    for (size_t at = 0, piece; at < bytes; at += piece) {
        piece = bytes - at < COPY_BYTES ? bytes - at : COPY_BYTES;
        size_t here = at >= read ? 0 : read - at < piece ? read - at : piece;
        const char *source = (const char *)from + at;
        char *target = (char *)to + at;
        if (shared) {
            begin(w,
                  (sim_copy){.to = target,
                             .barrier = barrier,
                             .site = site,
                             .bytes = (uint32_t)piece},
                  source, here);
            continue;
        }
        note(source, here, false, site);
        note(target, piece, true, site);
        memset(target, 0, piece);
        memcpy(target, source, here);
    }
}

void sim_async_commit(void)
{
    if (sim_self->lane)
        sim_self->lane->copy_group++;
}

void sim_async_wait(uint32_t left, uint32_t site)
{
    sim_worker *w = sim_self;
    (void)site;
    if (!w->lane)
        return;
    for (sim_copy **link; (link = oldest(w->lane, left));)
        finish(w, link);
    RAISE(copies_waited, w, groups_under_way(w->lane));
}

void sim_async_count(unsigned op, const void *global, size_t count,
                     uint64_t bytes)
{
    uintptr_t first = (uintptr_t)global / SECTOR;
    uintptr_t end = ((uintptr_t)global + count + SECTOR - 1) / SECTOR;
    RAISE(bulk, sim_self, op, bytes, count ? end - first : 0);
}

bool sim_bulk_is_late(void *to, const void *from, size_t bytes, uint32_t site)
{
    sim_worker *w = sim_self;
    if (!w->lane)
        return false;
    if (!(((uintptr_t)to | (uintptr_t)from | bytes) % COPY_BYTES)) {
        if (!w->counting)
            memcpy(to, from, bytes);
        return w->counting;
    }
    sim_finding("misaligned", sim_place_at(w, site),
                "a bulk copy of %zu bytes\nby %s; addresses and size must be "
                "multiples of 16",
                bytes, sim_here(w));
    sim_end_launch(w, cudaErrorMisalignedAddress);
}

void sim_engine_sees(const sim_worker *owner, const sim_mbarrier *barrier,
                     uint32_t site)
{
    if (barrier->thread < sim_now.threads &&
        owner->lanes[barrier->thread].init_fence_clock < barrier->init_clock)
        sim_finding("proxy-fence", sim_place_at(sim_self, site),
                    "%s copies to a barrier that the copy engine may not "
                    "see\nno fence.proxy.async or fence.mbarrier_init behind "
                    "its initialisation",
                    sim_here(sim_self));
}

void sim_async_bulk(void *to, const void *from, size_t bytes,
                    sim_mbarrier *barrier, uint32_t site)
{
    sim_worker *w = sim_self;
    if (w->lane) {
        sim_engine_sees(w, barrier, site);
        barrier->bytes += (int64_t)bytes;
    }
    if (!sim_bulk_is_late(to, from, bytes, site))
        return;
    sim_async_count(OP_LOAD, from, bytes, bytes);
    for (size_t at = 0; at < bytes; at += COPY_BYTES)
        begin(w,
              (sim_copy){.to = (char *)to + at,
                         .barrier = barrier,
                         .site = site,
                         .bytes = COPY_BYTES,
                         .bulk = true},
              (const char *)from + at, COPY_BYTES);
    if (barrier->bytes <= barrier->expected_bytes)
        sim_async_arrive(w, barrier); /* somebody has, for these, too */
}

/** The running lane writes to the shared memory of block @p w. */
static void note_write(sim_worker *w, uint32_t offset, uint32_t site)
{
    if (w == sim_self)
        sim_hook_bulk(sim_cluster_byte(w, offset), COPY_BYTES, true, site);
    else
        sim_hook_remote(w, offset,
                        ACCESS(SPACE_SHARED, OP_STORE, COPY_BYTES) | UNCOUNTED,
                        site);
}

void sim_async_counted(sim_worker *w, uint32_t offset, const void *data,
                       sim_mbarrier *barrier, uint32_t site)
{
    char *to = sim_cluster_byte(w, offset);
    barrier->bytes += COPY_BYTES;
    if (!w->counting) {
        memcpy(to, data, COPY_BYTES);
        return;
    }
    sim_hook_room(1); /* nobody else runs without the mark */
    note_write(w, offset, site);
    memcpy(to, data, COPY_BYTES);
    sim_copy *copy = new_copy(w);
    sim_lane *lane = &w->lanes[lane_index(sim_self, sim_self->lane)];
    *copy = (sim_copy){.next = lane->copies,
                       .to = to,
                       .barrier = barrier,
                       .site = site,
                       .bytes = COPY_BYTES,
                       .written = true,
                       .box = true};
    lane->copies = copy;
    mark(w, copy, 1);
}

/* ---- barriers ------------------------------------------------------------ */

/** Somebody waits for what a lane has begun. */
static void note_arrival(sim_worker *w, const sim_lane *lane,
                         const sim_mbarrier *barrier)
{
    for (sim_copy *copy = lane->copies; copy; copy = copy->next)
        if (copy->barrier == barrier && !copy->written) {
            sim_hook_room(COPY_BYTES); /* nobody else runs without the mark */
            copy->written = true;
            if (lane != w->lane) /* it has waited for what this one has not */
                w->barrier_clock = ++w->clock;
            mark(w, copy, -1); /* for this write only */
            write_target(copy);
            mark(w, copy, 1);
        }
}

void sim_async_arrive(sim_worker *w, const sim_mbarrier *barrier)
{
    note_arrival(w, w->lane, barrier);
}

void sim_async_expected(sim_worker *w, const sim_mbarrier *barrier)
{
    for (unsigned t = 0; w->in_flight && t < sim_now.threads; t++)
        note_arrival(w, &w->lanes[t], barrier);
}

void sim_async_phase(sim_worker *w, const sim_mbarrier *barrier)
{
    if (!w->in_flight)
        return;
    for (unsigned t = 0; t < sim_now.threads; t++)
        for (sim_copy **link = &w->lanes[t].copies; *link;)
            if ((*link)->barrier == barrier && (*link)->written)
                drop(w, link);
            else
                link = &(*link)->next;
}
