#include "cases.h"

// feature: occupancy calls

__global__ void kernel(float *x)
{
    __shared__ float s[256];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads(); // the array is complete
    x[threadIdx.x] = s[255 - threadIdx.x];
}

CASE(occupancy)
{
    int blocks = 0, more = 0, grid = 0, block = 0;
    CHECK_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
    CHECK(blocks >= 1 && blocks <= 8); // 2048 threads per multiprocessor
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&more, kernel, 256,
                                                             40 * 1024));
    CHECK(more >= 1 && more <= blocks);
    CHECK_CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0));
    CHECK(block >= 32 && block <= 1024 && grid >= 1);
}
