/**
 * @file wait.c
 * @brief Barriers of some threads of a block: large tiles, cuda::barrier.
 *
 * Lanes leave what they wait for and yield. After each round of all warps
 * sim_wait_complete() looks who may go on. What a lane did before it arrived
 * has been merged by then, so the end of a phase advances the clock of the
 * block, like a barrier of all its threads. For shared memory block_races.c
 * knows who arrived in which phase, and who has waited for it. Between the
 * blocks of a cluster, and in global memory, a phase counts as a barrier of
 * all: a race may be missed, none is invented.
 */
#include "inside.h"

/** In a barrier that was initialised in this block. */
#define MAGIC(w) (0x5ba20000u + (w)->block_serial)

/** Whose barrier is it? */
static sim_worker *owner_of(sim_worker *w, const sim_mbarrier *barrier)
{
    return barrier->rank < sim_now.cluster_blocks
               ? w->cluster->members[barrier->rank]
               : w; /* it is none */
}

/* ---- tiles of more than a warp ------------------------------------------- */

/** Wait for a tile. @param orders  what its threads do before and after */
static void wait_for_tile(unsigned first, unsigned count, bool orders,
                          const char *file, int line, uint32_t site)
{
    sim_lane *lane = sim_stop_at(file, line, site);
    if (!lane)
        return; /* called by host code */
    lane->source = (int)first;
    lane->width = (int)count;
    lane->value = orders;
    sim_yield(sim_self, LANE_TILE);
}

void sim_tile_sync(unsigned first, unsigned count, const char *file, int line,
                   uint32_t site)
{
    wait_for_tile(first, count, true, file, line, site);
}

void sim_wait_warpgroup(uint32_t site)
{
    unsigned count = GROUP_WARPS * LANES;
    unsigned first = lane_index(sim_self, sim_self->lane) / count * count;
    wait_for_tile(first, count, false, NULL, 0, site);
}

void sim_lane_show(const void *value)
{
    if (sim_self->lane)
        sim_self->lane->shown = value;
}

void sim_lane_look(unsigned thread, void *value, size_t bytes)
{
    const sim_worker *w = sim_self;
    if (w->lane && thread < sim_now.threads && w->lanes[thread].shown)
        memcpy(value, w->lanes[thread].shown, bytes);
}

/** Has everybody come whom this lane waits for? */
static bool tile_is_complete(const sim_worker *w, const sim_lane *lane)
{
    unsigned first = (unsigned)lane->source;
    unsigned end = first + (unsigned)lane->width;
    for (unsigned t = first; t < end && t < sim_now.threads; t++) {
        const sim_lane *other = &w->lanes[t];
        if (other->state != LANE_DONE &&
            (other->state != LANE_TILE || other->source != lane->source ||
             other->width != lane->width || other->value != lane->value ||
             other->logged))
            return false;
    }
    return true;
}

/** Let go the tile to which a lane belongs. @return its warps */
static uint32_t release_tile(sim_worker *w, const sim_lane *lane)
{
    unsigned first = (unsigned)lane->source, count = (unsigned)lane->width;
    uint32_t warps = 0;
    for (unsigned t = first; t < first + count && t < sim_now.threads; t++)
        if (w->lanes[t].state == LANE_TILE) {
            w->lanes[t].state = LANE_READY;
            warps |= 1u << t / LANES;
        }
    if (lane->value)
        w->barrier_clock = ++w->clock;
    else
        RAISE(products_ended, w, first / LANES);
    return warps;
}

/* ---- barriers that are objects ------------------------------------------- */

void sim_mbarrier_init(sim_mbarrier *barrier, int expected, uint32_t site)
{
    sim_worker *w = sim_self;
    (void)site;
    if (w->lane)
        *barrier =
            (sim_mbarrier){.magic = MAGIC(w),
                           .expected = expected,
                           .pending = expected,
                           .init_clock = ++w->clock,
                           .number = w->barrier_count++ % OBJECT_BARRIERS,
                           .thread = (uint16_t)lane_index(w, w->lane),
                           .rank = w->rank,
                           .cluster_phase = w->cluster->phase};
}

sim_mbarrier *sim_mbarrier_at(uint32_t address, uint32_t site)
{
    sim_worker *w = sim_cluster_member(address >> RANK_SHIFT, site);
    if (!w->barriers)
        w->barriers = sim_map((w->dynamic_offset + SHARED_PER_BLOCK) / 8 *
                              sizeof *w->barriers);
    return &w->barriers[(address & RANK_OFFSET) / 8];
}

bool sim_mbarrier_within(const sim_worker *w, uint32_t offset, uint32_t bytes)
{
    for (uint32_t i = offset / 8; w->barriers && i < (offset + bytes) / 8; i++)
        if (w->barriers[i].magic == MAGIC(w))
            return true;
    return false;
}

/** The running lane uses a barrier. Some thread must have initialised it, and
 *  if that was another one, the block or the cluster must have met since.
 *  @return the lane; NULL: called by host code */
static sim_lane *use(const sim_mbarrier *barrier, const char *file, int line,
                     uint32_t site)
{
    sim_worker *w = sim_self;
    sim_lane *lane = sim_stop_at(file, line, site);
    if (!lane)
        return NULL;
    const sim_worker *owner = owner_of(w, barrier);
    if (barrier->magic != MAGIC(owner)) {
        sim_finding("uninitialised-shared", sim_place_of(w, lane),
                    "%s uses a barrier that was not initialised", sim_here(w));
        sim_end_launch(w, cudaErrorLaunchFailure);
    }
    bool met = owner == w ? barrier->init_clock < w->barrier_clock ||
                                barrier->thread == lane_index(w, lane)
                          : barrier->cluster_phase < w->cluster->phase;
    if (!met)
        sim_finding("shared-race", sim_place_of(w, lane),
                    "%s uses a barrier that %s has initialised, no %s between",
                    sim_here(w), sim_who(owner, barrier->thread),
                    owner == w ? "__syncthreads" : "barrier of the cluster");
    return lane;
}

void sim_mbarrier_use(const sim_mbarrier *barrier, uint32_t site)
{
    use(barrier, NULL, 0, site);
}

void sim_mbarrier_expect(sim_mbarrier *barrier, uint32_t bytes, uint32_t site)
{
    if (!use(barrier, NULL, 0, site))
        return;
    barrier->expected_bytes += bytes;
    if (barrier->bytes && barrier->bytes <= barrier->expected_bytes)
        sim_async_expected(sim_self, barrier); /* whoever has begun them */
}

uint32_t sim_mbarrier_arrive(sim_mbarrier *barrier, int count, int drop,
                             const char *file, int line, uint32_t site)
{
    sim_worker *w = sim_self;
    sim_lane *lane = use(barrier, file, line, site);
    if (!lane)
        return 0; /* called by host code */
    sim_async_arrive(w, barrier);
    lane->object = barrier;
    lane->value = (uint64_t)count;
    lane->source = drop;
    sim_yield(w, LANE_ARRIVE);
    return (uint32_t)lane->result;
}

/** A lane has waited for a phase, or it had ended. */
static void pass(sim_worker *w, const sim_lane *lane,
                 const sim_mbarrier *barrier, uint32_t phase)
{
    if (owner_of(w, barrier) == w)
        RAISE(waited, w, lane_index(w, lane), barrier->number, phase);
}

void sim_mbarrier_wait(sim_mbarrier *barrier, uint32_t phase, const char *file,
                       int line, uint32_t site)
{
    sim_lane *lane = use(barrier, file, line, site);
    if (!lane)
        return; /* called by host code */
    lane->object = barrier;
    lane->mask = phase;
    if (barrier->phase == phase)
        sim_yield(sim_self, LANE_PHASE);
    pass(sim_self, lane, barrier, phase);
}

void sim_mbarrier_wait_parity(sim_mbarrier *barrier, bool parity,
                              const char *file, int line, uint32_t site)
{
    uint32_t phase = barrier->phase - (barrier->phase % 2 != parity);
    sim_mbarrier_wait(barrier, phase, file, line, site);
}

/** Have all arrived, and all bytes? */
static bool is_complete(const sim_mbarrier *barrier)
{
    return !barrier->pending && barrier->bytes == barrier->expected_bytes;
}

bool sim_mbarrier_test(sim_mbarrier *barrier, uint32_t phase, uint32_t site)
{
    if (!use(barrier, NULL, 0, site))
        return true; /* called by host code */
    if (barrier->phase == phase)
        sim_yield(sim_self, LANE_READY);
    if (barrier->phase != phase || is_complete(barrier)) /* copies come */
        sim_mbarrier_wait(barrier, phase, NULL, 0, site);
    return barrier->phase != phase;
}

void sim_numbered_barrier(unsigned number, int threads, uint32_t site)
{
    sim_worker *w = sim_self;
    sim_mbarrier *barrier = &w->numbered[number % NUMBERED_BARRIERS];
    if (!w->lane)
        return; /* called by host code */
    if (barrier->magic != MAGIC(w) || barrier->expected != threads) {
        sim_mbarrier_init(barrier, threads, site);
        barrier->init_clock = 0; /* it was always there */
    }
    uint32_t phase = sim_mbarrier_arrive(barrier, 1, 0, NULL, 0, site);
    sim_mbarrier_wait(barrier, phase, NULL, 0, site);
}

/** A phase ends, or what is like one: a barrier of those who have arrived. */
static void advance_phase_clock(sim_worker *w)
{
    w->full_clock = full_barrier_clock(w);
    w->barrier_clock = w->phase_clock = ++w->clock;
}

/** All have arrived, and all bytes. */
static void end_phase(sim_worker *w, sim_mbarrier *barrier)
{
    sim_async_phase(w, barrier);
    uint32_t phase = barrier->phase++;
    barrier->pending = barrier->expected;
    barrier->expected_bytes = barrier->bytes = 0;
    advance_phase_clock(w);
    RAISE(phase_ended, w, barrier->number, phase);
}

/** A lane arrives: all that it did before has been merged. */
static void arrive(sim_worker *w, sim_lane *lane)
{
    sim_mbarrier *barrier = lane->object;
    lane->state = LANE_READY;
    if (!barrier)
        return;
    sim_worker *owner = owner_of(w, barrier);
    if (is_complete(barrier)) /* of copies, and nobody has waited for it */
        end_phase(owner, barrier);
    RAISE(arrived, w, lane_index(w, lane), barrier->number);
    if (owner != w)
        advance_phase_clock(w); /* who waits there comes behind this block */
    lane->result = barrier->phase;
    barrier->pending -= (int32_t)lane->value;
    barrier->expected -= lane->source;
    if (barrier->pending < 0) {
        sim_finding("barrier-overrun", sim_place_of(w, lane),
                    "%s arrives at a barrier at which all %d that it expects "
                    "have arrived",
                    sim_who(w, lane_index(w, lane)), barrier->expected);
        sim_abort(ABORT_ERROR, cudaErrorLaunchFailure);
        return;
    }
    if (!barrier->pending && !barrier->expected_bytes && !barrier->bytes)
        end_phase(owner, barrier);
}

/* ---- who may go on ------------------------------------------------------- */

bool sim_wait_arrive(sim_worker *w, unsigned warp)
{
    bool any = false;
    for (unsigned l = 0; l < lanes_of(warp); l++) {
        sim_lane *lane = &w->lanes[warp * LANES + l];
        if (lane->state != LANE_ARRIVE || lane->logged)
            continue;
        arrive(w, lane);
        any = true;
    }
    return any;
}

uint32_t sim_wait_complete(sim_worker *w)
{
    uint32_t warps = 0;
    sim_cluster_meet(w);
    for (unsigned t = 0; t < sim_now.threads; t++) {
        sim_lane *lane = &w->lanes[t];
        if (t % LANES == 0 && sim_wait_arrive(w, t / LANES))
            warps |= 1u << t / LANES;
        if (lane->state == LANE_TILE && tile_is_complete(w, lane))
            warps |= release_tile(w, lane);
    }
    for (unsigned t = 0; t < sim_now.threads; t++) {
        sim_lane *lane = &w->lanes[t];
        sim_mbarrier *barrier = lane->object;
        if (lane->state == LANE_CLUSTER &&
            lane->cluster_phase <= w->cluster->phase) {
            lane->state = LANE_READY;
            warps |= 1u << t / LANES;
        }
        if (lane->state != LANE_PHASE)
            continue;
        /* Bulk copies are as late as can be: they come when someone waits. */
        if (barrier->phase == lane->mask && is_complete(barrier))
            end_phase(w, barrier);
        if (barrier->phase == lane->mask)
            continue;
        lane->state = LANE_READY;
        warps |= 1u << t / LANES;
    }
    return warps;
}
