/**
 * @file check_shared.c
 * @brief Races between the threads of a block, uninitialised shared memory.
 *
 * Each 4-byte word has a cell that remembers who wrote and who read it since
 * the last barrier. A race is two accesses of different threads between two
 * barriers, at least one of them a write, not both atomic. It does not matter
 * which ran first here: the second one finds the first in the cell.
 *
 * The worker has a clock that each barrier and each __syncwarp advances, and a
 * cell notes the time of an access. What was before the last barrier is in
 * order with all that follows. Lanes of a warp also know each other's accesses
 * up to the time of the last __syncwarp that both took part in; through a
 * third lane, too (sim_check_sync). Shuffles and votes order nothing: CUDA
 * does not promise it.
 *
 * A warp may also tell others that it is done, by a fence and then a flag that
 * it changes; who looks at the flag and then has a fence, too, is in order with
 * what was before (use_flag). The flag is changed and looked at by strong
 * accesses: atomic operations, or volatile ones, as a load that acquires is
 * here; not `(*p)++`, which is two. Those of two warps do not race if the warp
 * that stores has had a fence since the barrier (is_handover); else what is
 * volatile counts as any other access. A fence of one lane counts for its warp.
 * Both may hide a race.
 *
 * Two readers from different warps are enough: whoever writes now conflicts
 * with at least one of them, unless flags have put it in order with both. Of
 * each warp two threads are kept, so that one of them may be the writer itself.
 * Threads with atomics are kept in the same way, in a table of its own that
 * only takes space where there are some.
 *
 * A word that two warps have read is settled until the next barrier: further
 * reads add nothing. That is most of what happens in tiles of matrices, so it
 * is known from a small array, 32 words at a time.
 *
 * A word of which parts are used (char, short) gets a cell for each byte.
 *
 * Global memory has the same cells, but only for words near those that a kernel
 * writes (granules of 64 KiB), and only as many as CACHED at a time: a word
 * that takes the place of another one makes that forgotten. There a thread
 * that has read a flag, by an atomic or a volatile load, is in order with all
 * that came before, because threads hand over data that way. Both may hide a
 * race, never invent one.
 *
 * Most of global memory is used in rows: lane l of a warp has word l of a line
 * of 128 bytes, or words of its own. Such a line is one entry of a table. Its
 * words get cells when somebody uses one of them in another way.
 */
#include <string.h>

#include "../../include/cuda_runtime_api.h"
#include "../core/alloc.h"
#include "../core/findings.h"
#include "../core/names.h"
#include "../core/sites.h"
#include "../core/text.h"
#include "check.h"

#define STRONG (UINT32_C(1) << 31) /**< in a site: of a strong access */

/** Two threads of a warp that have read a word, or changed it by atomics. */
typedef struct {
    uint32_t time[2]; /* of their latest access; before the epoch: nobody */
    uint32_t site[2];
    uint16_t thread[2];
} users;

/** What is known about a word or a byte; at most one cache line. */
struct sim_shared_cell {
    uint32_t write_time; /* of the last plain write */
    uint32_t write_site;
    uint32_t written_in; /* block in which it was last written */
    uint16_t write_thread;
    bool split;       /* look at the cells of the bytes instead */
    bool atomics;     /* there were some: see the table of atomics */
    users readers[2]; /* of two different warps */
    bool async;       /* the last write was a bulk copy's */
    uint8_t unused[7];
};

/** Threads that did atomics on a word or a byte. */
struct sim_shared_atomics {
    users by[2];
};

#define CACHED 2048 /**< words of global memory; a power of two */

/** What is known about a word of global memory, or about a byte. */
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
    uint64_t line;       /* address >> LINE_SHIFT */
    uint32_t time;       /* of the latest use; before the epoch: unused */
    uint32_t read_time;  /* of the latest read, as a row */
    uint32_t write_time; /* of the latest write, as a row */
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
    uint32_t first;    /* offset of the first fresh word */
    uintptr_t address; /* in global memory; 0: this is shared memory */
    unsigned fresh;    /* words that are read and were never written */
    unsigned written;  /* all others */
} visit;

void sim_check_open(sim_worker *w)
{
    struct sim_shadow *s = w->shadow;
    s->known = sim_map(MAX_WARPS * sizeof *s->known);
    s->shared_words = (w->dynamic_offset + SHARED_PER_SM) / 4;
    s->ordered = sim_map(MAX_WARPS * sizeof *s->ordered);
    s->looked = sim_map(MAX_WARPS * sizeof *s->looked);
    s->told = sim_map(s->shared_words * sizeof *s->told);
    s->cells = sim_map(5 * s->shared_words * sizeof *s->cells);
    s->atomics = sim_map(5 * s->shared_words * sizeof *s->atomics);
    s->array_map = sim_map(s->shared_words);
    s->settled = sim_map(s->shared_words * sizeof *s->settled);
    s->global_cells = sim_map(CACHED * sizeof *s->global_cells);
    s->global_rows = sim_map(ROWS * sizeof *s->global_rows);
    s->covered = sim_map(MAX_THREADS * sizeof *s->covered);
    s->flag_time = sim_map(MAX_THREADS * sizeof *s->flag_time);
    s->clocks = sim_map(MAX_THREADS * sizeof *s->clocks);
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

#define COLD __attribute__((noinline, cold))

static sim_place place_of(const visit *v, uint32_t other)
{
    return (sim_place){
        .site = v->site, .other = other, .block = v->w->block_number};
}

static const char *name_of(const visit *v)
{
    return v->address ? sim_name_global(v->address, 4)
                      : sim_name_shared(v->offset, v->w->dynamic_offset);
}

/** Two threads, no order between them.
 *  @param past  what the other one has done: "read", "written"
 *  @param why   NULL: as can be seen from the threads */
static COLD void report_race(const visit *v, const char *past, unsigned thread,
                             uint32_t site, const char *why)
{
    const sim_worker *w = v->w;
    bool one_warp = thread / LANES == v->warp;
    site &= ~STRONG;
    bool equal = sim_same_constant(site, v->site);
    if ((one_warp || equal) && v->op == OP_STORE && site == v->site &&
        !strcmp(past, "written")) {
        sim_finding("same-word-note", place_of(v, 0),
                    sim_format("write of %s\nthreads %s and %s of %s write %s",
                               name_of(v), sim_thread_text(w, thread),
                               sim_thread_text(w, v->thread), sim_block_text(w),
                               equal ? "the same value, in any order"
                                     : "it at once: one of them wins"));
        return;
    }
    const char *kind = v->address ? "global-race"
                       : one_warp ? "warp-race"
                                  : "shared-race";
    if (sim_found_before(kind, place_of(v, site)))
        return;
    sim_finding(kind, place_of(v, site),
                sim_format("%s of %s\nby %s; thread %s has "
                           "%s it at %s\n%s",
                           sim_verbs[v->op], name_of(v), sim_who(w, v->thread),
                           sim_thread_text(w, thread), past,
                           sim_position_from(site, v->site),
                           why ? why
                           : v->thread == STRANGER || thread == STRANGER
                               ? "no barrier of the cluster between"
                           : site != v->site && sim_same_place(site, v->site)
                               ? "each reads it, then stores: an update is "
                                 "lost, and atomicAdd loses none"
                           : one_warp
                               ? "no __syncwarp between: it works only if the "
                                 "lanes run in lockstep"
                               : "no __syncthreads between"));
}

static COLD void report_uninitialised(visit *v)
{
    v->offset = v->first;
    if (sim_found_before("uninitialised-shared", place_of(v, 0)))
        return;
    sim_finding("uninitialised-shared", place_of(v, 0),
                sim_format("%s of %s\nby %s; no thread "
                           "of the block has written it before",
                           sim_verbs[v->op], name_of(v),
                           sim_who(v->w, v->thread)));
}

/** What a thread stored is read by an engine that may not see it yet. */
static COLD void report_proxy(const visit *v, const sim_shared_cell *c)
{
    uint32_t site = c->write_site & ~STRONG;
    sim_finding("proxy-fence", place_of(v, site),
                sim_format("read of %s\nby %s; thread %s has written it at "
                           "%s\nno fence.proxy.async of that thread between",
                           name_of(v), sim_who(v->w, v->thread),
                           sim_thread_text(v->w, c->write_thread),
                           sim_position_from(site, v->site)));
}

/** Between two arrays, or behind the last one. */
static COLD void report_outside(const visit *v)
{
    sim_finding("array-bounds", place_of(v, 0),
                sim_format("%s of shared memory\n%s\nby %s", sim_verbs[v->op],
                           sim_where_shared(v->offset, v->w->dynamic_offset,
                                            v->w->dynamic_bytes),
                           sim_who(v->w, v->thread)));
    sim_abort(ABORT_ERROR, cudaErrorIllegalAddress);
}

/* ---- order --------------------------------------------------------------- */

void sim_check_sync(sim_worker *w, unsigned warp, uint32_t lanes)
{
    if (!w->counting)
        return;
    uint32_t(*known)[LANES] = w->shadow->known[warp], all[LANES] = {0};
    w->time++;
    FOR_EACH_LANE (l, lanes)
        for (unsigned k = 0; k < LANES; k++)
            all[k] = known[l][k] > all[k] ? known[l][k] : all[k];
    FOR_EACH_LANE (k, lanes)
        all[k] = w->time;
    FOR_EACH_LANE (l, lanes)
        memcpy(known[l], all, sizeof all);
}

void sim_check_arrived(sim_worker *w, unsigned thread)
{
    struct sim_shadow *s = w->shadow;
    unsigned warp = thread / LANES;
    if (!w->counting || warp >= MAX_WARPS)
        return;
    const uint32_t *known = s->known[warp][thread % LANES];
    uint32_t *covered = &s->covered[warp * LANES];
    for (unsigned l = 0; l < LANES; l++)
        covered[l] = known[l] > covered[l] ? known[l] : covered[l];
    s->covered[thread] = s->arrived[warp] = ++w->time;
}

/** Each time is the later one of both. */
static void join(uint32_t times[MAX_WARPS], const uint32_t others[MAX_WARPS])
{
    for (unsigned i = 0; i < MAX_WARPS; i++)
        times[i] = others[i] > times[i] ? others[i] : times[i];
}

void sim_check_fence(sim_worker *w, unsigned warp)
{
    struct sim_shadow *s = w->shadow;
    if (!w->counting)
        return;
    s->fences = w->block_serial;
    join(s->ordered[warp], s->looked[warp]);
    s->fenced[warp] = ++w->time;
}

/** A strong access to a word of shared memory: it may look at a flag, and set
 *  one. What a warp tells is what came before its latest fence. */
static void use_flag(const struct sim_shadow *s, unsigned warp, size_t word,
                     bool looks, bool tells)
{
    uint32_t *told = s->told[word];
    if (looks)
        join(s->looked[warp], told);
    if (!tells)
        return;
    join(told, s->ordered[warp]);
    if (s->fenced[warp] > told[warp])
        told[warp] = s->fenced[warp];
}

/** Does one warp hand something over to the other by this word? */
static bool is_handover(const visit *v, unsigned warp, uint32_t site)
{
    if (!(v->strength & site) || v->address || warp == v->warp ||
        warp >= MAX_WARPS || v->warp >= MAX_WARPS)
        return false;
    bool other = v->s->fenced[warp] >= v->w->epoch;
    bool own = v->s->fenced[v->warp] >= v->w->epoch;
    return v->op == OP_LOAD ? other : v->op == OP_STORE ? own : own || other;
}

/** Did @p thread, at @p time and @p site, do something that the visitor has not
 *  waited for? Also false for what was never done (time 0). */
static bool unordered(const visit *v, unsigned thread, uint32_t time,
                      uint32_t site)
{
    if (time < v->w->epoch || thread == v->thread)
        return false;
    if (is_handover(v, thread / LANES, site))
        return false;
    if (v->address && time < v->s->flag_time[v->thread])
        return false;
    unsigned warp = thread / LANES;
    if (warp != v->warp) /* a thread of another block has no warp of ours */
        return v->address || warp >= MAX_WARPS || v->warp >= MAX_WARPS ||
               time >= v->s->ordered[v->warp][warp];
    return time >= v->s->known[v->warp][v->thread % LANES][thread % LANES];
}

/* ---- one cell ------------------------------------------------------------ */

/** A user that conflicts with this access, in another warp if possible.
 *  @return false: none */
static bool check_users(const visit *v, const users by[2], const char *past)
{
    const users *found = NULL;
    int slot = 0;
    for (int i = 0; i < 4; i++) {
        const users *u = &by[i / 2];
        if (unordered(v, u->thread[i % 2], u->time[i % 2], u->site[i % 2]) &&
            (!found || u->thread[0] / LANES != v->warp)) {
            found = u;
            slot = i % 2;
        }
    }
    if (found)
        report_race(v, past, found->thread[slot], found->site[slot], NULL);
    return found;
}

/** Was the last write one that the phase does not cover which has begun the
 *  epoch? Another lane has arrived, which did not know of it. */
static bool escapes(const visit *v, const sim_shared_cell *c)
{
    const struct sim_shadow *s = v->s;
    uint32_t time = c->write_time;
    unsigned thread = c->write_thread, warp = thread / LANES;
    return time < v->w->epoch && time >= time_met(v->w) && !c->async &&
           !v->address && warp != v->warp && warp < MAX_WARPS &&
           v->warp < MAX_WARPS && time < s->arrived[warp] &&
           time >= s->covered[thread] && time >= s->flag_time[v->thread] &&
           time >= s->ordered[v->warp][warp] &&
           !is_handover(v, warp, c->write_site);
}

/** Report the first of what conflicts with this access. */
static void check_conflicts(const visit *v, const sim_shared_cell *c,
                            const sim_shared_atomics *atomics)
{
    if (unordered(v, c->write_thread, c->write_time, c->write_site))
        report_race(v, "written", c->write_thread, c->write_site, NULL);
    else if (escapes(v, c))
        report_race(v, "written", c->write_thread, c->write_site,
                    "only another lane of its warp has arrived since: no "
                    "__syncwarp before");
    else if (v->op != OP_LOAD && check_users(v, c->readers, "read"))
        return;
    else if (v->op != OP_ATOMIC && c->atomics)
        check_users(v, atomics->by, "changed");
}

/** Keep this thread as a user, if it adds anything. */
static void add_user(const visit *v, users by[2])
{
    uint32_t epoch = v->w->epoch;
    users *u = &by[0];
    if (u->time[0] >= epoch && u->thread[0] / LANES != v->warp)
        u = &by[1];
    bool taken = u->time[0] >= epoch;
    if (taken && u->thread[0] / LANES != v->warp) {
        if (v->strength || !((by[0].site[0] | by[1].site[0]) & STRONG))
            return; /* two other warps are enough, weak ones */
        u = by[0].site[0] & STRONG ? &by[0] : &by[1];
        taken = false;
    }
    int slot = 0;
    if (taken && unordered(v, u->thread[0], u->time[0], 0)) {
        if (unordered(v, u->thread[1], u->time[1], 0))
            return;
        slot = 1;
    } else if (!taken) {
        u->time[1] = 0;
    }
    if (v->strength && u->time[slot] >= epoch && !(u->site[slot] & STRONG))
        return; /* the weak one says more */
    u->time[slot] = v->w->time;
    u->site[slot] = v->site | v->strength;
    u->thread[slot] = v->thread;
}

static void visit_cell(const visit *v, sim_shared_cell *c,
                       sim_shared_atomics *atomics)
{
    check_conflicts(v, c, atomics);
    if (v->async && v->op == OP_LOAD && !v->address && !c->async &&
        c->written_in == v->w->block_serial &&
        v->w->lanes[c->write_thread].proxy_time <= c->write_time)
        report_proxy(v, c);
    if (v->op == OP_LOAD) {
        add_user(v, c->readers);
        return;
    }
    c->written_in = v->w->block_serial;
    if (v->op == OP_ATOMIC) {
        c->atomics = true;
        add_user(v, atomics->by);
        return;
    }
    c->write_time = v->w->time;
    c->write_thread = v->thread;
    c->write_site = v->site | v->strength;
    c->async = v->async;
}

/** The same of shared memory. */
static inline void visit_shared(const visit *v, sim_shared_cell *c)
{
    visit_cell(v, c, &v->s->atomics[c - v->s->cells]);
}

/** Has the block written what an access is about to read? Of the bytes of a
 *  word one is enough: the others may be the padding of a structure. */
static inline void count_written(visit *v, const sim_shared_cell *c, unsigned n)
{
    bool any = false;
    for (unsigned i = 0; i < n; i++)
        any |= c[i].written_in == v->w->block_serial;
    if (any || !v->reads || v->w->resumed) {
        v->written++;
    } else if (!v->fresh++) {
        v->first = v->offset;
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
static bool is_settled(const sim_worker *w, const sim_shared_cell *c)
{
    uint32_t strong = c->readers[0].site[0] | c->readers[1].site[0];
    return c->write_time < w->epoch && !c->atomics && !(strong & STRONG) &&
           c->readers[0].time[0] >= w->epoch &&
           c->readers[1].time[0] >= w->epoch;
}

/** The bytes of one lane's access to a part of a word. */
static COLD void visit_part(visit *v, unsigned bytes)
{
    struct sim_shadow *s = v->s;
    size_t word = v->offset / 4;
    unsigned part = ((1u << bytes) - 1) << v->offset % 4;
    if ((s->array_map[word] & part) != part) {
        report_outside(v);
        return;
    }
    if (!s->cells[word].split)
        split(s, word);
    s->settled[word] = 0;
    sim_shared_cell *c = byte_cells(s, word) + v->offset % 4;
    for (unsigned i = 0; i < bytes; i++) {
        count_written(v, &c[i], 1);
        visit_shared(v, &c[i]);
    }
}

/** One word of one lane's access. @return false: it is outside */
static inline bool visit_word(visit *v)
{
    sim_worker *w = v->w;
    struct sim_shadow *s = v->s;
    size_t word = v->offset / 4;
    sim_shared_cell *c = &s->cells[word];
    if (v->op == OP_LOAD && s->settled[word] == w->epoch) {
        v->written++;
        return true;
    }
    if (s->array_map[word] != 15) {
        report_outside(v);
        return false;
    }
    if (!c->split) {
        count_written(v, c, 1);
        visit_shared(v, c);
        s->settled[word] = is_settled(w, c) ? w->epoch : 0;
        return true;
    }
    c = byte_cells(s, word);
    count_written(v, c, 4);
    for (unsigned i = 0; i < 4; i++)
        visit_shared(v, &c[i]);
    return true;
}

/** All of one lane's access. */
static inline void visit_lane(visit *v, uint64_t access)
{
    unsigned bytes = access_bytes(access), flavour = access_flavour(access);
    v->offset = (uint32_t)access;
    v->written = v->fresh = 0;
    if (bytes < 4)
        visit_part(v, bytes);
    else
        for (unsigned end = v->offset + bytes; v->offset < end; v->offset += 4)
            if (!visit_word(v))
                return;
    if (!v->fresh)
        return;
    bool copy = v->op == OP_LOAD && flavour & (FLAVOUR_COPY | FLAVOUR_REST);
    if (!copy || (!v->written && !(flavour & FLAVOUR_REST)))
        report_uninitialised(v);
}

/** Are @p count successive words settled? */
static bool all_settled(const sim_worker *w, size_t first, size_t count)
{
    const uint32_t *settled = &w->shadow->settled[first];
    uint32_t differences = 0;
    for (size_t i = 0; i < count; i++)
        differences |= settled[i] ^ w->epoch;
    return !differences;
}

/** Lanes have read what may be a flag: they are in order with all before. */
static void read_flag(sim_worker *w, unsigned warp, uint32_t mask)
{
    w->time++;
    FOR_EACH_LANE (l, mask)
        w->shadow->flag_time[warp * LANES + l] = w->time;
}

/** May an access tell what another thread has done? */
static bool is_flag(uint64_t access)
{
    unsigned flavour = access_flavour(access);
    return access_op(access) == OP_ATOMIC ? flavour & FLAVOUR_USED
           : access_op(access) == OP_LOAD ? flavour & FLAVOUR_VOLATILE
                                          : false;
}

void sim_check_shared(sim_worker *w, const sim_request *r)
{
    const uint64_t *access = r->access, first = r->first;
    uint32_t mask = r->mask;
    visit v = {.w = w,
               .s = w->shadow,
               .site = r->site,
               .warp = (uint16_t)r->warp,
               .op = access_op(first),
               .reads = access_reads(first),
               .async = first & ASYNC};
    if (is_flag(first))
        read_flag(w, r->warp, mask);
    bool updates = v.op == OP_STORE && access_flavour(first) & FLAVOUR_UPDATE;
    bool is_volatile = access_flavour(first) & FLAVOUR_VOLATILE && !updates;
    v.strength = is_volatile || v.op == OP_ATOMIC ? STRONG : 0;
    if (v.strength && v.s->fences == w->block_serial && r->warp < MAX_WARPS)
        FOR_EACH_LANE (l, mask)
            use_flag(v.s, r->warp, (uint32_t)access[l] / 4, is_flag(first),
                     v.op != OP_LOAD);
    if (v.op == OP_LOAD && r->pattern == PATTERN_CONSECUTIVE &&
        access_bytes(first) >= 4 &&
        all_settled(w, (uint32_t)first / 4, LANES * access_bytes(first) / 4))
        return;
    /* Of lanes that read the same address, two say all there is to say. */
    if (v.op == OP_LOAD && r->pattern == PATTERN_SAME)
        mask = 3;
    uint64_t before = 0, before_that = 0;
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        if (v.op == OP_LOAD && access[l] == before && before == before_that)
            continue;
        before_that = before;
        before = access[l];
        v.thread = (uint16_t)(r->warp * LANES + l);
        visit_lane(&v, access[l]);
    }
}

/* ---- global memory ------------------------------------------------------- */

/** Nobody has used these words. */
static void forget(users *u)
{
    u->time[0] = u->time[1] = 0;
}

/** The cell of a word or byte, cleared if it was another one's. */
static sim_global_cell *global_cell(const sim_worker *w, uint64_t name)
{
    size_t at = (name ^ name >> 11) >> 2 & (CACHED - 1);
    sim_global_cell *g = &w->shadow->global_cells[at];
    if (g->name != name) {
        g->name = name;
        g->cell.write_time = 0;
        forget(&g->cell.readers[0]);
        forget(&g->cell.readers[1]);
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
    return r->line == address >> LINE_SHIFT && r->time >= w->epoch;
}

/** One line of a request in which each lane has @p words words of its own.
 *  @return false: it has been used in another way */
static bool visit_row(const visit *v, unsigned words)
{
    sim_worker *w = v->w;
    sim_global_row *r = row_of(w, v->address);
    if (!is_used(w, r, v->address))
        *r = (sim_global_row){.line = v->address >> LINE_SHIFT,
                              .thread = v->thread,
                              .words = (uint8_t)words};
    else if (r->words != words || r->thread != v->thread)
        return false;
    r->time = w->time;
    if (v->op == OP_LOAD) {
        r->read_time = w->time;
        r->read_site = v->site;
    } else {
        r->write_time = w->time;
        r->write_site = v->site;
    }
    return true;
}

/** The words of a line get cells, which know what the row knows. */
static void scatter(const visit *v)
{
    sim_worker *w = v->w;
    sim_global_row *r = row_of(w, v->address);
    bool used = is_used(w, r, v->address);
    for (unsigned i = 0; used && r->words && i < LINE_WORDS; i++) {
        sim_shared_cell *c =
            &global_cell(w, (r->line << LINE_SHIFT) + 4 * i)->cell;
        uint16_t thread = (uint16_t)(r->thread + i / r->words);
        c->readers[0] = (users){
            .time = {r->read_time}, .site = {r->read_site}, .thread = {thread}};
        forget(&c->readers[1]);
        c->write_time = r->write_time;
        c->write_site = r->write_site;
        c->write_thread = thread;
    }
    r->line = v->address >> LINE_SHIFT;
    r->time = w->time;
    r->words = 0;
}

/** Each lane has words of its own, in lines that nobody uses in another way.
 *  @return false: look at each word */
static bool visit_rows(visit *v, uint64_t first, uint32_t *mask)
{
    unsigned words = access_bytes(first) / 4;
    v->address = access_address(first);
    if (!words || v->op == OP_ATOMIC || v->address & (LINE_WORDS * 4 - 1))
        return false;
    for (unsigned i = 0; i < words; i++) {
        v->thread = (uint16_t)(v->warp * LANES + i * LINE_WORDS / words);
        if (!visit_row(v, words))
            return false;
        *mask &=
            ~(UINT32_MAX >> (LANES - LANES / words) << i * LINE_WORDS / words);
        v->address += 4 * LINE_WORDS;
    }
    return true;
}

void sim_check_block(sim_worker *w, const sim_request *r)
{
    uint64_t first = r->first;
    uint32_t mask = r->mask;
    unsigned bytes = access_bytes(first), op = access_op(first);
    bool flag = op != OP_ATOMIC && access_flavour(first) & FLAVOUR_VOLATILE;
    if (is_flag(first))
        read_flag(w, r->warp, mask);
    if (flag && op == OP_LOAD)
        return; /* in order with what was before, and what comes may come */
    visit v = {.w = w,
               .s = w->shadow,
               .site = r->site,
               .warp = (uint16_t)r->warp,
               .op = flag ? OP_ATOMIC : op}; /* as check_global.c has it */
    if (r->pattern == PATTERN_CONSECUTIVE && visit_rows(&v, first, &mask))
        return;
    unsigned step = bytes < 4 ? bytes : 4;
    uintptr_t line = 0;
    FOR_EACH_LANE (l, mask) {
        v.address = access_address(r->access[l]);
        v.thread = (uint16_t)(r->warp * LANES + l);
        if (granule_of(v.address)->written != sim_now.serial)
            continue;
        for (uintptr_t end = v.address + bytes; v.address < end;
             v.address += step) {
            if (step == 4 && v.address >> LINE_SHIFT != line) {
                line = v.address >> LINE_SHIFT;
                scatter(&v);
            }
            sim_global_cell *g = global_cell(
                w, v.address | (uint64_t)(step & 3) << ADDRESS_BITS);
            visit_cell(&v, &g->cell, &g->atomics);
        }
    }
}
