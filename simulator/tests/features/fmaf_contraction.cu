// feature: a * b + c is one fused multiply-add, as with nvcc's default

#include "check.h"
#include <math.h>

__global__ void products(float a, float b, float c, float *out)
{
    out[0] = a * b + c;
    out[1] = __fadd_rn(__fmul_rn(a, b), c); // never fused
    float product = a * b;
    out[2] = product - c; // fused across statements
    out[3] = fmaf(a, b, -1.0f);
    out[4] = c - a * b;
}

int main()
{
    float *out = shared_zeros<float>(5);
    float a = 1.0f + 1.0f / 4096, b = a, c = -1.0f - 1.0f / 2048;
    products<<<1, 1>>>(a, b, c, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[0], fmaf(a, b, c)); // 2^-24
    CHECK_EQUAL(out[1], 0.0f);          // the product was rounded to -c
    CHECK_EQUAL(out[2], fmaf(a, b, -c));
    CHECK_EQUAL(out[3], fmaf(a, b, -1.0f));
    CHECK_EQUAL(out[4], fmaf(-a, b, c));
    return check_result();
}
