/**
 * @file block_races.c
 * @brief Races between the threads of a block, uninitialised shared memory.
 *
 * Each 4-byte word has a shadow cell with the epochs (detect.h) of who wrote
 * and who read it since the last barrier. A race is two accesses of different
 * threads that conflict, neither of which happens before the other, not both
 * atomic. It does not matter which ran first here: the second one finds the
 * first in the cell.
 *
 * What was before the last barrier happens before all that follows: the block's
 * clock at that barrier says it. Below that, lanes of a warp have vector clocks
 * that a __syncwarp joins; through a third lane, too (sim_block_sync). Shuffles
 * and votes order nothing: CUDA does not promise it. Warps have vector clocks,
 * too, which arrivals at a barrier that is an object release, and waiting for
 * it acquires: who does neither is in no order with those who do.
 *
 * A warp may also release what it has done, by a fence and then a flag that it
 * changes; who loads the flag and then has a fence, too, acquires it
 * (synchronise). The flag is changed and loaded by strong accesses: atomic
 * operations, or volatile ones, as a load that acquires is here; not `(*p)++`,
 * which is two. Those of two warps do not race if the warp that stores has had
 * a fence since the barrier (is_morally_strong); else what is volatile counts
 * as any other access. A fence of one lane counts for its warp. Both may hide a
 * race.
 *
 * Epochs of readers from two warps are enough, where FastTrack goes over to a
 * vector clock: whoever writes now conflicts with at least one of them, unless
 * flags have put it in order with both. Of each warp two threads are kept, so
 * that one of them may be the writer itself. Threads with atomics are kept in
 * the same way, in a table of its own that only takes space where there are
 * some.
 *
 * Lanes that take a lock one after the other are one request here, as if they
 * had it together. So the critical sections of one lock are known (Eraser's
 * lock sets, Savage et al. 1997): a thread has changed a word from 0 by an
 * exchange, and changes it again later. Of two such sections one happens before
 * the other, if a fence follows the first change.
 *
 * A word that two warps have read is "read shared" until the next barrier:
 * further reads add nothing. That is most of what happens in tiles of matrices,
 * so it is known from a small array, 32 words at a time.
 *
 * A word of which parts are used (char, short) gets a cell for each byte.
 *
 * Global memory has the same cells, but only for words near those that a kernel
 * writes (granules of 64 KiB), and only as many as CACHED at a time: a word
 * that takes the place of another one makes that forgotten. There a thread
 * that has read a flag, by an atomic or a volatile load, acquires all that came
 * before, because threads hand over data that way. Both may hide a race, never
 * invent one.
 *
 * Most of global memory is used in rows: lane l of a warp has word l of a line
 * of 128 bytes, or words of its own. Such a line is one entry of a table. Its
 * words get cells when somebody uses one of them in another way.
 */
#include "detect.h"

#define STRONG (UINT32_C(1) << 31) /**< in a site: of a strong access */

/** Epochs of two threads of a warp: they have read a word, or changed it by
 *  atomics. */
typedef struct {
    uint32_t clock[2]; /* of their latest access; before the barrier: nobody */
    uint32_t site[2];
    uint16_t thread[2];
} epochs;

/** The shadow cell of a word or a byte; at most one cache line. */
struct sim_shared_cell {
    uint32_t write_clock; /* of the last plain write */
    uint32_t write_site;
    uint32_t written_in; /* block in which it was last written */
    uint16_t write_thread;
    bool split;        /* look at the cells of the bytes instead */
    bool atomics;      /* there were some: see the table of atomics */
    epochs readers[2]; /* of two different warps */
    bool async;        /* the last write was a bulk copy's */
    uint8_t unused[7];
};

/** Threads that did atomics on a word or a byte. */
struct sim_shared_atomics {
    epochs by[2];
};

#define SECTIONS 4 /**< of a thread, the latest ones */

/** What a thread has done while it had a lock. */
typedef struct {
    uint64_t lock;       /* its address, or above all addresses its offset in
                            shared memory; 0: none */
    uint32_t taken, end; /* clocks; end 0: the thread has it */
} section;

/** The latest of a thread, a ring. */
struct sim_sections {
    unsigned next;
    section at[SECTIONS];
};

#define CACHED 2048 /**< words of global memory; a power of two */

/** The shadow cell of a word of global memory, or of a byte. */
struct sim_global_cell {
    uint64_t name; /* address, and above it: the bytes of an access below 4 */
    sim_shared_cell cell;
    sim_shared_atomics atomics;
};

#define ROWS 512      /**< lines of global memory; a power of two */
#define LINE_SHIFT 7  /**< 128 bytes */
#define LINE_WORDS 32 /**< of a line */

/** How a line of global memory is used. */
struct sim_global_row {
    uint64_t line;        /* address >> LINE_SHIFT */
    uint32_t clock;       /* of the latest use; before the barrier: unused */
    uint32_t read_clock;  /* of the latest read, as a row */
    uint32_t write_clock; /* of the latest write, as a row */
    uint32_t read_site;
    uint32_t write_site;
    uint16_t thread; /* that has its first word */
    uint8_t words;   /* of each thread; 0: not as a row, its words have cells */
};

_Static_assert(sizeof(struct sim_shared_cell) == 64, "one cache line");

/** The access that is being checked. */
typedef struct {
    sim_worker *w;
    struct sim_shadow *s;
    uint32_t site;
    uint16_t warp;
    uint16_t thread;
    unsigned op;
    uint32_t strength; /* STRONG, or 0 */
    bool reads;        /* depends on what was there */
    bool async;        /* by wgmma or a bulk copy */
    uint32_t offset;   /* in shared memory */
    uint32_t first;    /* offset of the first unset word */
    uintptr_t address; /* in global memory; 0: this is shared memory */
    unsigned unset;    /* words that are read and were never written */
    unsigned written;  /* all others */
} memory_access;

void sim_shadow_open(sim_worker *w)
{
    struct sim_shadow *s = w->shadow;
    s->lane_clocks = sim_map(MAX_WARPS * sizeof *s->lane_clocks);
    s->shared_words = (w->dynamic_offset + SHARED_PER_SM) / 4;
    s->warp_clocks = sim_map(MAX_WARPS * sizeof *s->warp_clocks);
    s->loaded_clocks = sim_map(MAX_WARPS * sizeof *s->loaded_clocks);
    s->flag_clocks = sim_map(s->shared_words * sizeof *s->flag_clocks);
    s->cells = sim_map(5 * s->shared_words * sizeof *s->cells);
    s->atomics = sim_map(5 * s->shared_words * sizeof *s->atomics);
    s->array_map = sim_map(s->shared_words);
    s->read_shared = sim_map(s->shared_words * sizeof *s->read_shared);
    s->global_cells = sim_map(CACHED * sizeof *s->global_cells);
    s->global_rows = sim_map(ROWS * sizeof *s->global_rows);
    s->phase_clocks = sim_map(MAX_WARPS * sizeof *s->phase_clocks);
    s->product_clocks = sim_map(MAX_WARPS * sizeof *s->product_clocks);
    s->arriving = sim_map(OBJECT_BARRIERS * sizeof *s->arriving);
    s->arrived = sim_map(OBJECT_BARRIERS * PHASES * sizeof *s->arrived);
    s->arrival_clocks = sim_map(MAX_THREADS * sizeof *s->arrival_clocks);
    s->acquire_clock = sim_map(MAX_THREADS * sizeof *s->acquire_clock);
    s->sections = sim_map(MAX_THREADS * sizeof *s->sections);
    s->thread_releases = sim_map(MAX_THREADS * sizeof *s->thread_releases);
    /* Which bytes belong to an array; the rest are gaps between them. */
    const sim_array *arrays;
    size_t count = sim_arrays(&arrays);
    for (size_t i = 0; i < count; i++)
        for (size_t b = arrays[i].offset;
             b < arrays[i].offset + arrays[i].bytes; b++)
            s->array_map[b / 4] |= (uint8_t)(1 << b % 4);
    memset(s->array_map + w->dynamic_offset / 4, 15, SHARED_PER_SM / 4);
}

/* ---- reports ------------------------------------------------------------- */

const char sim_looks_only[] =
    "an atomic operation decides: an old value does no harm, and a volatile "
    "read says so";

#define COLD __attribute__((noinline, cold))

static sim_place place_of(const memory_access *a, uint32_t other)
{
    return (sim_place){
        .site = a->site, .other = other, .block = a->w->block_number};
}

static const char *name_of(const memory_access *a)
{
    return a->address ? sim_name_global(a->address, 4)
                      : sim_name_shared(a->offset, a->w->dynamic_offset);
}

/** What another thread has done, in no order with an access. */
typedef struct {
    const char *past; /* "read", "written", "changed" */
    unsigned thread;
    uint32_t clock;
    uint32_t site; /* perhaps STRONG */
    bool own;      /* this thread has read it there, too */
} conflict;

const char *sim_statement_wrong(uint32_t site, uint32_t other, bool stores,
                                bool own)
{
    const sim_site *x = sim_site_info(site), *y = sim_site_info(other);
    bool same = sim_same_place(site, other);
    if (stores && !own)
        return same
                   ? "two threads write the same element: is their index right?"
                   : NULL;
    if (!x->line || x->line != y->line || !sim_same_text(x->file, y->file))
        return NULL;
    return same || own
               ? "each reads it, then stores: an update is lost, and atomicAdd "
                 "loses none"
               : "others read in this statement what it stores over";
}

/** The clock at which a thread has taken a lock that it has, and that the other
 *  one had when it did that; 0: there is none. */
static uint32_t common_lock(const memory_access *a, const conflict *c)
{
    const struct sim_shadow *s = a->s;
    if (s->lock_block != a->w->block_serial || c->thread >= MAX_THREADS ||
        a->thread >= MAX_THREADS)
        return 0;
    const section *own = s->sections[a->thread].at;
    const section *other = s->sections[c->thread].at;
    for (int i = 0; i < SECTIONS * SECTIONS; i++) {
        const section *x = &own[i / SECTIONS], *y = &other[i % SECTIONS];
        if (x->lock && !x->end && x->lock == y->lock && y->taken <= c->clock &&
            (!y->end || c->clock < y->end))
            return x->taken;
    }
    return 0;
}

/** Are the two in order by a lock that both had? */
static bool is_settled(const memory_access *a, const conflict *c)
{
    uint32_t taken = common_lock(a, c);
    return taken && a->s->fence_clocks[a->warp] > taken;
}

/** Perhaps two arrays have one place in dynamic shared memory: has it two names
 *  in the source? */
static COLD const char *two_names(const memory_access *a, uint32_t other)
{
    const char *x = sim_array_at(sim_site_info(a->site));
    const char *y = sim_array_at(sim_site_info(other));
    bool dynamic = !a->address && a->offset >= a->w->dynamic_offset;
    return dynamic && x && y && strcmp(x, y)
               ? sim_format("\nor the arrays overlap: it is in %s here and in "
                            "%s there",
                            x, y)
               : "";
}

/** What would order the two, for people. */
static COLD const char *what_is_missing(const memory_access *a,
                                        const conflict *c)
{
    if (a->thread == STRANGER || c->thread == STRANGER)
        return "no barrier of the cluster between";
    bool stores = a->op == OP_STORE && *c->past == 'w';
    bool plain = a->op != OP_ATOMIC && *c->past != 'c';
    const char *why =
        plain ? sim_statement_wrong(a->site, c->site & ~STRONG, stores, c->own)
              : NULL;
    bool reads = a->op == OP_LOAD || *c->past == 'r';
    if (why &&
        !(reads && !c->own && !sim_same_place(a->site, c->site & ~STRONG)))
        return why;
    const char *none =
        c->thread / LANES == a->warp
            ? "no __syncwarp between: it works only if the lanes run in "
              "lockstep"
        : c->clock < a->w->barrier_clock
            ? "no barrier between at which that one arrives and this one waits"
            : "no __syncthreads between";
    return why ? sim_format("%s; %s", none, why)
               : sim_format("%s%s", none, two_names(a, c->site & ~STRONG));
}

/** Two threads, no order between them.
 *  @param why   NULL: as can be seen from the threads */
static COLD void report_race(const memory_access *a, const conflict *c,
                             const char *why)
{
    const sim_worker *w = a->w;
    bool one_warp = c->thread / LANES == a->warp;
    uint32_t site = c->site & ~STRONG;
    uint32_t look = a->op == OP_LOAD ? a->site | a->strength : c->site;
    bool equal = sim_same_constant(site, a->site);
    const char *kind = a->address ? "global-race"
                       : one_warp ? "warp-race"
                                  : "shared-race";
    if ((a->op == OP_ATOMIC || *c->past == 'c') &&
        sim_is_tentative(look & ~STRONG)) {
        if (look & STRONG) /* it says that it is but a look */
            return;
        kind = "plain-look-note";
        why = sim_looks_only;
    } else if ((one_warp || equal) && a->op == OP_STORE && site == a->site &&
               *c->past == 'w') {
        sim_finding("same-word-note", place_of(a, 0),
                    "write of %s\nthreads %s and %s of %s write %s", name_of(a),
                    sim_thread_text(w, c->thread),
                    sim_thread_text(w, a->thread), sim_block_text(w),
                    equal ? "the same value, in any order"
                          : "it at once: one of them wins");
        return;
    } else if (common_lock(a, c)) {
        kind = "missing-fence";
        why = "a lock orders the two, but no __threadfence comes behind taking "
              "it";
    }
    if (sim_found_before(kind, place_of(a, site)))
        return;
    sim_finding(kind, place_of(a, site),
                "%s of %s\nby %s; thread %s has %s it at %s\n%s",
                sim_verbs[a->op], name_of(a), sim_who(w, a->thread),
                sim_thread_text(w, c->thread), c->past,
                sim_position_from(site, a->site),
                why ? why : what_is_missing(a, c));
}

static COLD void report_uninitialised(memory_access *a)
{
    a->offset = a->first;
    if (sim_found_before("uninitialised-shared", place_of(a, 0)))
        return;
    sim_finding("uninitialised-shared", place_of(a, 0),
                "%s of %s\nby %s; no thread of the block has written it before",
                sim_verbs[a->op], name_of(a), sim_who(a->w, a->thread));
}

/** What a thread stored is read by an engine that may not see it yet. */
static COLD void report_proxy(const memory_access *a, const sim_shared_cell *c)
{
    uint32_t site = c->write_site & ~STRONG;
    sim_finding("proxy-fence", place_of(a, site),
                "read of %s\nby %s; thread %s has written it at %s\nno "
                "fence.proxy.async of that thread between",
                name_of(a), sim_who(a->w, a->thread),
                sim_thread_text(a->w, c->write_thread),
                sim_position_from(site, a->site));
}

/** Between two arrays, or behind the last one. */
static COLD void report_outside(const memory_access *a)
{
    sim_finding(
        "array-bounds", place_of(a, 0), "%s of shared memory\n%s\nby %s",
        sim_verbs[a->op],
        sim_where_shared(a->offset, a->w->dynamic_offset, a->w->dynamic_bytes),
        sim_who(a->w, a->thread));
    sim_abort(ABORT_ERROR, cudaErrorIllegalAddress);
}

/* ---- happens-before ------------------------------------------------------ */

void sim_block_sync(sim_worker *w, unsigned warp, uint32_t lanes)
{
    if (!w->counting)
        return;
    uint32_t(*clocks)[LANES] = w->shadow->lane_clocks[warp], all[LANES] = {0};
    w->clock++;
    FOR_EACH_LANE (l, lanes)
        for (unsigned k = 0; k < LANES; k++)
            all[k] = clocks[l][k] > all[k] ? clocks[l][k] : all[k];
    FOR_EACH_LANE (k, lanes)
        all[k] = w->clock;
    FOR_EACH_LANE (l, lanes)
        memcpy(clocks[l], all, sizeof all);
}

/** Each clock is the later one of both. */
static void join(uint32_t own[MAX_WARPS], const uint32_t other[MAX_WARPS])
{
    for (unsigned i = 0; i < MAX_WARPS; i++)
        own[i] = other[i] > own[i] ? other[i] : own[i];
}

void sim_block_arrive(sim_worker *w, unsigned thread, unsigned number)
{
    struct sim_shadow *s = w->shadow;
    unsigned warp = thread / LANES;
    if (!w->counting || warp >= MAX_WARPS)
        return;
    const uint32_t *own = s->lane_clocks[warp][thread % LANES];
    uint32_t *released = &s->arrival_clocks[warp * LANES];
    for (unsigned l = 0; l < LANES; l++)
        released[l] = own[l] > released[l] ? own[l] : released[l];
    s->arrival_clocks[thread] = s->last_arrival[warp] = ++w->clock;
    join(s->arriving[number], s->warp_clocks[warp]);
    join(s->arriving[number], s->phase_clocks[warp]);
    join(s->arriving[number], s->product_clocks[warp]);
    s->arriving[number][warp] = w->clock;
}

void sim_block_phase(sim_worker *w, unsigned number, uint32_t phase)
{
    struct sim_shadow *s = w->shadow;
    if (w->counting)
        memcpy(s->arrived[number * PHASES + phase % PHASES],
               s->arriving[number], sizeof *s->arriving);
}

void sim_block_waited(sim_worker *w, unsigned thread, unsigned number,
                      uint32_t phase)
{
    struct sim_shadow *s = w->shadow;
    if (w->counting && thread / LANES < MAX_WARPS)
        join(s->phase_clocks[thread / LANES],
             s->arrived[number * PHASES + phase % PHASES]);
}

void sim_block_products(sim_worker *w, unsigned first)
{
    struct sim_shadow *s = w->shadow;
    uint32_t *clocks = s->product_clocks[first];
    if (!w->counting || first + GROUP_WARPS > MAX_WARPS)
        return;
    w->clock++;
    for (unsigned i = first; i < first + GROUP_WARPS; i++) {
        join(clocks, s->warp_clocks[i]);
        join(clocks, s->phase_clocks[i]);
        clocks[i] = w->clock;
    }
    for (unsigned i = first + 1; i < first + GROUP_WARPS; i++)
        memcpy(s->product_clocks[i], clocks, sizeof *s->product_clocks);
}

void sim_block_fence(sim_worker *w, unsigned warp)
{
    struct sim_shadow *s = w->shadow;
    if (!w->counting)
        return;
    s->fence_block = w->block_serial;
    join(s->warp_clocks[warp], s->loaded_clocks[warp]);
    s->fence_clocks[warp] = ++w->clock;
}

/** A strong access to a word of shared memory, perhaps a flag. A warp releases
 *  what came before its latest fence, and acquires at its next one. */
static void synchronise(const struct sim_shadow *s, unsigned warp, size_t word,
                        bool acquires, bool releases)
{
    uint32_t *flag = s->flag_clocks[word];
    if (acquires)
        join(s->loaded_clocks[warp], flag);
    if (!releases)
        return;
    join(flag, s->warp_clocks[warp]);
    join(flag, s->phase_clocks[warp]);
    if (s->fence_clocks[warp] > flag[warp])
        flag[warp] = s->fence_clocks[warp];
}

/** Do two warps synchronise by this word, so that it is no race? The PTX ISA
 *  asks for strong operations alone; see the head of this file. */
static bool is_morally_strong(const memory_access *a, unsigned warp,
                              uint32_t site)
{
    if (!(a->strength & site) || a->address || warp == a->warp ||
        warp >= MAX_WARPS || a->warp >= MAX_WARPS)
        return false;
    uint32_t barrier = full_barrier_clock(a->w);
    bool other = a->s->fence_clocks[warp] >= barrier;
    bool own = a->s->fence_clocks[a->warp] >= barrier;
    return a->op == OP_LOAD ? other : a->op == OP_STORE ? own : own || other;
}

/** Clock from which on accesses of another warp may be concurrent: a phase of
 *  a barrier orders those only who have arrived or waited there. */
static uint32_t clock_of_order(const memory_access *a, unsigned warp)
{
    return a->address || warp == a->warp || warp >= MAX_WARPS ||
                   a->warp >= MAX_WARPS || sim_now.cluster_blocks > 1
               ? a->w->barrier_clock
               : full_barrier_clock(a->w);
}

/** Does an epoch not happen before this access? False for what was never done
 *  (clock 0). */
static bool is_concurrent(const memory_access *a, unsigned thread,
                          uint32_t clock, uint32_t site)
{
    if (clock < clock_of_order(a, thread / LANES) || thread == a->thread)
        return false;
    if (is_morally_strong(a, thread / LANES, site))
        return false;
    if (a->address && clock < a->s->acquire_clock[a->thread])
        return false;
    unsigned warp = thread / LANES;
    if (warp != a->warp) /* a thread of another block has no warp of ours */
        return a->address || warp >= MAX_WARPS || a->warp >= MAX_WARPS ||
               (clock >= a->s->warp_clocks[a->warp][warp] &&
                clock >= a->s->phase_clocks[a->warp][warp]);
    return clock >=
           a->s->lane_clocks[a->warp][a->thread % LANES][thread % LANES];
}

/* ---- one cell ------------------------------------------------------------ */

/** Report what is concurrent with this access, in another warp if possible.
 *  @return false: nothing is */
static bool check_epochs(const memory_access *a, const epochs by[2],
                         const char *past)
{
    conflict found = {.past = NULL};
    for (int i = 0; i < 4; i++) {
        const epochs *e = &by[i / 2];
        conflict c = {past, e->thread[i % 2], e->clock[i % 2], e->site[i % 2],
                      false};
        if (is_concurrent(a, c.thread, c.clock, c.site) && !is_settled(a, &c) &&
            (!found.past || e->thread[0] / LANES != a->warp))
            found = c;
    }
    for (int i = 0; i < 4 && found.past; i++)
        found.own |= by[i / 2].thread[i % 2] == a->thread &&
                     by[i / 2].clock[i % 2] >= a->w->barrier_clock &&
                     by[i / 2].site[i % 2] == found.site;
    if (found.past)
        report_race(a, &found, NULL);
    return found.past;
}

/** Was the last write not released by the arrivals of the phase that was the
 *  last barrier? Another lane has arrived, which had not synchronised with it.
 */
static bool escapes_phase(const memory_access *a, const sim_shared_cell *c)
{
    const struct sim_shadow *s = a->s;
    uint32_t clock = c->write_clock;
    unsigned thread = c->write_thread, warp = thread / LANES;
    return clock < a->w->barrier_clock && clock >= full_barrier_clock(a->w) &&
           !c->async && !a->address && warp != a->warp && warp < MAX_WARPS &&
           a->warp < MAX_WARPS && clock < s->last_arrival[warp] &&
           clock >= s->arrival_clocks[thread] &&
           clock >= s->acquire_clock[a->thread] &&
           clock >= s->warp_clocks[a->warp][warp] &&
           !is_morally_strong(a, warp, c->write_site);
}

/** Report the first of what conflicts with this access. */
static void check_conflicts(const memory_access *a, const sim_shared_cell *c,
                            const sim_shared_atomics *atomics)
{
    conflict write = {"written", c->write_thread, c->write_clock, c->write_site,
                      false};
    bool landed = c->async && c->write_clock < a->w->barrier_clock;
    if (!landed && /* bytes of a copy, which end a phase without an arrival */
        is_concurrent(a, c->write_thread, c->write_clock, c->write_site) &&
        !is_settled(a, &write))
        report_race(a, &write, NULL);
    else if (escapes_phase(a, c))
        report_race(a, &write,
                    "only another lane of its warp has arrived since: no "
                    "__syncwarp before");
    else if (a->op != OP_LOAD && check_epochs(a, c->readers, "read"))
        return;
    else if (a->op != OP_ATOMIC && c->atomics)
        check_epochs(a, atomics->by, "changed");
}

/** Are these of another warp, and does none of them happen before this access,
 *  which would say all that they do? */
static bool is_needed(const memory_access *a, const epochs *e)
{
    return e->thread[0] / LANES != a->warp &&
           (is_concurrent(a, e->thread[0], e->clock[0], 0) ||
            is_concurrent(a, e->thread[1], e->clock[1], 0));
}

/** Keep the epoch of this access, if it adds anything. */
static void record_epoch(const memory_access *a, epochs by[2])
{
    uint32_t barrier = a->w->barrier_clock;
    bool second =
        by[1].clock[0] >= barrier && by[1].thread[0] / LANES == a->warp;
    epochs *e = second || is_needed(a, &by[0]) ? &by[1] : &by[0];
    if (e == &by[1] && is_needed(a, e)) {
        if (a->strength || !((by[0].site[0] | by[1].site[0]) & STRONG))
            return; /* two other warps are enough, weak ones */
        e = by[0].site[0] & STRONG ? &by[0] : &by[1];
    }
    bool taken = e->clock[0] >= barrier && e->thread[0] / LANES == a->warp;
    int slot = 0;
    if (taken && is_concurrent(a, e->thread[0], e->clock[0], 0)) {
        if (is_concurrent(a, e->thread[1], e->clock[1], 0))
            return;
        slot = 1;
    } else if (!taken) {
        e->clock[1] = 0;
    }
    if (a->strength && e->clock[slot] >= barrier && !(e->site[slot] & STRONG))
        return; /* the weak one says more */
    e->clock[slot] = a->w->clock;
    e->site[slot] = a->site | a->strength;
    e->thread[slot] = a->thread;
}

static void check_cell(const memory_access *a, sim_shared_cell *c,
                       sim_shared_atomics *atomics)
{
    check_conflicts(a, c, atomics);
    if (a->async && a->op == OP_LOAD && !a->address && !c->async &&
        c->written_in == a->w->block_serial &&
        a->w->lanes[c->write_thread].proxy_clock <= c->write_clock)
        report_proxy(a, c);
    if (a->op == OP_LOAD) {
        record_epoch(a, c->readers);
        return;
    }
    c->written_in = a->w->block_serial;
    if (a->op == OP_ATOMIC) {
        c->atomics = true;
        record_epoch(a, atomics->by);
        return;
    }
    c->write_clock = a->w->clock;
    c->write_thread = a->thread;
    c->write_site = a->site | a->strength;
    c->async = a->async;
}

/** The same of shared memory. */
static inline void check_shared_cell(const memory_access *a, sim_shared_cell *c)
{
    check_cell(a, c, &a->s->atomics[c - a->s->cells]);
}

/** Has the block written what an access is about to read? Of the bytes of a
 *  word one is enough: the others may be the padding of a structure. */
static inline void count_written(memory_access *a, const sim_shared_cell *c,
                                 unsigned n)
{
    bool any = false;
    for (unsigned i = 0; i < n; i++)
        any |= c[i].written_in == a->w->block_serial;
    if (any || !a->reads || a->w->resumed) {
        a->written++;
    } else if (!a->unset++) {
        a->first = a->offset;
    }
}

/* ---- one lane ------------------------------------------------------------ */

/** The first of the four cells of the bytes of a word. */
static sim_shared_cell *byte_cells(const struct sim_shadow *s, size_t word)
{
    return &s->cells[s->shared_words + 4 * word];
}

/** From now on the bytes of a word have cells of their own. */
static COLD void split(struct sim_shadow *s, size_t word)
{
    sim_shared_cell *bytes = byte_cells(s, word);
    for (size_t i = 0; i < 4; i++) {
        bytes[i] = s->cells[word];
        s->atomics[bytes + i - s->cells] = s->atomics[word];
    }
    s->cells[word].split = true;
}

/** Two warps have read a word since the barrier, and nobody has written. */
static bool is_read_shared(const sim_worker *w, const sim_shared_cell *c)
{
    uint32_t strong = c->readers[0].site[0] | c->readers[1].site[0];
    return c->write_clock < w->barrier_clock && !c->atomics &&
           !(strong & STRONG) && c->readers[0].clock[0] >= w->barrier_clock &&
           c->readers[1].clock[0] >= w->barrier_clock;
}

/** The bytes of one lane's access to a part of a word. */
static COLD void check_bytes(memory_access *a, unsigned bytes)
{
    struct sim_shadow *s = a->s;
    size_t word = a->offset / 4;
    unsigned part = ((1u << bytes) - 1) << a->offset % 4;
    if ((s->array_map[word] & part) != part) {
        report_outside(a);
        return;
    }
    if (!s->cells[word].split)
        split(s, word);
    s->read_shared[word] = 0;
    sim_shared_cell *c = byte_cells(s, word) + a->offset % 4;
    for (unsigned i = 0; i < bytes; i++) {
        count_written(a, &c[i], 1);
        check_shared_cell(a, &c[i]);
    }
}

/** One word of one lane's access. @return false: it is outside */
static inline bool check_word(memory_access *a)
{
    sim_worker *w = a->w;
    struct sim_shadow *s = a->s;
    size_t word = a->offset / 4;
    sim_shared_cell *c = &s->cells[word];
    if (a->op == OP_LOAD && s->read_shared[word] == w->barrier_clock) {
        a->written++;
        return true;
    }
    if (s->array_map[word] != 15) {
        report_outside(a);
        return false;
    }
    if (!c->split) {
        count_written(a, c, 1);
        check_shared_cell(a, c);
        s->read_shared[word] = is_read_shared(w, c) ? w->barrier_clock : 0;
        return true;
    }
    c = byte_cells(s, word);
    count_written(a, c, 4);
    for (unsigned i = 0; i < 4; i++)
        check_shared_cell(a, &c[i]);
    return true;
}

/** All of one lane's access. */
static inline void check_lane(memory_access *a, uint64_t access)
{
    unsigned bytes = access_bytes(access), flavour = access_flavour(access);
    a->offset = (uint32_t)access;
    a->written = a->unset = 0;
    if (bytes < 4)
        check_bytes(a, bytes);
    else
        for (unsigned end = a->offset + bytes; a->offset < end; a->offset += 4)
            if (!check_word(a))
                return;
    if (!a->unset)
        return;
    bool copy = a->op == OP_LOAD && flavour & (FLAVOUR_COPY | FLAVOUR_REST);
    if (!copy || (!a->written && !(flavour & FLAVOUR_REST)))
        report_uninitialised(a);
}

/** Is each of @p count successive words read shared? */
static bool all_read_shared(const sim_worker *w, size_t first, size_t count)
{
    const uint32_t *since = &w->shadow->read_shared[first];
    uint32_t differences = 0;
    for (size_t i = 0; i < count; i++)
        differences |= since[i] ^ w->barrier_clock;
    return !differences;
}

/** Lanes have read what may be a flag: all before happens before them. */
static void acquire(sim_worker *w, unsigned warp, uint32_t mask)
{
    w->clock++;
    FOR_EACH_LANE (l, mask)
        w->shadow->acquire_clock[warp * LANES + l] = w->clock;
}

/** May an access acquire what another thread has released? */
static bool may_acquire(uint64_t access)
{
    unsigned flavour = access_flavour(access);
    return access_op(access) == OP_ATOMIC ? flavour & FLAVOUR_USED
           : access_op(access) == OP_LOAD ? flavour & FLAVOUR_VOLATILE
                                          : false;
}

/** A thread takes a lock: what lanes of its warp did in it happens before. */
static void take_lock(struct sim_shadow *s, unsigned thread, uint64_t lock,
                      uint32_t clock)
{
    sim_sections *t = &s->sections[thread], *warp = t - thread % LANES;
    uint32_t *own = s->lane_clocks[thread / LANES][thread % LANES];
    for (unsigned i = 0; i < LANES * SECTIONS; i++) {
        const section *c = &warp[i / SECTIONS].at[i % SECTIONS];
        if (c->lock == lock && c->end > own[i / SECTIONS])
            own[i / SECTIONS] = c->end;
    }
    t->at[t->next++ % SECTIONS] = (section){.lock = lock, .taken = clock};
}

/** Threads may take locks or let them go. */
static void keep_locks(sim_worker *w, const sim_request *r)
{
    struct sim_shadow *s = w->shadow;
    if ((s->lock_block != w->block_serial && !r->taken) ||
        access_op(r->first) == OP_LOAD || r->warp >= MAX_WARPS)
        return;
    if (s->lock_block != w->block_serial)
        memset(s->sections, 0, MAX_THREADS * sizeof *s->sections);
    s->lock_block = w->block_serial;
    w->clock++;
    uint64_t space = (uint64_t)access_space(r->first) << ADDRESS_BITS;
    FOR_EACH_LANE (l, r->mask) {
        unsigned thread = r->warp * LANES + l;
        uint64_t word = access_address(r->access[l]) | space;
        section *c = s->sections[thread].at;
        if (r->taken >> l & 1)
            take_lock(s, thread, word, w->clock);
        else
            for (int i = 0; i < SECTIONS; i++)
                if (c[i].lock == word && !c[i].end)
                    c[i].end = w->clock;
    }
}

void sim_check_shared(sim_worker *w, const sim_request *r)
{
    const uint64_t *access = r->access, first = r->first;
    uint32_t mask = r->mask;
    memory_access a = {.w = w,
                       .s = w->shadow,
                       .site = r->site,
                       .warp = (uint16_t)r->warp,
                       .op = access_op(first),
                       .reads = access_reads(first),
                       .async = first & ASYNC};
    if (may_acquire(first))
        acquire(w, r->warp, mask);
    keep_locks(w, r);
    bool updates = a.op == OP_STORE && access_flavour(first) & FLAVOUR_UPDATE;
    bool is_volatile = access_flavour(first) & FLAVOUR_VOLATILE && !updates;
    a.strength = is_volatile || a.op == OP_ATOMIC ? STRONG : 0;
    if (a.strength && a.s->fence_block == w->block_serial &&
        r->warp < MAX_WARPS)
        FOR_EACH_LANE (l, mask)
            synchronise(a.s, r->warp, (uint32_t)access[l] / 4,
                        may_acquire(first), a.op != OP_LOAD);
    if (a.op == OP_LOAD && r->pattern == PATTERN_CONSECUTIVE &&
        access_bytes(first) >= 4 &&
        all_read_shared(w, (uint32_t)first / 4,
                        LANES * access_bytes(first) / 4))
        return;
    /* Of lanes that read the same address, two say all there is to say. */
    if (a.op == OP_LOAD && r->pattern == PATTERN_SAME)
        mask = 3;
    uint64_t before = 0, before_that = 0;
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        if (a.op == OP_LOAD && access[l] == before && before == before_that)
            continue;
        before_that = before;
        before = access[l];
        a.thread = (uint16_t)(r->warp * LANES + l);
        check_lane(&a, access[l]);
    }
}

/* ---- global memory ------------------------------------------------------- */

/** Nobody has used these words. */
static void clear_epochs(epochs *e)
{
    e->clock[0] = e->clock[1] = 0;
}

/** The cell of a word or byte, cleared if it was another one's. */
static sim_global_cell *global_cell(const sim_worker *w, uint64_t name)
{
    size_t at = (name ^ name >> 11) >> 2 & (CACHED - 1);
    sim_global_cell *g = &w->shadow->global_cells[at];
    if (g->name != name) {
        g->name = name;
        g->cell.write_clock = 0;
        clear_epochs(&g->cell.readers[0]);
        clear_epochs(&g->cell.readers[1]);
        if (g->cell.atomics)
            memset(&g->atomics, 0, sizeof g->atomics);
        g->cell.atomics = false;
    }
    return g;
}

/** The entry of the line at @p address; it may be another line's. */
static sim_global_row *row_of(const sim_worker *w, uintptr_t address)
{
    uint64_t line = address >> LINE_SHIFT;
    return &w->shadow->global_rows[(line ^ line >> 9) & (ROWS - 1)];
}

/** Is the entry about this line, and the line in use since the barrier? */
static bool is_used(const sim_worker *w, const sim_global_row *r,
                    uintptr_t address)
{
    return r->line == address >> LINE_SHIFT && r->clock >= w->barrier_clock;
}

/** One line of a request in which each lane has @p words words of its own.
 *  @return false: it has been used in another way */
static bool check_row(const memory_access *a, unsigned words)
{
    sim_worker *w = a->w;
    sim_global_row *r = row_of(w, a->address);
    if (!is_used(w, r, a->address))
        *r = (sim_global_row){.line = a->address >> LINE_SHIFT,
                              .thread = a->thread,
                              .words = (uint8_t)words};
    else if (r->words != words || r->thread != a->thread)
        return false;
    r->clock = w->clock;
    if (a->op == OP_LOAD) {
        r->read_clock = w->clock;
        r->read_site = a->site;
    } else {
        r->write_clock = w->clock;
        r->write_site = a->site;
    }
    return true;
}

/** The words of a line get cells, which know what the row knows. */
static void scatter(const memory_access *a)
{
    sim_worker *w = a->w;
    sim_global_row *r = row_of(w, a->address);
    bool used = is_used(w, r, a->address);
    for (unsigned i = 0; used && r->words && i < LINE_WORDS; i++) {
        sim_shared_cell *c =
            &global_cell(w, (r->line << LINE_SHIFT) + 4 * i)->cell;
        uint16_t thread = (uint16_t)(r->thread + i / r->words);
        c->readers[0] = (epochs){.clock = {r->read_clock},
                                 .site = {r->read_site},
                                 .thread = {thread}};
        clear_epochs(&c->readers[1]);
        c->write_clock = r->write_clock;
        c->write_site = r->write_site;
        c->write_thread = thread;
    }
    r->line = a->address >> LINE_SHIFT;
    r->clock = w->clock;
    r->words = 0;
}

/** Each lane has words of its own, in lines that nobody uses in another way.
 *  @return false: look at each word */
static bool check_rows(memory_access *a, uint64_t first, uint32_t *mask)
{
    unsigned words = access_bytes(first) / 4;
    a->address = access_address(first);
    if (!words || a->op == OP_ATOMIC || a->address & (LINE_WORDS * 4 - 1))
        return false;
    for (unsigned i = 0; i < words; i++) {
        a->thread = (uint16_t)(a->warp * LANES + i * LINE_WORDS / words);
        if (!check_row(a, words))
            return false;
        *mask &=
            ~(UINT32_MAX >> (LANES - LANES / words) << i * LINE_WORDS / words);
        a->address += 4 * LINE_WORDS;
    }
    return true;
}

void sim_check_block(sim_worker *w, const sim_request *r)
{
    uint64_t first = r->first;
    uint32_t mask = r->mask;
    unsigned bytes = access_bytes(first), op = access_op(first);
    bool flag = op != OP_ATOMIC && access_flavour(first) & FLAVOUR_VOLATILE;
    if (may_acquire(first))
        acquire(w, r->warp, mask);
    keep_locks(w, r);
    if (flag && op == OP_LOAD)
        return; /* in order with what was before, and what comes may come */
    memory_access a = {.w = w,
                       .s = w->shadow,
                       .site = r->site,
                       .warp = (uint16_t)r->warp,
                       .op = flag ? OP_ATOMIC : op}; /* as in grid_races.c */
    if (r->pattern == PATTERN_CONSECUTIVE && check_rows(&a, first, &mask))
        return;
    unsigned step = bytes < 4 ? bytes : 4;
    uintptr_t line = 0;
    FOR_EACH_LANE (l, mask) {
        a.address = access_address(r->access[l]);
        a.thread = (uint16_t)(r->warp * LANES + l);
        if (granule_of(a.address)->written != sim_now.serial)
            continue;
        for (uintptr_t end = a.address + bytes; a.address < end;
             a.address += step) {
            if (step == 4 && a.address >> LINE_SHIFT != line) {
                line = a.address >> LINE_SHIFT;
                scatter(&a);
            }
            sim_global_cell *g = global_cell(
                w, a.address | (uint64_t)(step & 3) << ADDRESS_BITS);
            check_cell(&a, &g->cell, &g->atomics);
        }
    }
}
