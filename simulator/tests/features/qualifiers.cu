#include "cases.h"

// feature: __launch_bounds__, __restrict__, __ldg, __ldcs, volatile, #pragma
// unroll

__global__ void __launch_bounds__(128, 2)
    qualified(const float *__restrict__ in, float *__restrict__ out,
              volatile int *flag)
{
    float sum = 0;
#pragma unroll 4
    for (int i = 0; i < 8; i++)
        sum += __ldg(&in[i]);
    sum += __ldcs(&in[0]) + __ldca(&in[1]);
    __stcs(&out[threadIdx.x], sum);
    if (threadIdx.x == 0)
        *flag = 1;
}

CASE(qualifiers)
{
    float *in = shared_zeros<float>(8), *out = shared_zeros<float>(32);
    int *flag = shared_zeros<int>(1);
    for (int i = 0; i < 8; i++)
        in[i] = i;
    qualified<<<1, 32>>>(in, out, flag);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[31], 29);
    CHECK_EQUAL(*flag, 1);
}
