#include "cases.h"

// feature: a float's bits through an int pointer: no aliasing rule is used

/** Multiply by 2 in the exponent, then read the float again. */
__global__ void twice(float *f, int *bits, float *out)
{
    int i = threadIdx.x;
    f[i] = 1.5f;
    bits[i] += 1 << 23;
    out[i] = f[i];
}

CASE(aliasing)
{
    float *f = shared_zeros<float>(32), *out = shared_zeros<float>(32);
    twice<<<1, 32>>>(f, (int *)f, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[31], 3.0);
}
