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

/** Run such a launch to its end: a sim_work_fn. */
cudaError_t sim_launch_now(void *launch);

#endif
