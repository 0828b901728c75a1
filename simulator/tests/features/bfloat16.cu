// feature: bfloat16, alone and in pairs: conversions, arithmetic, comparisons

#include "check.h"
#include <cuda_bf16.h>
#include <math.h>

__global__ void calculate(const __nv_bfloat16 *x, __nv_bfloat16 *y,
                          __nv_bfloat162 *pairs, int *truth)
{
    __nv_bfloat16 a = x[0], b = x[1];
    y[0] = a + b;
    y[1] = a * b;
    y[2] = __hfma(a, b, __float2bfloat16(-1.0f));
    y[3] = a / b;
    y[4] = hsqrt(b);
    y[5] = __int2bfloat16_rn(257);
    y[6] = __float2bfloat16_ru(1.001f);
    __nv_bfloat162 pair = __floats2bfloat162_rn(3.0f, 4.0f);
    pairs[0] = __hmul2(pair, __bfloat162bfloat162(a));
    pairs[1] = __hfma2(pair, pair, __halves2bfloat162(a, b));
    *truth = __hlt(a, b) + 2 * (a == b) + 4 * __hbge2(pair, pair) +
             8 * (__bfloat162int_rd(b) == 10);
}

int main()
{
    __nv_bfloat16 *x = shared_zeros<__nv_bfloat16>(2);
    __nv_bfloat16 *y = shared_zeros<__nv_bfloat16>(7);
    __nv_bfloat162 *pairs = shared_zeros<__nv_bfloat162>(2);
    int *truth = shared_zeros<int>(1);
    x[0] = __float2bfloat16(0.1f); // 0x1.9ap-4
    x[1] = __float2bfloat16(10.0f);
    calculate<<<1, 1>>>(x, y, pairs, truth);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(__bfloat162float(y[0]), 10.125);
    CHECK_EQUAL(__bfloat162float(y[1]), 1);
    CHECK_EQUAL(__bfloat162float(y[2]), 0x1p-10); // 1 was rounded, this is not
    CHECK_EQUAL(__bfloat162float(y[3]), 0x1.48p-7);
    CHECK_EQUAL(__bfloat162float(y[4]), 3.15625);
    CHECK_EQUAL(__bfloat162float(y[5]), 256);
    CHECK_EQUAL(__bfloat162float(y[6]), 1.0078125);
    CHECK_EQUAL(__low2float(pairs[0]), 0.30078125);
    CHECK_EQUAL(__high2float(pairs[1]), 26);
    CHECK_EQUAL(*truth, 1 + 4 + 8);
    CHECK_EQUAL(__bfloat16_as_ushort(__float2bfloat16(3.4e38f)), 0x7f80);
    CHECK_EQUAL(__bfloat16_as_ushort(__float2bfloat16_rz(3.4e38f)), 0x7f7f);
    CHECK_EQUAL(__bfloat16_as_ushort(__float2bfloat16(nanf(""))), 0x7fff);
    CHECK_EQUAL(__half2float(__half(y[0])), 10.125);
    return check_result();
}
