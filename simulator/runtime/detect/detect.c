/**
 * @file detect.c
 * @brief The events that the detectors ask for, and which of them looks at
 * what.
 */
#include "detect.h"

static bool between_blocks; /* races of this launch are looked for */

static void launch_begins(void)
{
    between_blocks = sim_settings.search && sim_counting() &&
                     (sim_now.blocks > 1 || sim_streams || sim_any_pinned);
    if (!sim_now.first_block)
        sim_order_reset();
    sim_check_launch();
}

static void moved(uintptr_t start, size_t bytes, bool write)
{
    if (!sim_now.first_block)
        sim_order_reset();
    if (sim_settings.search && sim_counting())
        sim_check_moved(start, bytes, write);
}

static void share_begins(sim_worker *w)
{
    if (w->shadow)
        return;
    w->shadow = sim_new(sizeof *w->shadow);
    sim_crash_stack();
    if (w->counting)
        sim_shadow_open(w);
}

/** Nothing has been released yet. */
static void block_begins(sim_worker *w)
{
    w->shadow->releases = w->shadow->barrier_releases = 0;
    memset(w->shadow->epochs, 0, sizeof w->shadow->epochs);
}

static void request(sim_worker *w, const sim_request *r)
{
    unsigned space = access_space(r->first);
    if (!sim_settings.search)
        return;
    if (space == SPACE_SHARED)
        sim_check_shared(w, r);
    if (space != SPACE_GLOBAL && space != SPACE_CONSTANT)
        return;
    if (between_blocks && (space == SPACE_GLOBAL || sim_streams))
        sim_check_global(w, r); /* constants: copies may change them */
    if (space == SPACE_CONSTANT)
        return;
    if (sim_any_read_only)
        sim_check_read_only(w, r);
    /* The first lane stands for all: they are most often in one granule. */
    if (granule_of(access_address(r->first))->written == sim_now.serial)
        sim_check_block(w, r);
}

static void fence(sim_worker *w, unsigned warp, bool device)
{
    if (between_blocks && device)
        sim_order_fence(block_of(w), false);
    if (sim_settings.search)
        sim_block_fence(w, warp);
}

static void barrier(sim_worker *w, const sim_lane *first, uint32_t warps)
{
    (void)first;
    (void)warps;
    w->shadow->barrier_releases = w->shadow->releases;
    if (between_blocks)
        sim_order_fence(block_of(w), true);
}

static void release(sim_worker *w, uintptr_t address, unsigned bytes)
{
    w->shadow->releases++;
    if (!between_blocks || !w->stored)
        return;
    for (uintptr_t a = address & ~(uintptr_t)3; a < address + bytes; a += 4)
        sim_order_release(block_of(w), w->shadow->releases, a, !w->unfenced);
}

WATCHES void sim_detect_watch(void)
{
    static const sim_watcher watcher = {.freed = sim_check_freed,
                                        .moved = moved,
                                        .launch_begins = launch_begins,
                                        .share_begins = share_begins,
                                        .block_begins = block_begins,
                                        .request = request,
                                        .fence = fence,
                                        .barrier = barrier,
                                        .sync = sim_block_sync,
                                        .arrived = sim_block_arrive,
                                        .products_ended = sim_block_products,
                                        .phase_ended = sim_block_phase,
                                        .waited = sim_block_waited,
                                        .grid_sync = sim_order_reset,
                                        .signal = release,
                                        .refused = sim_check_refused,
                                        .uninitialised =
                                            sim_check_uninitialised,
                                        .copy_conflict = sim_check_copies};
    sim_watch(&watcher);
    sim_crash_watch();
}
