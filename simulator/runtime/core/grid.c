/**
 * @file grid.c
 * @brief Blocks that wait for their whole grid: cooperative launches.
 *
 * A worker runs one block at a time, in its thread-local variables. A block
 * that waits for its grid is set aside: its shared memory and its lanes are
 * copied; their stacks stay where they are. When every block of the grid
 * has come, each worker brings its own blocks back, one after the other, to
 * where they were. So a barrier of the grid costs two copies of each block.
 *
 * A block may also wait for a flag of a later one. So one that has looked at
 * flags for a while is set aside, too, and has its next turn when the others of
 * its worker have had theirs: all blocks of the grid go on, as on a GPU. In a
 * launch that is not cooperative, too, as long as no more have begun than a GPU
 * has room for: whoever waits for the rest waits for ever there.
 */
#define _GNU_SOURCE
#include <link.h>

#include "inside.h"

#define LOOK_AGAIN 0.05 /**< between two looks whether all ends (s) */

/** A block that was set aside. */
typedef struct sim_paused {
    struct sim_paused *next; /**< of the same worker, in their order */
    unsigned block[3];
    uint64_t block_number;
    uint32_t block_serial;
    bool unfenced;
    bool stored;
    bool looks;          /**< has a turn before the grid is together */
    char *static_bytes;  /**< its static shared memory */
    char *dynamic_bytes; /**< its dynamic shared memory */
    sim_saved_log saved[MAX_WARPS];
    sim_lane lanes[]; /**< its threads */
} sim_paused;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int idle;         /* workers that wait for the others */
static uint64_t phase;   /* that have ended, of all launches */
static uint64_t waiting; /* blocks in this phase */
static bool more;        /* blocks go on in the next phase */

/* ---- shared memory ------------------------------------------------------- */

/** Thread-local memory of a program. */
struct region {
    char *low;
    size_t bytes;
};

/** The first module is the program itself. */
static int find_region(struct dl_phdr_info *info, size_t size, void *region)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            *(struct region *)region = (struct region){
                info->dlpi_tls_data, info->dlpi_phdr[i].p_memsz};
    return 1;
}

/** Static shared memory of the calling worker. In plain mode nobody knows
 *  which thread-local variables it is made of: all are. */
static struct region static_memory(const sim_worker *w)
{
    struct region r = {(char *)w->shared_low, w->shared_bytes};
    if (!w->counting)
        dl_iterate_phdr(find_region, &r);
    return r;
}

/** Dynamic shared memory. */
static struct region dynamic_memory(const sim_worker *w)
{
    char *low = (char *)w->dynamic_low;
    return (struct region){low,
                           (size_t)(w->dynamic + w->dynamic_capacity - low)};
}

static char *copy_of(struct region r)
{
    char *copy = sim_grow(NULL, r.bytes + 1);
    memcpy(copy, r.low, r.bytes);
    return copy;
}

static void put_back(struct region r, char *copy)
{
    memcpy(r.low, copy, r.bytes);
    free(copy);
}

/* ---- setting aside ------------------------------------------------------- */

/** Does a lane wait for something else than the grid? */
static bool can_go_on(const sim_worker *w)
{
    for (unsigned t = 0; t < sim_now.threads; t++)
        if (w->lanes[t].state != LANE_DONE && w->lanes[t].state != LANE_GRID)
            return true;
    return false;
}

void sim_grid_pause(sim_worker *w)
{
    size_t bytes = sim_now.threads * sizeof(sim_lane);
    sim_paused *p = sim_grow(NULL, sizeof *p + bytes);
    *p = (sim_paused){.block_number = w->block_number,
                      .block_serial = w->block_serial,
                      .unfenced = w->unfenced,
                      .stored = w->stored,
                      .looks = can_go_on(w),
                      .static_bytes = copy_of(static_memory(w)),
                      .dynamic_bytes = copy_of(dynamic_memory(w))};
    memcpy(p->block, w->block, sizeof p->block);
    sim_async_move(w, -1);
    memcpy(p->lanes, w->lanes, bytes);
    memcpy(p->saved, w->saved, sizeof p->saved);
    memset(w->saved, 0, sizeof w->saved);
    for (unsigned t = 0; t < sim_now.threads; t++) {
        w->lanes[t].fiber = NULL; /* the next block needs its own */
        w->lanes[t].copies = NULL;
        w->lanes[t].stores = NULL;
    }
    sim_paused **end = &w->paused;
    while (*end)
        end = &(*end)->next;
    *end = p;
    w->same_looks = 0;
    if (p->looks) {
        atomic_fetch_add(&sim_now.aside, 1);
        return;
    }
    atomic_fetch_add(&sim_now.pauses, 1);
    pthread_mutex_lock(&lock);
    waiting++;
    pthread_mutex_unlock(&lock);
}

/** Bring a block back. */
static void resume(sim_worker *w, sim_paused *p)
{
    w->block_number = p->block_number;
    w->block_serial = p->block_serial;
    w->unfenced = p->unfenced;
    w->stored = p->stored;
    w->diverged = false;
    memcpy(w->block, p->block, sizeof p->block);
    memcpy(w->lanes, p->lanes, sim_now.threads * sizeof(sim_lane));
    put_back(static_memory(w), p->static_bytes);
    memcpy(w->saved, p->saved, sizeof w->saved);
    sim_async_move(w, 1);
    put_back(dynamic_memory(w), p->dynamic_bytes);
    free(p);
}

/* ---- phases -------------------------------------------------------------- */

/** Some blocks have returned and will never come. */
static void report_missing(void)
{
    sim_finding("warp-deadlock", (sim_place){0},
                "%s: %llu blocks wait for the whole grid, but %llu of its %llu "
                "blocks have returned",
                sim_now.name, (unsigned long long)waiting,
                (unsigned long long)atomic_load(&sim_now.done),
                (unsigned long long)sim_now.blocks);
    sim_abort(ABORT_ERROR, cudaErrorLaunchTimeout);
}

/** The last worker has come: what all blocks did lies behind them now. */
static void end_phase(void)
{
    if (waiting && atomic_load(&sim_now.done) && !atomic_load(&sim_now.abort))
        report_missing();
    more = waiting && !atomic_load(&sim_now.abort);
    idle = 0;
    waiting = 0;
    phase++;
    if (more) { /* for races: as in another launch */
        sim_now.serial++;
        sim_now.together++;
        RAISE(grid_sync);
    }
    pthread_cond_broadcast(&all_here);
}

/** Wait for the other workers. @return some block goes on */
static bool next_phase(void)
{
    pthread_mutex_lock(&lock);
    uint64_t now = phase;
    if (++idle == sim_now.workers)
        end_phase();
    while (phase == now)
        sim_wait_for(&all_here, &lock, LOOK_AGAIN);
    bool goes_on = more; /* as for all others: none is in a later phase */
    pthread_mutex_unlock(&lock);
    return goes_on;
}

/** Go on with a block, or give it up because the launch has ended. */
static void run_paused(sim_worker *w, sim_paused *p)
{
    bool together = !p->looks;
    if (p->looks)
        atomic_fetch_sub(&sim_now.aside, 1);
    resume(w, p);
    if (atomic_load(&sim_now.abort))
        sim_abandon_block(w);
    else if (sim_continue_block(w, together))
        atomic_fetch_add(&sim_now.done, 1);
    else
        sim_grid_pause(w);
}

/** Give blocks that look at flags a turn each, until all have ended or wait
 *  for the grid. */
static void run_looking(sim_worker *w)
{
    for (sim_paused **link = &w->paused; *link;) {
        sim_paused *p = *link;
        if (!p->looks) {
            link = &p->next;
            continue;
        }
        *link = p->next;
        p->next = NULL;
        run_paused(w, p); /* may append it to the end again */
    }
}

bool sim_grid_has_room(const sim_worker *w)
{
    return sim_now.cooperative || !w->paused ||
           atomic_load(&sim_now.aside) + (uint64_t)sim_now.workers <=
               sim_now.resident;
}

bool sim_grid_turn(sim_worker *w)
{
    sim_paused *p = w->paused;
    if (!p || sim_now.cooperative)
        return false;
    w->paused = p->next;
    p->next = NULL;
    run_paused(w, p);
    return true;
}

void sim_grid_run(sim_worker *w)
{
    bool goes_on;
    do {
        run_looking(w);
        goes_on = next_phase();
        sim_paused *list = w->paused;
        w->paused = NULL;
        for (sim_paused *p = list, *next; p; p = next) {
            next = p->next;
            p->next = NULL;
            run_paused(w, p);
        }
    } while (goes_on);
}

/* ---- what kernels call --------------------------------------------------- */

bool sim_is_cooperative(void)
{
    return sim_now.cooperative;
}

void sim_wait_grid(const char *file, int line, uint32_t site)
{
    sim_worker *w = sim_self;
    sim_lane *lane = sim_stop_at(file, line, site);
    if (!lane)
        return; /* called by host code */
    if (!sim_now.cooperative) {
        sim_finding(
            "launch-limits", sim_place_of(w, lane),
            "%s: a barrier of the grid needs cudaLaunchCooperativeKernel()",
            sim_now.name);
        sim_end_launch(w, cudaErrorLaunchFailure);
    }
    sim_yield(w, LANE_GRID);
}
