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
 */
#ifndef WORKER_H
#define WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fiber.h"
#include "memory.h"

#define LANES 32            /**< lanes of a warp */
#define MAX_THREADS 1024    /**< threads of a block */
#define MAX_WARPS 32        /**< warps of a block */
#define LOG_ROWS 256        /**< accesses of a lane between two merges */
#define DEPTH_SHIFT 24      /**< of the call depth in a key */
#define SITE_MASK 0xffffffu /**< of the site in a key */
#define MAX_DEPTH 127       /**< calls that are told apart */

/* ---- the log ------------------------------------------------------------- */

/**
 * An access is 64 bits: 48 of address (in shared memory: the offset) and
 * above them what was done.
 */
#define ADDRESS_BITS 48
#define ADDRESS_MASK ((UINT64_C(1) << ADDRESS_BITS) - 1)
#define SIZE_SHIFT 48    /**< bytes, 1 to 16: 5 bits */
#define OP_SHIFT 53      /**< OP_LOAD ... : 2 bits */
#define SPACE_SHIFT 55   /**< SPACE_GLOBAL ... : 2 bits */
#define FLAVOUR_SHIFT 57 /**< FLAVOUR_...: 3 bits */

enum { OP_LOAD, OP_STORE, OP_ATOMIC };
enum { SPACE_GLOBAL, SPACE_SHARED, SPACE_CONSTANT, SPACE_NONE };
enum {
    FLAVOUR_VOLATILE = 1,  /**< loads and stores: orders blocks */
    FLAVOUR_COUNT = 1,     /**< atomics: adds the constant 1, result unused */
    FLAVOUR_FLOAT = 2,     /**< atomics: a compare-and-swap loop in hardware */
    FLAVOUR_OVERWRITE = 3, /**< atomics: an exchange, result unused */
    FLAVOUR_KIND = 3,      /**< atomics: mask of the above */
    FLAVOUR_USED = 4       /**< atomics: the program looks at the result */
};

/** The bits above the address. */
#define ACCESS(space, op, bytes)                                               \
    ((uint64_t)(space) << SPACE_SHIFT | (uint64_t)(op) << OP_SHIFT |           \
     (uint64_t)(bytes) << SIZE_SHIFT)

/** Address, or offset in shared memory. */
static inline uint64_t access_address(uint64_t access)
{
    return access & ADDRESS_MASK;
}

/** Bytes of one lane. */
static inline unsigned access_bytes(uint64_t access)
{
    return access >> SIZE_SHIFT & 31;
}

/** OP_LOAD, OP_STORE, OP_ATOMIC. */
static inline unsigned access_op(uint64_t access)
{
    return access >> OP_SHIFT & 3;
}

/** SPACE_... */
static inline unsigned access_space(uint64_t access)
{
    return access >> SPACE_SHIFT & 3;
}

/** FLAVOUR_... */
static inline unsigned access_flavour(uint64_t access)
{
    return access >> FLAVOUR_SHIFT & 7;
}

/** Does it depend on what was there? */
static inline bool access_reads(uint64_t access)
{
    return access_op(access) == OP_LOAD ||
           (access_op(access) == OP_ATOMIC &&
            access_flavour(access) != FLAVOUR_OVERWRITE);
}

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

/** For each lane l whose bit in @p mask is set. */
#define FOR_EACH_LANE(l, mask)                                                 \
    for (uint32_t left_ = (mask), l;                                           \
         left_ && (l = (uint32_t)__builtin_ctz(left_), true);                  \
         left_ &= left_ - 1)

/** What a lane is doing. */
typedef enum {
    LANE_NEW,     /**< not started */
    LANE_READY,   /**< can go on */
    LANE_FULL,    /**< its column of the log is full */
    LANE_BARRIER, /**< waits for its block */
    LANE_WARP,    /**< waits for other lanes of its warp */
    LANE_DONE     /**< returned from the kernel */
} sim_lane_state;

/** One GPU thread. */
typedef struct {
    sim_fiber *fiber;     /**< NULL before it starts and after it ends */
    sim_lane_state state; /**< see above */
    uint16_t x;           /**< threadIdx */
    uint16_t y;           /**< threadIdx */
    uint16_t z;           /**< threadIdx */
    uint32_t logged;      /**< entries in its column of the log */
    uint32_t depth;       /**< device functions that it is inside */
    uint32_t site;        /**< where it waits, 0: unknown */
    const char *file;     /**< where it waits */
    int line;             /**< where it waits */
    int op;               /**< barrier or warp operation that it waits for */
    unsigned mask;        /**< lanes that must come */
    uint64_t value;       /**< its contribution */
    uint64_t result;      /**< what it gets */
    int source;           /**< of a shuffle */
    int width;            /**< of a shuffle */
} sim_lane;

/* ---- launches ------------------------------------------------------------ */

/** Why a launch ends before its time. */
typedef enum {
    ABORT_NO,
    ABORT_ERROR,  /**< a finding ended it */
    ABORT_TIMEOUT /**< no block finished for too long */
} sim_abort;

/** What all workers share. */
typedef struct {
    unsigned grid[3];      /**< gridDim */
    unsigned block[3];     /**< blockDim */
    unsigned threads;      /**< per block */
    size_t dynamic_bytes;  /**< dynamic shared memory */
    void (*run)(void *);   /**< calls the kernel */
    void *args;            /**< for run */
    const char *name;      /**< of the kernel, for people */
    const char *file;      /**< of the launch */
    int line;              /**< of the launch */
    uint64_t blocks;       /**< in the grid */
    uint32_t serial;       /**< number of this launch, from 1 */
    bool check_global;     /**< look for races between blocks */
    _Atomic uint64_t next; /**< first block that nobody has taken */
    _Atomic uint64_t done; /**< finished blocks */
    _Atomic int abort;     /**< sim_abort */
    _Atomic int error;     /**< cudaError_t that the launch ends with */
} sim_launch_state;

/** The launch that runs; one at a time. */
extern sim_launch_state sim_now;

/* ---- workers ------------------------------------------------------------- */

typedef struct sim_shared_cell sim_shared_cell; /**< see check_shared.c */
typedef struct sim_stat sim_stat;               /**< see count.h */

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
    uintptr_t shared_low;  /**< static shared memory: this thread's arrays */
    size_t shared_bytes;   /**< from the first to the end of the last */
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
    uint16_t warp_epoch[MAX_WARPS]; /**< grows with each __syncwarp */
    uint32_t epoch;                 /**< grows with each barrier */
    uint32_t block_serial;          /**< grows with each block */
    sim_shared_cell *cells;         /**< shadow of shared memory, per word */
    sim_shared_cell *byte_cells;    /**< the same per byte, where needed */
    uint8_t *array_map;             /**< per word: bytes inside shared arrays */
    uint32_t *settled;       /**< per word: epoch in which reads are known */
    size_t shared_words;     /**< of static and dynamic memory together */
    char *dynamic;           /**< mapping of dynamic shared memory */
    size_t dynamic_capacity; /**< bytes of it */
    sim_stat *stats;         /**< per site, space and operation */
    uint64_t barriers;       /**< warps at barriers */
    uint64_t spins;          /**< atomics since the last yield */
    int number;              /**< 0 and up */
} sim_worker;

/** The worker that is this OS thread; a dummy on all others. */
extern _Thread_local sim_worker *sim_self;

/** Index of the running lane in its block. */
static inline unsigned lane_index(const sim_worker *w, const sim_lane *lane)
{
    return (unsigned)(lane - w->lanes);
}

/** Stop the running lane in @p state until the scheduler resumes it. */
void sim_yield(sim_worker *w, sim_lane_state state);

/** End the launch from inside a kernel, with a cudaError_t. */
_Noreturn void sim_end_launch(sim_worker *w, int error);

/** Merge the log of warp @p warp and count and check its requests.
 *  @param all  also what lanes that are not full may still join */
void sim_merge(sim_worker *w, unsigned warp, bool all);

/** Complete the warp operations for which all lanes have come.
 *  @return any was completed */
bool sim_warp_complete(sim_worker *w, unsigned warp);

/** Run all threads of one block. */
void sim_run_block(sim_worker *w, uint64_t block);

/** Upper part of the keys of a lane inside @p depth device functions. */
static inline uint32_t level_of(uint32_t depth)
{
    return depth < MAX_DEPTH ? (MAX_DEPTH - depth) << DEPTH_SHIFT : 0;
}

/** Where a lane waits or was last seen, as text. */
const char *sim_lane_place(const sim_lane *lane);

/** What each warp of the block waits for, as text. @return length */
size_t sim_describe_waiting(const sim_worker *w, char *text, size_t bytes);

/** "thread (2,3,0) of block (1,0,0)": the running lane. @return as
 *  sim_format() */
const char *sim_here(const sim_worker *w);

/** "(2,3,0)" of thread @p index of the block. @return as sim_format() */
const char *sim_thread_text(const sim_worker *w, unsigned index);

/** printf into one of a few buffers that take turns. */
const char *sim_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
