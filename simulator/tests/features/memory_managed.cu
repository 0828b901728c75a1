#include "cases.h"

// feature: managed memory: cudaMallocManaged, __managed__ variables

__managed__ int total;

__global__ void add(const int *x)
{
    atomicAdd(&total, x[threadIdx.x]);
}

CASE(memory_managed)
{
    int *x;
    CHECK_CUDA(cudaMallocManaged(&x, 32 * sizeof(int)));
    for (int i = 0; i < 32; i++)
        x[i] = i;
    total = 4;
    add<<<1, 32>>>(x);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(total, 500);
    CHECK_CUDA(cudaFree(x));
}
