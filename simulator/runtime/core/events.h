/**
 * @file events.h
 * @brief What the core tells those who watch a program: count/ and detect/.
 *
 * The core runs kernels and knows nobody who looks on. A watcher is a table of
 * functions; before main() begins it gives itself to sim_watch(). To see
 * something new, add an event here, raise it in the core, and fill it in above.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include "worker.h"

/** A request: what lanes of a warp access together, all of one space, operation
 *  and size. */
typedef struct {
    const uint64_t *access; /**< of each lane; see access.h */
    uint64_t first;         /**< of the lowest active lane */
    uint32_t mask;          /**< active lanes */
    uint32_t site;          /**< place in the source */
    unsigned warp;          /**< in the block */
    sim_pattern pattern;    /**< how the addresses lie */
} sim_request;

/** What a watcher is told; NULL: it does not ask. */
typedef struct {
    /** Device memory is there from now on. */
    void (*opened)(void);
    /** A buffer of device memory is freed. */
    void (*freed)(uintptr_t start, size_t bytes);
    /** The program has streams, and host code copies to this memory of the
     *  device (@p write) or from it, when sim_now.first_block says. */
    void (*moved)(uintptr_t start, size_t bytes, bool write);
    /** A launch begins, as sim_now says; no worker runs. */
    void (*launch_begins)(void);
    /** A worker begins its share of it, on its own OS thread. */
    void (*share_begins)(sim_worker *w);
    /** A block begins, or goes on after it was set aside. */
    void (*block_begins)(sim_worker *w);
    /** A warp accesses memory. */
    void (*request)(sim_worker *w, const sim_request *r);
    /** Lanes of a warp execute a fence of the device or of the block, behind
     * the requests that came before. */
    void (*fence)(sim_worker *w, unsigned warp, bool device);
    /** Lanes enter a basic block, in a launch that is counted. */
    void (*code)(sim_worker *w, uint32_t mask, uint32_t site);
    /** All lanes of some warps, a bit for each, pass a barrier of the block;
     *  @p first is one of them. */
    void (*barrier)(sim_worker *w, const sim_lane *first, uint32_t warps);
    /** Lanes of a warp have waited for each other in a __syncwarp. */
    void (*sync)(sim_worker *w, unsigned warp, uint32_t lanes);
    /** A thread arrives at a barrier that is an object, perhaps for others. */
    void (*arrived)(sim_worker *w, unsigned thread);
    /** All blocks have waited for each other. */
    void (*grid_sync)(void);
    /** The running lane is about to write what others may take for a signal:
     *  by an atomic or a volatile store to global memory. */
    void (*signal)(sim_worker *w, uintptr_t address, unsigned bytes);
    /** It is about to touch what it may not, or what is not @p aligned: the
     *  launch ends. @p address is in device memory (SPACE_GLOBAL), an offset
     *  near shared memory (SPACE_SHARED), or the host's (SPACE_NONE). */
    void (*refused)(sim_worker *w, unsigned space, uint64_t address,
                    bool aligned, unsigned bytes, unsigned op, uint32_t site);
    /** It reads from a buffer that has not been written completely; @p what:
     *  the bits of the access above its address. */
    void (*uninitialised)(sim_worker *w, uintptr_t address, uint64_t what,
                          uint32_t site);
    /** It touches shared memory while copies to the block's are under way. */
    void (*copy_conflict)(sim_worker *w, uint64_t offset, unsigned bytes,
                          unsigned op, uint32_t site);
    /** The running lane has waited for its copies; @p left groups go on. */
    void (*copies_waited)(sim_worker *w, unsigned left);
    /** The copy engine moves @p bytes to shared memory (OP_LOAD) or from it;
     *  they lie in @p sectors of global memory. */
    void (*bulk)(sim_worker *w, unsigned op, uint64_t bytes, uint64_t sectors);
    /** The tensor cores have made @p fma multiply-adds for a warp. */
    void (*product)(sim_worker *w, uint64_t fma);
    /** The launch has ended; @p count workers had a share. */
    void (*launch_ends)(sim_worker *const *workers, int count);
    /** The profiler's range opens, or closes. */
    void (*range)(bool open);
} sim_watcher;

#define MOST_WATCHERS 3

/** For each event, those who ask for it: from the first entry on, and NULL in
 *  the one behind the last. */
extern sim_watcher sim_watchers[MOST_WATCHERS + 1];

/** Tell @p watcher of all that happens, after those that came before. */
void sim_watch(const sim_watcher *watcher);

/** Tell whoever asks: RAISE(barrier, w, first, warps). */
#define RAISE(event, ...)                                                      \
    do                                                                         \
        for (const sim_watcher *watcher_ = sim_watchers; watcher_->event;      \
             watcher_++)                                                       \
            watcher_->event(__VA_ARGS__);                                      \
    while (0)

/** Calls sim_watch() before anything of the core begins. */
#define WATCHES __attribute__((constructor(200)))

#endif
