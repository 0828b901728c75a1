#include "cases.h"
#include <cooperative_groups.h>

// A step beyond each limit, and a grid of no block.

__global__ void nothing()
{
}

CASE(beyond)
{
    int n = 100;
    nothing<<<1, dim3(32, 33)>>>(); // expect: launch-limits
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidConfiguration);
    nothing<<<1, dim3(1, 1, 65)>>>(); // expect: launch-limits
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidConfiguration);
    nothing<<<dim3(1, 65536), 1>>>(); // expect: launch-limits
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidConfiguration);
    nothing<<<n / 256, 256>>>(); // expect: launch-limits
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidConfiguration);
    nothing<<<1, 32, 48 * 1024 + 1>>>(); // expect: launch-limits
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidValue);
}

// The largest of everything that needs no permission, and what needs it.

CASE(largest)
{
    nothing<<<1, dim3(32, 32)>>>();
    nothing<<<1, dim3(1, 1, 64)>>>();
    nothing<<<dim3(1, 65535), 1>>>();
    nothing<<<1, 32, 48 * 1024>>>();
    cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         64 * 1024);
    nothing<<<1, 32, 64 * 1024>>>();
    CHECK_CUDA(cudaGetLastError());
}

// More threads than __launch_bounds__ promises: the registers are not there.

#define MOST 64

__global__ void __launch_bounds__(2 * MOST, 1) fill(int *x)
{
    x[threadIdx.x] = 1;
}

template <int THREADS>
__global__ __launch_bounds__(THREADS) void fill_less(int *x)
{
    x[threadIdx.x] = 1;
}

CASE(bounds)
{
    int *x = room<int>(256);
    fill<<<1, dim3(16, 16)>>>(x); // expect: launch-limits
                                  // says: at most 128
    CHECK(cudaGetLastError() != cudaSuccess);
    fill_less<32><<<1, 64>>>(x); // expect: launch-limits
    CHECK(cudaGetLastError() != cudaSuccess);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(256);
    cudaLaunchKernelEx(&config, fill, x); // expect: launch-limits
    CHECK(cudaGetLastError() != cudaSuccess);
    fill<<<1, 2 * MOST>>>(x);
    fill_less<64><<<1, 64>>>(x);
    CHECK_CUDA(cudaDeviceSynchronize());
}

// A barrier of the grid in an ordinary launch: its blocks need not be there at
// once.

__global__ void meet(int *data)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    data[grid.thread_rank()] = 1;
    grid.sync(); // expect: launch-limits
}

LAUNCH(grid_sync, meet<<<2, 64>>>(room<int>(128)));
