#include "cases.h"

// feature: lambdas inside kernels

template <class F>
__device__ int sum_of(int n, F f)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += f(i);
    return sum;
}

__global__ void lambdas(const int *x, int *out)
{
    int t = threadIdx.x, offset = 10;
    auto element = [&](int i) { return x[i] + offset; };
    auto scaled = [=](int i) { return t * i; };
    out[t] = sum_of(4, element);
    out[32 + t] = sum_of(4, scaled);
}

CASE(lambdas)
{
    int *x = shared_zeros<int>(4), *out = shared_zeros<int>(64);
    for (int i = 0; i < 4; i++)
        x[i] = i;
    lambdas<<<1, 32>>>(x, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(out[31] == 46 && out[63] == 186);
}
