#include "cases.h"

// feature: cudaFuncGetAttributes: static shared memory, threads per block
// counted only: the compiler's own output says what a kernel uses

__global__ void kernel(float *x)
{
    __shared__ float s[256];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads(); // the array is complete
    x[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void __launch_bounds__(128) bounded()
{
}

CASE(function_attributes)
{
    cudaFuncAttributes attributes;
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, kernel));
    CHECK_EQUAL(attributes.sharedSizeBytes, 256 * sizeof(float));
    CHECK_EQUAL(attributes.maxThreadsPerBlock, 1024);
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, bounded));
    CHECK_EQUAL(attributes.maxThreadsPerBlock, 128);
    int blocks, size;
    CHECK_CUDA(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, bounded));
    CHECK_EQUAL(size, 128);
}
