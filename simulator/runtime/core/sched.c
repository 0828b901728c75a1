/**
 * @file sched.c
 * @brief Runs one block: who goes on, who waits, who is released.
 *
 * A lane runs until it reaches a barrier or a warp operation, until its column
 * of the log is full, or until it returns. Then the next lane runs. When no
 * lane of a warp can go on, the next warp has its turn. When no warp can go
 * on, all lanes are at a barrier and are released, or the block hangs.
 *
 * A lane that returns without ever waiting leaves its stack to the next one,
 * so a kernel without barriers needs one stack, which stays in the cache.
 */
#include "inside.h"

/** After so many warp operations other warps have their turn: the lanes may be
 *  waiting for one of them in a loop. A full log counts as FULL_LOG of them. */
#define PATIENCE 4096
#define FULL_LOG 64

/** In a cooperative launch blocks may wait for each other: after so many looks
 *  at flags a block makes room for another one. */
#define LOOKS_IN_A_ROW 100000

/** In any launch one does that looks at the same flag so often. */
#define SAME_LOOKS_IN_A_ROW 32768

/** Who pauses between two looks (__nanosleep) makes room sooner. A multiple of
 *  hooks.c's LOOK_AT_FLAG. */
#define LOOKS_OF_A_PAUSE 4096

/** After so many rounds in which its warps could go on, a block lets others of
 *  its cluster run: it may be waiting for one of them in a loop. */
#define ROUNDS_IN_A_ROW 16

/** States in which lanes wait for some others only. */
#define STUCK (1u << LANE_WARP | 1u << LANE_GRID | WAITS_FOR_SOME)

/** States of lanes that do not wait. */
#define CAN_RUN (1u << LANE_NEW | 1u << LANE_READY | 1u << LANE_FULL)

/* ---- switching ----------------------------------------------------------- */

/** The last access of the running lane that is in the kernel itself, as far as
 *  its log goes back; 0: none. */
static uint32_t last_access(const sim_worker *w)
{
    for (uint32_t i = w->logged; i-- > 0;)
        if (sim_entry_kind[w->key[i] & SITE_MASK] != ENTRY_BLOCK)
            return w->key[i] >> DEPTH_SHIFT == MAX_DEPTH ? w->key[i] & SITE_MASK
                                                         : 0;
    return 0;
}

/** Let lane @p lane run until it stops. */
static void resume(sim_worker *w, sim_lane *lane)
{
    unsigned l = lane_index(w, lane) % LANES, from = lane->logged;
    if (!lane->fiber)
        lane->fiber = sim_fiber_take(&w->fibers);
    w->lane = lane;
    w->access = w->log->access[l];
    w->key = w->log->key[l];
    w->logged = lane->logged;
    w->depth = lane->depth;
    w->level = level_of(lane->depth);
    w->stack_low = (uintptr_t)lane->fiber->low;
    w->stack_bytes = w->fibers.stack_bytes;
    w->clock_reads = 0;
    sim_fiber_switch(&w->scheduler, lane->fiber->stack_pointer);
    w->lane = NULL;
    if (lane->state == LANE_DONE) {
        lane->logged = w->logged;
        lane->site = last_access(w);
        sim_fiber_give(&w->fibers, lane->fiber);
        lane->fiber = NULL;
    }
    RAISE(lane_stops, w, lane, from);
}

void sim_abandon_block(sim_worker *w)
{
    for (unsigned i = 0; i < MAX_WARPS; i++) {
        free(w->saved[i].log);
        w->saved[i].log = NULL;
    }
    sim_async_end_block(w, false);
    sim_tma_end_block(w, false);
    sim_wgmma_end_block(w, false);
    for (unsigned t = 0; t < sim_now.threads; t++) {
        sim_lane *lane = &w->lanes[t];
        if (lane->fiber) {
            sim_fiber_reset(&w->fibers, lane->fiber);
            sim_fiber_give(&w->fibers, lane->fiber);
            lane->fiber = NULL;
        }
        lane->state = LANE_DONE;
    }
}

/* ---- the log of a warp that is set aside --------------------------------- */

/** Keep what is not merged yet, because another warp needs the log. */
static void save_log(sim_worker *w, unsigned warp)
{
    sim_saved_log *s = &w->saved[warp];
    bool any = false;
    for (unsigned l = 0; l < lanes_of(warp); l++) {
        s->logged[l] = w->lanes[warp * LANES + l].logged;
        any |= s->logged[l] != 0;
    }
    if (!any)
        return;
    s->log = sim_grow(NULL, sizeof *s->log);
    memcpy(s->log, w->log, sizeof *s->log);
}

/** Prepare the log for warp @p warp: empty, or as it was set aside. */
static void restore_log(sim_worker *w, unsigned warp)
{
    sim_saved_log *s = &w->saved[warp];
    for (unsigned l = 0; l < lanes_of(warp); l++)
        w->lanes[warp * LANES + l].logged = s->log ? s->logged[l] : 0;
    if (s->log) {
        memcpy(w->log, s->log, sizeof *s->log);
        free(s->log);
        s->log = NULL;
    }
}

/* ---- warps --------------------------------------------------------------- */

/** The states in which lanes of a warp are: bit 1 << state for each. */
static unsigned states_of(const sim_worker *w, unsigned warp)
{
    unsigned states = 0;
    for (unsigned l = 0; l < lanes_of(warp); l++)
        states |= 1u << w->lanes[warp * LANES + l].state;
    return states;
}

/** May full lanes go on? The merge has made room in some columns. */
static bool wake_full_lanes(sim_worker *w, unsigned warp)
{
    bool any = false;
    for (unsigned l = 0; l < lanes_of(warp); l++) {
        sim_lane *lane = &w->lanes[warp * LANES + l];
        if (lane->state == LANE_FULL && lane->logged < LOG_ROWS)
            lane->state = LANE_READY;
        any |= lane->state == LANE_READY;
    }
    return any;
}

/** Give each lane that can go on a turn. @return states, see states_of() */
static unsigned run_lanes(sim_worker *w, unsigned warp)
{
    unsigned states = 0, count = lanes_of(warp);
    for (unsigned turn = 0; turn < count; turn++) {
        unsigned l =
            (unsigned)sim_who_goes(GO_LANES, turn, count, w->block_number);
        sim_lane *lane = &w->lanes[warp * LANES + l];
        if (lane->state <= LANE_READY) {
            resume(w, lane);
            if (atomic_load_explicit(&sim_now.abort, memory_order_relaxed))
                return 0;
        }
        states |= 1u << lane->state;
    }
    return states;
}

/**
 * Run a warp until none of its lanes can go on, or patience ends.
 *
 * @return its states; those that can go on do so when other warps have had
 *         their turn; 0: the launch has ended
 */
static unsigned run_warp(sim_worker *w, unsigned warp)
{
    w->log_warp = warp;
    restore_log(w, warp);
    for (int patience = sim_now.cooperative ? PATIENCE / 8 : PATIENCE;;) {
        unsigned states = run_lanes(w, warp);
        if (!states)
            return 0;
        sim_merge(w, warp, false);
        /* Who arrives goes on at once, as far ahead of other warps as it may:
         * that shows what it should have waited for. */
        bool again = states & 1u << LANE_ARRIVE && sim_wait_arrive(w, warp);
        if (!again && !(states & (CAN_RUN | 1u << LANE_WARP)))
            return states; /* all at a barrier or done */
        again |= wake_full_lanes(w, warp);
        bool completed = sim_warp_complete(w, warp);
        patience -= completed ? 1 : FULL_LOG;
        if (!completed && (!again || patience < 0)) {
            /* Lanes that are held back may be those that others wait for. */
            sim_merge(w, warp, true);
            again |= wake_full_lanes(w, warp);
            completed = sim_warp_complete(w, warp);
        }
        if (completed || again) {
            if (patience >= 0)
                continue;
            save_log(w, warp);
        }
        return states_of(w, warp);
    }
}

/* ---- barriers ------------------------------------------------------------ */

/** Do two lanes wait at one barrier? Unrolled copies of it count as one. */
static bool same_place(const sim_lane *a, const sim_lane *b)
{
    if (a->site && a->site == b->site)
        return true;
    const sim_site *x = sim_site_info(a->site), *y = sim_site_info(b->site);
    return a->op == b->op && a->line == b->line &&
           sim_same_text(a->file, b->file) && x->column == y->column &&
           sim_same_text(x->callers, y->callers);
}

/** How many threads that have returned did something behind a barrier, and
 *  behind its loop? They have passed it by. */
static unsigned count_passed(const sim_worker *w, const sim_lane *first)
{
    uint32_t end = sim_site_info(first->site)->end;
    unsigned passed = 0;
    for (unsigned t = 0; t < sim_now.threads && first->site; t++)
        passed += w->lanes[t].state == LANE_DONE && !first->depth &&
                  w->lanes[t].site > first->site && w->lanes[t].site > end;
    return passed;
}

/** Say what is wrong with a barrier that is about to be released. */
static void check_barrier(sim_worker *w, const sim_lane *first, unsigned live)
{
    sim_place place = sim_place_of(w, first);
    unsigned passed = count_passed(w, first);
    if (passed && !w->diverged) {
        w->diverged = true;
        sim_finding("barrier-divergence", place,
                    "not all come here\n%u of %u threads have passed it by: it "
                    "is in a branch or a loop that they do not take\nof %s",
                    passed, sim_now.threads, sim_block_text(w));
    } else if (live < sim_now.threads && !w->diverged)
        sim_finding("early-exit-note", place,
                    "%u of %u threads have returned\nof %s; this barrier waits "
                    "for the others only",
                    sim_now.threads - live, sim_now.threads, sim_block_text(w));
    for (unsigned t = 0; t < sim_now.threads; t++) {
        const sim_lane *lane = &w->lanes[t];
        if (lane->state != LANE_BARRIER || same_place(lane, first))
            continue;
        w->diverged = true;
        place.other = lane->site;
        sim_finding(
            "barrier-divergence", place,
            "not all wait here\nthread %s does, thread %s waits at %s\nof %s",
            sim_thread_text(w, lane_index(w, first)), sim_thread_text(w, t),
            sim_lane_place(lane), sim_block_text(w));
        return;
    }
}

/** All live lanes are at a barrier: combine their predicates, let them go. */
static void release_barrier(sim_worker *w)
{
    const sim_lane *first = NULL;
    unsigned live = 0, set = 0;
    uint32_t warps = 0;
    for (unsigned t = 0; t < sim_now.threads; t++) {
        const sim_lane *lane = &w->lanes[t];
        if (lane->state != LANE_BARRIER)
            continue;
        if (!first)
            first = lane;
        live++;
        set += lane->value != 0;
        warps |= 1u << t / LANES;
    }
    check_barrier(w, first, live);
    RAISE(barrier, w, first, warps);
    for (unsigned t = 0; t < sim_now.threads; t++) {
        sim_lane *lane = &w->lanes[t];
        if (lane->state != LANE_BARRIER)
            continue;
        lane->result = lane->op == SIM_BARRIER_AND  ? set == live
                       : lane->op == SIM_BARRIER_OR ? set > 0
                                                    : set;
        lane->state = LANE_READY;
    }
    w->barrier_clock = ++w->clock;
}

int sim_barrier(int op, int predicate, const char *file, int line,
                uint32_t site)
{
    sim_lane *lane = sim_stop_at(file, line, site);
    if (!lane)
        return 0; /* called by host code */
    lane->op = op;
    lane->value = predicate != 0;
    sim_yield(sim_self, LANE_BARRIER);
    return (int)lane->result;
}

void sim_pause(void)
{
    sim_worker *w = sim_self;
    if (!w->lane)
        return;
    if (w->counting) {
        w->looks += LOOKS_OF_A_PAUSE;
        w->same_looks += w->same_looks ? LOOKS_OF_A_PAUSE : 0;
        if (sim_now.cooperative && w->logged)
            sim_yield(w, LANE_FULL);
        return;
    }
    w->looks++;
    w->same_looks++;
    sim_yield(w, LANE_READY);
}

/* ---- blocks -------------------------------------------------------------- */

static void begin_block(sim_worker *w, uint64_t block)
{
    w->block_number = block;
    w->block[0] = (unsigned)(block % sim_now.grid[0]);
    w->block[1] = (unsigned)(block / sim_now.grid[0] % sim_now.grid[1]);
    w->block[2] = (unsigned)(block / sim_now.grid[0] / sim_now.grid[1]);
    w->unfenced = w->stored = w->diverged = w->resumed = false;
    w->barrier_clock = ++w->clock;
    w->block_serial++;
    w->constant_count = 0;
    w->ended = false;
    RAISE(block_begins, w);
    for (unsigned t = 0; t < sim_now.threads; t++) {
        w->lanes[t].state = LANE_NEW;
        w->lanes[t].depth = 0;
        w->lanes[t].cluster_phase = w->cluster->phase;
    }
    if (!w->counting) /* nothing tells when it is read before it is written */
        memset(w->dynamic, 0xff, w->dynamic_bytes);
}

/** The first lane of the block that waits for some others in vain. */
static sim_lane *stuck_lane(sim_worker *w)
{
    for (unsigned t = 0; t < sim_now.threads; t++)
        if (1u << w->lanes[t].state & STUCK)
            return &w->lanes[t];
    return NULL;
}

/** No lane can ever go on. */
static void report_deadlock(sim_worker *w, const sim_lane *lane)
{
    char text[600];
    sim_describe_waiting(w, text, sizeof text);
    sim_finding("warp-deadlock", sim_place_of(w, lane),
                "%s can never go on\n%s", sim_block_text(w), text);
    sim_abort(ABORT_ERROR, cudaErrorLaunchTimeout);
}

/** The launch ends: because of the time, or of a finding elsewhere. */
static void leave_block(sim_worker *w)
{
    if (atomic_load(&sim_now.abort) == ABORT_TIMEOUT) {
        char text[600];
        sim_describe_waiting(w, text, sizeof text);
        const char *others = "";
        if (sim_now.begun)
            others = sim_format(
                "\n%llu of its %llu blocks have begun and wait for others; an "
                "H200 holds %llu at once",
                (unsigned long long)sim_now.begun,
                (unsigned long long)sim_now.blocks,
                (unsigned long long)sim_now.resident);
        sim_finding("timeout", sim_place_at(w, 0),
                    "no block of %s finished in SIM_TIMEOUT=%g s%s\nin %s:\n%s",
                    sim_now.name, sim_settings.timeout, others,
                    sim_block_text(w), text);
    }
    sim_abandon_block(w);
}

/** Should a block make room that has been running since so many looks? */
static bool makes_room(const sim_worker *w, uint64_t looks)
{
    return sim_now.cooperative
               ? w->looks - looks > LOOKS_IN_A_ROW
               : w->same_looks > SAME_LOOKS_IN_A_ROW && sim_now.blocks > 1 &&
                     sim_now.cluster_blocks == 1;
}

/** Run warps in turn until none can go on. @return as sim_run_block() */
static bool run_warps(sim_worker *w)
{
    unsigned warps = (sim_now.threads + LANES - 1) / LANES;
    unsigned states[MAX_WARPS];
    uint64_t looks = w->looks;
    unsigned rounds = 0; /* since the cluster's other blocks had a turn */
    bool moved = true;   /* the same */
    for (unsigned warp = 0; warp < warps; warp++)
        states[warp] = states_of(w, warp);
    for (;;) {
        unsigned all = 0;
        for (unsigned turn = 0; turn < warps; turn++) {
            unsigned warp =
                (unsigned)sim_who_goes(GO_WARPS, turn, warps, w->block_number);
            moved |= (states[warp] & CAN_RUN) != 0;
            if (states[warp] & CAN_RUN)
                states[warp] = run_warp(w, warp);
            if (atomic_load_explicit(&sim_now.abort, memory_order_relaxed)) {
                leave_block(w);
                return true;
            }
            all |= states[warp];
        }
        if (all & WAITS_FOR_SOME) {
            uint32_t woken = sim_wait_complete(w);
            FOR_EACH_LANE (warp, woken)
                states[warp] |= 1u << LANE_READY;
            if (woken)
                continue;
        }
        if (all & CAN_RUN && makes_room(w, looks))
            return false;
        if (all & CAN_RUN && ++rounds < ROUNDS_IN_A_ROW)
            continue;
        if (all & (CAN_RUN | STUCK) && sim_cluster_turn(w, moved)) {
            rounds = 0;
            moved = false;
            continue;
        }
        if (all == 1u << LANE_DONE) {
            sim_async_end_block(w, true);
            sim_tma_end_block(w, true);
            sim_wgmma_end_block(w, true);
            sim_registers_end_block(w);
            return true;
        }
        if (!(all & ~(1u << LANE_DONE | 1u << LANE_GRID)))
            return false;
        if (all & STUCK) {
            report_deadlock(w, stuck_lane(w));
            leave_block(w);
            return true;
        }
        release_barrier(w);
        for (unsigned warp = 0; warp < warps; warp++)
            if (states[warp] & 1u << LANE_BARRIER)
                states[warp] = 1u << LANE_READY;
    }
}

bool sim_run_block(sim_worker *w, uint64_t block)
{
    begin_block(w, block);
    sim_cluster_turn(w, true); /* those of the others begin, too */
    return run_warps(w);
}

bool sim_continue_block(sim_worker *w, bool together)
{
    for (unsigned t = 0; t < sim_now.threads; t++)
        if (together && w->lanes[t].state == LANE_GRID)
            w->lanes[t].state = LANE_READY;
    w->barrier_clock = ++w->clock;
    w->resumed = true;
    RAISE(block_begins, w);
    return run_warps(w);
}
