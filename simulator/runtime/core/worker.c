/**
 * @file worker.c
 * @brief What a lane that runs can do: wait, end the launch, say who it is.
 */
#include "inside.h"

sim_launch_state sim_now;

sim_watcher sim_watchers[MOST_WATCHERS + 1];

void sim_watch(const sim_watcher *watcher)
{
    typedef void (*event)(void); /* of any kind: only copied */
    for (size_t at = 0; at < sizeof *watcher; at += sizeof(event)) {
        const event *wanted = (const void *)((const char *)watcher + at);
        event *last = (void *)((char *)sim_watchers + at);
        while (*last)
            last += sizeof *watcher / sizeof(event);
        *last = *wanted;
    }
}

/** What hooks find on an OS thread that runs no kernel: no memory at all. */
static sim_worker outside = {.arena = (uintptr_t)1 << 63};
_Thread_local sim_worker *sim_self = &outside;

void sim_abort(sim_abort_reason reason, int error)
{
    int none = 0; /* cudaSuccess */
    atomic_compare_exchange_strong(&sim_now.error, &none, error);
    atomic_store(&sim_now.abort, reason);
}

void sim_yield(sim_worker *w, sim_lane_state state)
{
    sim_lane *lane = w->lane;
    lane->state = state;
    lane->logged = w->logged;
    lane->depth = w->depth;
    if (state == LANE_FULL) { /* for reports: the latest entry */
        lane->site = w->key[w->logged - 1] & SITE_MASK;
        lane->file = NULL;
    }
    sim_fiber_switch(&lane->fiber->stack_pointer, w->scheduler);
}

void sim_end_launch(sim_worker *w, int error)
{
    sim_abort(ABORT_ERROR, error);
    w->lane->state = LANE_DONE;
    sim_fiber_reset(&w->fibers, w->lane->fiber);
    void *nowhere; /* nobody comes back here */
    sim_fiber_switch(&nowhere, w->scheduler);
    abort();
}

const char *sim_thread_text(const sim_worker *w, unsigned index)
{
    const sim_lane *lane = &w->lanes[index];
    if (index == STRANGER)
        return "of another block";
    return sim_format("(%u,%u,%u)", lane->x, lane->y, lane->z);
}

const char *sim_block_text(const sim_worker *w)
{
    return sim_format("block (%u,%u,%u)", w->block[0], w->block[1],
                      w->block[2]);
}

const char *sim_who(const sim_worker *w, unsigned thread)
{
    return thread == STRANGER
               ? "a thread of another block"
               : sim_format("thread %s of %s", sim_thread_text(w, thread),
                            sim_block_text(w));
}

const char *sim_here(const sim_worker *w)
{
    return sim_who(w, lane_index(w, w->lane));
}
