/**
 * @file launch.h
 * @brief Launches, one at a time, and what state they leave the device in.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "../../include/cuda_runtime_api.h"
#include "sites.h"

/** A launch as it can be recorded; the arguments follow. */
typedef struct {
    unsigned grid[3];       /**< gridDim */
    unsigned block[3];      /**< blockDim */
    unsigned cluster[3];    /**< blocks of a cluster */
    size_t dynamic_bytes;   /**< dynamic shared memory */
    size_t args_bytes;      /**< of args */
    const void *kernel;     /**< by its address; NULL: run knows it */
    void (*run)(void *);    /**< calls it */
    bool cooperative;       /**< its blocks may wait for each other */
    const char *expression; /**< what the program calls it */
    const char *file;       /**< of the launch */
    int line;               /**< of the launch */
    _Alignas(16) unsigned char args[];
} sim_job;

/** What is known about its kernel; NULL: nothing. */
const sim_kernel_info *sim_kernel_of(const sim_job *job);

/**
 * Run a launch.
 *
 * It returns when the launch has ended, or when its kernel waits for the host:
 * then the launch goes on, and no other one can begin before its end.
 *
 * @param job    a sim_job
 */
cudaError_t sim_launch_now(void *job);

/** A copy begins, or other work without a kernel: a launch of one block to who
 *  looks for what overlaps. */
void sim_copy_begins(const char *name);

/** Does a launch go on? */
bool sim_launch_goes_on(void);

/** Wait for its end. */
void sim_launch_finish(void);

/** A kernel has failed: from now on every call returns @p error. */
void sim_set_sticky(cudaError_t error);

/** The error that stays, or cudaSuccess. */
cudaError_t sim_sticky(void);

/** A remark on stderr, unless it is said already, or the program has asked for
 *  none (sim_on_progress()). */
void sim_remark_once(const char *what, atomic_bool *said);

/** The profiler's range of launches opens, or closes. */
void sim_range(bool open);

#endif
