/**
 * @file floor.cu
 * @brief The kernels that read and copy fastest of those that were tried.
 *
 * A few bytes at the end that make no float4 are left out.
 */
#include <stdint.h>

#include "internal.h"

#define READERS 256       /**< threads of a block that reads */
#define LOADS 16          /**< 16-byte loads of a thread under way at a time */
#define BLOCKS_PER_SM 64  /**< at most, of the grid that reads */
#define COPIERS 512       /**< threads of a block that copies */
#define NEVER 0x7fc12345u /**< bits that the sum below does not have */

__device__ unsigned floor_sink;

/** Launch: block READERS, any grid. */
static __global__ void read_kernel(const uint4 *x, int64_t count)
{
    const int64_t tile = READERS * LOADS;
    unsigned bits = 0;
    for (int64_t first = blockIdx.x * tile; first < count;
         first += gridDim.x * tile) {
        uint4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            int64_t i = first + k * READERS + threadIdx.x;
            v[k] = i < count ? x[i] : make_uint4(0, 0, 0, 0);
        }
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            bits |= v[k].x & v[k].y & v[k].z & v[k].w;
    }
    if (bits == NEVER) // so that the compiler cannot leave the loads out
        floor_sink = bits;
}

void floor_read(const void *x, size_t bytes)
{
    int sms = device_attribute(cudaDevAttrMultiProcessorCount);
    int64_t count = (int64_t)(bytes / sizeof(uint4));
    unsigned tiles = device_blocks(count, READERS * LOADS);
    unsigned most = (unsigned)sms * BLOCKS_PER_SM;
    unsigned grid = tiles < most ? tiles : most;
    read_kernel<<<grid, READERS>>>((const uint4 *)x, count);
    CHECK_LAUNCH(read_kernel, grid, READERS, 0);
}

/** Launch: block COPIERS, grid ceil(count / COPIERS). */
static __global__ void copy_kernel(const uint4 *x, uint4 *y, int64_t count)
{
    int64_t i = (int64_t)blockIdx.x * COPIERS + threadIdx.x;
    if (i < count)
        y[i] = x[i];
}

void floor_copy(const void *x, void *y, size_t bytes)
{
    int64_t count = (int64_t)(bytes / sizeof(uint4));
    unsigned grid = device_blocks(count, COPIERS);
    copy_kernel<<<grid, COPIERS>>>((const uint4 *)x, (uint4 *)y, count);
    CHECK_LAUNCH(copy_kernel, grid, COPIERS, 0);
}
