/**
 * @file kernels.h
 * @brief Launches of kernels by their address.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../include/cuda_runtime_api.h"

/**
 * Make a sim_job.
 *
 * @param params       kernel, grid, block, arguments; they are copied
 * @param cooperative  its blocks may wait for each other
 * @param cluster      blocks of a cluster; NULL: as the kernel says
 * @param launch       receives it; for free()
 * @param bytes        receives its size
 */
cudaError_t sim_launch_make(const struct cudaKernelNodeParams *params,
                            bool cooperative, const unsigned cluster[3],
                            void **launch, size_t *bytes);

#endif
