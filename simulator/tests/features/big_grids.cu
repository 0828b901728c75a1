#include "cases.h"
#include <stdint.h>

// feature: grids of many blocks, indices above 2^31, grid-stride loops

__global__ void count(unsigned *total)
{
    if (threadIdx.x == 0 && blockIdx.x % 1000 == 999)
        atomicAdd(total, 1);
}

__global__ void stride(int64_t n, unsigned long long *sum)
{
    unsigned long long mine = 0;
    int64_t step = (int64_t)gridDim.x * blockDim.x << 24;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step)
        mine += i >> 31;
    atomicAdd(sum, mine);
}

CASE(big_grids)
{
    unsigned *total = shared_zeros<unsigned>(1);
    unsigned long long *sum = shared_zeros<unsigned long long>(1);
    count<<<100000, 1>>>(total);
    stride<<<2, 64>>>((int64_t)1 << 33, sum);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(*total, 100);
    CHECK_EQUAL(*sum, (0 + 1 + 2 + 3) * 128);
}
