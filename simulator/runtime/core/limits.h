/**
 * @file limits.h
 * @brief The numbers of the made-up device, and the statuses of a program.
 *
 * The device is an H200, which is what the counters are calibrated on, apart
 * from its name and the size of its memory.
 */
#ifndef LIMITS_H
#define LIMITS_H

#include <stddef.h>

#define KIB 1024
#define MIB (KIB * KIB)

/* ---- a warp, a block, a grid --------------------------------------------- */

#define LANES 32         /**< lanes of a warp */
#define MAX_THREADS 1024 /**< threads of a block */
#define MAX_WARPS 32     /**< warps of a block */
#define MAX_BLOCK                                                              \
    {                                                                          \
        1024, 1024, 64                                                         \
    }                      /**< blockDim */
#define MOST_OF_CLUSTER 16 /**< blocks of a cluster, if the kernel says so */
#define PORTABLE_CLUSTER 8 /**< the same without asking for more */
#define MAX_GRID                                                               \
    {                                                                          \
        0x7fffffff, 65535, 65535                                               \
    } /**< gridDim */

/* ---- shared memory (bytes) ----------------------------------------------- */

#define SHARED_PER_SM (228 * KIB)    /**< of a multiprocessor */
#define SHARED_RESERVED KIB          /**< of each block, for the system */
#define SHARED_PER_BLOCK (227 * KIB) /**< static and dynamic together */
#define SHARED_DEFAULT (48 * KIB)    /**< the same without asking for more */

/* ---- a multiprocessor ---------------------------------------------------- */

#define MULTIPROCESSORS 132
#define THREADS_PER_SM 2048
#define BLOCKS_PER_SM 32
#define REGISTERS_PER_SM 65536
#define ASSUMED_REGISTERS 32 /**< of a thread: nobody counts them here */

/** Blocks that a multiprocessor has room for.
 *  @param registers  of a thread
 *  @param shared     memory of a block (bytes) */
static inline int sim_resident_blocks(int threads, int registers, size_t shared)
{
    int warps = (threads + LANES - 1) / LANES;
    int blocks = BLOCKS_PER_SM;
    int by_threads = THREADS_PER_SM / LANES / warps;
    int granted = (registers + 7) / 8 * 8; /* registers come in eights */
    int by_registers = REGISTERS_PER_SM / (warps * LANES * granted);
    int by_shared = (int)(SHARED_PER_SM / (shared + SHARED_RESERVED));
    blocks = by_threads < blocks ? by_threads : blocks;
    blocks = by_registers < blocks ? by_registers : blocks;
    return by_shared < blocks ? by_shared : blocks;
}

/* ---- exit statuses ------------------------------------------------------- */

#define STATUS_FAILED 1  /**< no memory, or what no simulator can do */
#define STATUS_USAGE 2   /**< a variable of the environment makes no sense */
#define STATUS_FINDING 5 /**< a finding, where it would have been 0 */

#endif
