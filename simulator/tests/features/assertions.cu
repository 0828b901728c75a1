#include "cases.h"
#include <assert.h>

// feature: assert in kernels (one that fails is in findings/)

__global__ void safe(const int *x, int *out)
{
    assert(x != nullptr);
    assert(x[threadIdx.x] == threadIdx.x && "the identity");
    out[threadIdx.x] = x[threadIdx.x];
}

CASE(assertions)
{
    int *x = shared_zeros<int>(32), *out = shared_zeros<int>(32);
    for (int i = 0; i < 32; i++)
        x[i] = i;
    safe<<<1, 32>>>(x, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[31], 31);
}
