/**
 * @file launch.h
 * @brief Launches that are kept for later.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "../include/cuda_runtime_api.h"

/**
 * Make a launch that sim_launch_now() can run, of a kernel by its address.
 *
 * @param params       kernel, grid, block, arguments; they are copied
 * @param cooperative  its blocks may wait for each other
 * @param launch       receives it; for free()
 * @param bytes        receives its size
 */
cudaError_t sim_launch_make(const struct cudaKernelNodeParams *params,
                            bool cooperative, void **launch, size_t *bytes);

/**
 * Run such a launch: a sim_work_fn.
 *
 * It returns when the launch has ended, or when its kernel waits for the host:
 * then the launch goes on, and no other one can begin before its end.
 */
cudaError_t sim_launch_now(void *launch);

/** Does a launch go on? */
bool sim_launch_goes_on(void);

/** Wait for its end. */
void sim_launch_finish(void);

#endif
