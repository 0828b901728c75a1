// feature: half: conversions, arithmetic, comparisons, functions, as operators
// and by name; every result is rounded once

#include "check.h"
#include <cuda_fp16.h>
#include <math.h>

struct outcome {
    __half sum, product, fused, quotient, negative, largest, from_int;
    float back[4];
    int whole[4], truth;
};

__global__ void calculate(const half *x, outcome *o)
{
    half a = x[0], b = x[1];
    o->sum = a + b;
    o->product = a * b;
    o->fused = __hfma(a, b, __float2half(-1.0f));
    o->quotient = a / b;
    o->negative = -a;
    o->largest = __hmax(a, b);
    o->from_int = __int2half_rn(2049);
    o->back[0] = __half2float(__float2half_rn(1.0f / 3));
    o->back[1] = __half2float(__float2half_rz(1.0f / 3));
    o->back[2] = __half2float(__float2half_ru(1.0f / 3));
    o->back[3] = __half2float(__float2half_rd(-1.0f / 3));
    half c = __float2half(-2.5f);
    o->whole[0] = __half2int_rn(c);
    o->whole[1] = __half2int_rz(c);
    o->whole[2] = __half2int_ru(c);
    o->whole[3] = __half2int_rd(c);
    o->truth = (a < b) + 2 * (a == b) + 4 * (a >= b) + 8 * __hisnan(a) +
               16 * __hgt(a, b);
    c += a;
    c++;
    if (c)
        o->truth += 32;
}

__global__ void functions(const half *x, half *y)
{
    half a = x[0];
    y[0] = hsqrt(a);
    y[1] = hrsqrt(a);
    y[2] = hrcp(a);
    y[3] = hexp(a);
    y[4] = hexp2(a);
    y[5] = hlog(a);
    y[6] = hlog2(a);
    y[7] = hlog10(a);
    y[8] = hsin(a);
    y[9] = hcos(a);
    y[10] = hfloor(a);
    y[11] = hceil(a);
    y[12] = hrint(a);
    y[13] = htrunc(a);
    y[14] = hexp10(a);
}

static void check_functions(float x)
{
    half *in = shared_zeros<half>(1), *out = shared_zeros<half>(15);
    in[0] = __float2half(x);
    x = __half2float(in[0]);
    functions<<<1, 1>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    double right[] = {sqrt(x),  1 / sqrt(x), 1 / x,    exp(x),   exp2(x),
                      log(x),   log2(x),     log10(x), sin(x),   cos(x),
                      floor(x), ceil(x),     rint(x),  trunc(x), pow(10, x)};
    for (int i = 0; i < 15; i++) // within 0.51 of a step
        CHECK(fabs(__half2float(out[i]) - right[i]) <=
              0.51 * ldexp(1, ilogb(right[i] + (right[i] == 0)) - 10));
}

int main()
{
    half *x = shared_zeros<half>(2);
    outcome *o = shared_zeros<outcome>(1);
    x[0] = __float2half(0.1f); // 0x1.998p-4
    x[1] = __float2half(10.0f);
    calculate<<<1, 1>>>(x, o);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(__half2float(o->sum), 10.1015625);
    CHECK_EQUAL(__half2float(o->product), 1);
    CHECK_EQUAL(__half2float(o->fused), -0x1p-12); // 1 was rounded, this is not
    CHECK_EQUAL(__half2float(o->quotient), 0x1.478p-7);
    CHECK_EQUAL(__half2float(o->negative), -0x1.998p-4);
    CHECK_EQUAL(__half2float(o->largest), 10);
    CHECK_EQUAL(__half2float(o->from_int), 2048);
    CHECK_EQUAL(o->back[0], 0x1.554p-2);
    CHECK_EQUAL(o->back[1], 0x1.554p-2);
    CHECK_EQUAL(o->back[2], 0x1.558p-2);
    CHECK_EQUAL(o->back[3], -0x1.558p-2);
    CHECK_EQUAL(o->whole[0], -2);
    CHECK_EQUAL(o->whole[1], -2);
    CHECK_EQUAL(o->whole[2], -2);
    CHECK_EQUAL(o->whole[3], -3);
    CHECK_EQUAL(o->truth, 1 + 32);
    CHECK_EQUAL(__half_as_ushort(__float2half(65519.99f)), 0x7bff);
    CHECK_EQUAL(__half_as_ushort(__float2half(65520.0f)), 0x7c00);
    CHECK_EQUAL(__half_as_ushort(__float2half_rz(1e30f)), 0x7bff);
    CHECK_EQUAL(__half_as_ushort(__float2half(0x1p-24f)), 1);
    CHECK_EQUAL(__half_as_ushort(__float2half(0x1p-25f)), 0);
    CHECK_EQUAL(__half_as_ushort(__float2half(-0.0f)), 0x8000);
    CHECK_EQUAL(__half_as_ushort(__float2half(nanf(""))), 0x7fff);
    CHECK_EQUAL(__half2float(__ll2half_rz(1ll << 40)), 65504);
    CHECK_EQUAL(__half2short_rz(__float2half(40000.0f)), 32767);
    check_functions(0.7f);
    check_functions(2.5f);
    return check_result();
}
