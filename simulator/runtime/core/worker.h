/**
 * @file worker.h
 * @brief The state of a launch, of the OS threads that run it, of its lanes.
 *
 * A launch is a grid of blocks. Each worker (an OS thread) takes one block
 * after the other and runs all its GPU threads as fibers. A warp is 32
 * successive threads of a block, here called its lanes.
 *
 * What an instrumented kernel does is written to the worker's log: a column for
 * each lane of the warp that runs at the moment. If all lanes do the same, the
 * i-th entries of all columns are one instruction of the warp.
 *
 * The functions are in worker.c: what every other file may do with a worker.
 */
#ifndef WORKER_H
#define WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/sim.h"
#include "access.h"
#include "fiber.h"
#include "limits.h"
#include "memory.h"

#define LOG_ROWS 256        /**< accesses of a lane between two merges */
#define DEPTH_SHIFT 24      /**< of the call depth in a key */
#define SITE_MASK 0xffffffu /**< of the site in a key */
#define MAX_DEPTH 127       /**< calls that are told apart */

#define NUMBERED_BARRIERS 16 /**< of a block */
#define MAX_CONSTANTS 8      /**< parameters that are __grid_constant__ */
#define STRANGER 0xffff      /**< a thread of another block of the cluster */

/* ---- the log ------------------------------------------------------------- */

/** Room behind a column, so that the columns of the lanes do not all lie on
 *  the same lines of the cache (bytes). */
#define COLUMN_GAP 64

/**
 * The accesses of one warp: a column for each lane.
 *
 * A key is the site, and above it 127 minus the call depth: among the next
 * entries of all lanes, the one with the smallest key comes first. An entry
 * that marks a basic block has a key only.
 */
typedef struct {
    uint64_t access[LANES][LOG_ROWS + COLUMN_GAP / sizeof(uint64_t)];
    uint32_t key[LANES][LOG_ROWS + COLUMN_GAP / sizeof(uint32_t)];
} sim_log;

/* ---- lanes --------------------------------------------------------------- */

/** What a lane is doing. */
typedef enum {
    LANE_NEW,     /**< not started */
    LANE_READY,   /**< can go on */
    LANE_FULL,    /**< its column of the log is full */
    LANE_BARRIER, /**< waits for its block */
    LANE_WARP,    /**< waits for other lanes of its warp */
    LANE_TILE,    /**< waits for a part of its block; see wait.h */
    LANE_ARRIVE,  /**< what it did is merged, then it arrives at a barrier */
    LANE_PHASE,   /**< waits for a phase of a barrier to end */
    LANE_CLUSTER, /**< waits for its cluster; see cluster.h */
    LANE_GRID,    /**< waits for its grid; see grid.h */
    LANE_DONE     /**< returned from the kernel */
} sim_lane_state;

/** One GPU thread. What each block sets and reads comes first. */
typedef struct {
    sim_fiber *fiber;       /**< NULL before it starts and after it ends */
    sim_lane_state state;   /**< see above */
    uint16_t x;             /**< threadIdx */
    uint16_t y;             /**< threadIdx */
    uint16_t z;             /**< threadIdx */
    uint32_t logged;        /**< entries in its column of the log */
    uint32_t depth;         /**< device functions that it is inside */
    uint32_t cluster_phase; /**< it has arrived for, of its cluster's barrier */
    uint32_t site;          /**< where it waits, 0: unknown */
    const char *file;       /**< where it waits */
    int line;               /**< where it waits */
    int op;                 /**< barrier or warp operation that it waits for */
    unsigned mask;          /**< lanes that must come */
    uint64_t value;         /**< its contribution */
    uint64_t result;        /**< what it gets */
    int source;             /**< of a shuffle */
    int width;              /**< of a shuffle */
    void *object; /**< sim_mbarrier that it arrives at or waits for; NULL: its
                       cluster's barrier */
    const void *shown;        /**< see sim_lane_show() */
    struct sim_copy *copies;  /**< under way; see async.c */
    uint32_t copy_group;      /**< number of the group that is open */
    struct sim_store *stores; /**< of boxes, under way; see tma.c */
    uint32_t store_group;     /**< as copy_group */
    uint32_t proxy_clock; /**< of its last fence.proxy.async: it covers what was
                               before */
    uint32_t init_fence_clock;    /**< the same of barriers; or
                                       fence.mbarrier_init */
    uint16_t registers;           /**< see registers.h; 0: not said */
    uint32_t registers_site;      /**< where it was said */
    struct sim_wgmma_lane *wgmma; /**< products under way; see wgmma.c */
} sim_lane;

/* ---- launches ------------------------------------------------------------ */

/** Why a launch ends before its time. */
typedef enum {
    ABORT_NO,
    ABORT_ERROR,  /**< a finding ended it */
    ABORT_TIMEOUT /**< no block finished for too long */
} sim_abort_reason;

/** What all workers share. */
typedef struct {
    unsigned grid[3];        /**< gridDim */
    unsigned block[3];       /**< blockDim */
    unsigned threads;        /**< per block */
    unsigned cluster[3];     /**< blocks of a cluster */
    unsigned cluster_blocks; /**< all of them */
    size_t dynamic_bytes;    /**< dynamic shared memory */
    size_t local_bytes;      /**< arrays of a thread in local memory */
    bool cooperative;        /**< its blocks may wait for each other */
    void (*run)(void *);     /**< calls the kernel */
    void *args;              /**< for run */
    size_t args_bytes;       /**< the kernel's parameters */
    const char *name;        /**< of the kernel, for people */
    const char *file;        /**< of the launch */
    int line;                /**< of the launch */
    uint64_t blocks;         /**< in the grid */
    int workers;             /**< OS threads that run them */
    uint32_t serial;         /**< number of this launch, from 1 */
    uint32_t together;       /**< the same of launches that may overlap */
    uint64_t first_block;    /**< see sim_turn_begin() */
    unsigned range;          /**< the profiler's that is open; 0: none */
    bool counted;            /**< somebody counts it */
    _Atomic uint64_t next;   /**< first block that nobody has taken */
    _Atomic uint64_t done;   /**< finished blocks */
    _Atomic uint64_t pauses; /**< times that a block waited for the grid */
    _Atomic bool asks_host;  /**< it looks at a flag that the host may set */
    _Atomic bool shares;     /**< it has used operations that the host sees */
    _Atomic int abort;       /**< sim_abort_reason */
    _Atomic int error;       /**< cudaError_t that the launch ends with */
} sim_launch_state;

/** The launch that runs; one at a time. */
extern sim_launch_state sim_now;

/** Lanes of warp @p warp of a block: 32, fewer in the last one. */
static inline unsigned lanes_of(unsigned warp)
{
    unsigned left = sim_now.threads - warp * LANES;
    return left < LANES ? left : LANES;
}

/** Let all workers leave the launch. The first error is the one that counts.
 *  @param error  cudaError_t */
void sim_abort(sim_abort_reason reason, int error);

/* ---- workers ------------------------------------------------------------- */

/** The log of a warp that had to make room for another warp. */
typedef struct {
    sim_log *log;           /**< NULL: none */
    uint32_t logged[LANES]; /**< entries of each lane */
} sim_saved_log;

/** One OS thread. First what hooks touch: three cache lines. */
typedef struct sim_worker {
    uintptr_t arena;       /**< start of device memory */
    sim_granule *granules; /**< its table of allocations */
    uint64_t *access;      /**< column of the running lane */
    uint32_t *key;         /**< column of the running lane */
    uint32_t logged;       /**< entries in it */
    uint32_t level;        /**< upper part of keys, from depth */
    uint32_t depth;        /**< device functions that the lane is inside */
    bool counting;         /**< hooks are in the program */
    bool unfenced;         /**< a global store since the last __threadfence */
    bool diverged;         /**< a barrier of this block was reported */
    bool stored;           /**< a global store or a fence in this block */
    bool resumed;          /**< this block has waited for its grid */
    uintptr_t shared_low;  /**< static shared memory: this thread's arrays */
    size_t shared_bytes;   /**< from the first to the end of the last */
    size_t shared_fast;    /**< the same; 0 while copies are under way */
    uintptr_t dynamic_low; /**< dynamic shared memory */
    size_t dynamic_bytes;  /**< as the launch asks for it */
    size_t dynamic_offset; /**< of dynamic in the block's shared memory */
    uintptr_t stack_low;   /**< stack of the running fiber */
    size_t stack_bytes;    /**< of it */
    sim_lane *lane;        /**< that runs; NULL: none does */
    unsigned block[3];     /**< blockIdx */
    uint64_t block_number; /**< the same, as one number */

    sim_log *log;                   /**< of the running warp */
    unsigned log_warp;              /**< that warp */
    void *scheduler;                /**< stack pointer of the worker itself */
    sim_fiber_pool fibers;          /**< for the lanes */
    sim_lane *lanes;                /**< of the block, [MAX_THREADS] */
    sim_saved_log saved[MAX_WARPS]; /**< logs of warps that were set aside */
    uint32_t clock;                 /**< of the block: grows with each barrier,
                                         __syncwarp, fence, arrival */
    uint32_t barrier_clock;         /**< of the last barrier */
    uint32_t phase_clock;     /**< the same, if it was a phase of an object: it
                                   orders who has arrived; see wait.c */
    uint32_t full_clock;      /**< of the last one before these */
    uint32_t block_serial;    /**< grows with each block */
    uint32_t registers_block; /**< the last one with setmaxnreg */
    char *dynamic;            /**< mapping of dynamic shared memory */
    size_t dynamic_capacity;  /**< bytes of it */
    uint64_t looks;           /**< atomics and volatile loads so far */
    unsigned clock_reads;     /**< by the running lane, since it was resumed */
    uint32_t in_flight;       /**< copies under way in this block */
    uint16_t *flight; /**< per byte of shared memory: copies to it, and from
                           it (FLIGHT_SOURCE) */
    sim_mbarrier *barriers; /**< of PTX, per 8 bytes of shared memory */
    sim_mbarrier numbered[NUMBERED_BARRIERS]; /**< of bar.sync */
    struct sim_copy *unused;                  /**< for new ones; see async.c */
    struct sim_cluster *cluster; /**< that it runs with others; cluster.c */
    unsigned rank;               /**< of its block in there */
    uint32_t clusters_run;       /**< with the one that runs */
    bool ended;                  /**< its block has, others may go on */
    struct sim_paused *paused;   /**< blocks that wait for their grid; grid.c */
    /** The kernel's parameters that are __grid_constant__, the same of all
     *  lanes: how far inside of a stack, and how many bytes. */
    struct {
        size_t depth, bytes;
    } constants[MAX_CONSTANTS];
    unsigned constant_count;   /**< of them, in this block */
    int number;                /**< 0 and up */
    struct sim_sums *sums;     /**< what count/ keeps */
    struct sim_shadow *shadow; /**< what detect/ keeps */
} sim_worker;

/** The worker that is this OS thread; a dummy on all others. */
extern _Thread_local sim_worker *sim_self;

/** Clock of the last barrier that orders all that the block's threads did. */
static inline uint32_t full_barrier_clock(const sim_worker *w)
{
    return w->barrier_clock == w->phase_clock ? w->full_clock
                                              : w->barrier_clock;
}

/** Index of the running lane in its block. */
static inline unsigned lane_index(const sim_worker *w, const sim_lane *lane)
{
    return (unsigned)(lane - w->lanes);
}

/** Upper part of the keys of a lane inside @p depth device functions. */
static inline uint32_t level_of(uint32_t depth)
{
    return depth < MAX_DEPTH ? (MAX_DEPTH - depth) << DEPTH_SHIFT : 0;
}

/** Stop the running lane in @p state until the scheduler resumes it. */
void sim_yield(sim_worker *w, sim_lane_state state);

/** The running lane, which comes to a place in the source where it may wait.
 *  @return NULL: called by host code */
static inline sim_lane *sim_stop_at(const char *file, int line, uint32_t site)
{
    sim_lane *lane = sim_self->lane;
    if (lane) {
        lane->file = file;
        lane->line = line;
        lane->site = site;
    }
    return lane;
}

/** End the launch from inside a kernel, with a cudaError_t. */
_Noreturn void sim_end_launch(sim_worker *w, int error);

/** "block (1,0,0)". @return as sim_format() */
const char *sim_block_text(const sim_worker *w);

/** "thread (2,3,0) of block (1,0,0)". @return as sim_format() */
const char *sim_who(const sim_worker *w, unsigned thread);

/** The same of the running lane. */
const char *sim_here(const sim_worker *w);

/** "(2,3,0)" of thread @p index of the block. @return as sim_format() */
const char *sim_thread_text(const sim_worker *w, unsigned index);

#endif
