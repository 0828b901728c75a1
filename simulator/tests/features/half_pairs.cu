// feature: half2: two numbers in a word, loaded and stored as one; arithmetic
// and comparisons on both

#include "check.h"
#include <cuda_fp16.h>

__global__ void calculate(const half2 *x, half2 *y, unsigned *masks)
{
    half2 a = x[0], b = x[1];
    y[0] = __hadd2(a, b);
    y[1] = a * b - b;
    y[2] = __hfma2(a, b, __float2half2_rn(1.0f));
    y[3] = __h2div(a, b);
    y[4] = __hmax2(__hneg2(a), __habs2(b));
    y[5] = h2sqrt(__floats2half2_rn(4.0f, 9.0f));
    y[6] = __lowhigh2highlow(a);
    y[7] = __halves2half2(__high2half(a), __low2half(b));
    y[8] = __highs2half2(a, b);
    y[9] = __half2half2(a.y);
    y[10] = __heq2(a, b);
    y[11] = __hlt2(a, b);
    masks[0] = __hlt2_mask(a, b);
    masks[1] = __hbeq2(a, a) + 2 * __hbne2(a, b) + 4 * __hbgt2(a, b);
    float2 f = __half22float2(a);
    masks[2] = f.x == 1.5f && f.y == -3.0f && __low2float(a) == f.x;
}

static void check_pair(half2 pair, float x, float y)
{
    CHECK_EQUAL(__low2float(pair), x);
    CHECK_EQUAL(__high2float(pair), y);
}

int main()
{
    half2 *x = shared_zeros<half2>(2), *y = shared_zeros<half2>(12);
    unsigned *masks = shared_zeros<unsigned>(3);
    x[0] = __floats2half2_rn(1.5f, -3.0f);
    x[1] = __float22half2_rn(make_float2(2.0f, -3.0f));
    calculate<<<1, 1>>>(x, y, masks);
    CHECK_CUDA(cudaDeviceSynchronize());
    check_pair(y[0], 3.5f, -6);
    check_pair(y[1], 1, 12);
    check_pair(y[2], 4, 10);
    check_pair(y[3], 0.75f, 1);
    check_pair(y[4], 2, 3);
    check_pair(y[5], 2, 3);
    check_pair(y[6], -3, 1.5f);
    check_pair(y[7], -3, 2);
    check_pair(y[8], -3, -3);
    check_pair(y[9], -3, -3);
    check_pair(y[10], 0, 1);
    check_pair(y[11], 1, 0);
    CHECK_EQUAL(masks[0], 0xffff);
    CHECK_EQUAL(masks[1], 1);
    CHECK_EQUAL(masks[2], 1);
    return check_result();
}
