#include "cases.h"

// feature: atomics on shared memory

__global__ void integers(int *out, float *sum)
{
    __shared__ int s[8];
    __shared__ unsigned u[2];
    __shared__ float f;
    int t = threadIdx.x;
    if (t < 8)
        s[t] = t == 4 ? -1 : 0;
    if (t < 2)
        u[t] = 0;
    if (t == 0)
        f = 0.0f;
    __syncthreads(); // all are set
    atomicAdd(&s[0], t);
    atomicSub(&s[1], t);
    atomicMin(&s[2], -t);
    atomicMax(&s[3], t);
    atomicAnd(&s[4], ~(1 << t % 32));
    atomicOr(&s[5], 1 << t % 16);
    atomicXor(&s[6], 1 << t % 32);
    atomicInc(&u[0], 9);
    atomicDec(&u[1], 9);
    atomicAdd(&f, 0.5f);
    if (t == 3)
        atomicExch(&s[7], 99);
    __syncthreads(); // all have added
    if (t < 8)
        out[t] = s[t];
    if (t < 2)
        out[8 + t] = u[t];
    if (t == 0)
        *sum = f;
}

CASE(atomics_shared)
{
    int *out = shared_zeros<int>(10);
    float *sum = shared_zeros<float>(1);
    integers<<<1, 64>>>(out, sum);
    CHECK_CUDA(cudaDeviceSynchronize());
    const int expected[] = {2016, -2016, -63, 63, 0, 0xffff, 0, 99, 4, 6};
    for (int i = 0; i < 10; i++)
        CHECK_EQUAL(out[i], expected[i]);
    CHECK_EQUAL(*sum, 32);
}
