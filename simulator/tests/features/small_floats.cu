#include "cases.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>

// feature: half: conversions, arithmetic, comparisons, functions, as operators
// and by name; every result is rounded once

__global__ void calculate(half a, half b) // 0x1.998p-4 and 10
{
    CHECK_EQUAL(__half2float(a + b), 10.1015625);
    CHECK_EQUAL(__half2float(a * b), 1);
    CHECK_EQUAL(__half2float(__hfma(a, b, __float2half(-1.0f))),
                -0x1p-12); // 1 was rounded, this is not
    CHECK_EQUAL(__half2float(a / b), 0x1.478p-7);
    CHECK_EQUAL(__half2float(-a), -0x1.998p-4);
    CHECK_EQUAL(__half2float(__hmax(a, b)), 10);
    CHECK_EQUAL(__half2float(__int2half_rn(2049)), 2048);
    CHECK(a < b && !(a == b) && !(a >= b) && !__hisnan(a) && !__hgt(a, b));
    half c = __float2half(-2.5f);
    CHECK_EQUAL(__half2int_rn(c), -2);
    CHECK_EQUAL(__half2int_rz(c), -2);
    CHECK_EQUAL(__half2int_ru(c), -2);
    CHECK_EQUAL(__half2int_rd(c), -3);
    c += a;
    c++;
    CHECK((bool)c);
}

__device__ void near(half actual, double right) // within 0.51 of a step
{
    CHECK(fabs(__half2float(actual) - right) <=
          0.51 * ldexp(1.0, ilogb(right + (right == 0)) - 10));
}

__global__ void functions(half a)
{
    double x = __half2float(a);
    near(hsqrt(a), sqrt(x));
    near(hrsqrt(a), 1 / sqrt(x));
    near(hrcp(a), 1 / x);
    near(hexp(a), exp(x));
    near(hexp2(a), exp2(x));
    near(hexp10(a), pow(10.0, x));
    near(hlog(a), log(x));
    near(hlog2(a), log2(x));
    near(hlog10(a), log10(x));
    near(hsin(a), sin(x));
    near(hcos(a), cos(x));
    near(hfloor(a), floor(x));
    near(hceil(a), ceil(x));
    near(hrint(a), rint(x));
    near(htrunc(a), trunc(x));
}

CASE(half_numbers)
{
    calculate<<<1, 1>>>(__float2half(0.1f), __float2half(10.0f));
    functions<<<1, 1>>>(__float2half(0.7f));
    functions<<<1, 1>>>(__float2half(2.5f));
    CHECK_EQUAL(__half_as_ushort(__float2half(65520.0f)), 0x7c00);
    CHECK_EQUAL(__half2float(__ll2half_rz(1ll << 40)), 65504);
    CHECK_EQUAL(__half2short_rz(__float2half(40000.0f)), 32767);
}

// feature: half2: two numbers in a word, loaded and stored as one; arithmetic
// and comparisons on both

__device__ void check_pair(half2 pair, float x, float y)
{
    CHECK_EQUAL(__low2float(pair), x);
    CHECK_EQUAL(__high2float(pair), y);
}

__global__ void calculate_pairs(const half2 *x, half2 *y)
{
    half2 a = x[0], b = x[1];
    check_pair(__hadd2(a, b), 3.5f, -6);
    check_pair(a * b - b, 1, 12);
    check_pair(__hfma2(a, b, __float2half2_rn(1.0f)), 4, 10);
    check_pair(__h2div(a, b), 0.75f, 1);
    check_pair(__hmax2(__hneg2(a), __habs2(b)), 2, 3);
    check_pair(h2sqrt(__floats2half2_rn(4.0f, 9.0f)), 2, 3);
    check_pair(__lowhigh2highlow(a), -3, 1.5f);
    check_pair(__halves2half2(__high2half(a), __low2half(b)), -3, 2);
    check_pair(__highs2half2(a, b), -3, -3);
    check_pair(__half2half2(a.y), -3, -3);
    check_pair(__heq2(a, b), 0, 1);
    check_pair(__hlt2(a, b), 1, 0);
    CHECK_EQUAL(__hlt2_mask(a, b), 0xffff);
    CHECK(__hbeq2(a, a) && !__hbne2(a, b) && !__hbgt2(a, b));
    float2 f = __half22float2(a);
    CHECK(f.x == 1.5f && f.y == -3.0f && __low2float(a) == f.x);
    *y = __hadd2(a, b);
}

CASE(half_pairs)
{
    half2 *x = shared_zeros<half2>(3);
    x[0] = __floats2half2_rn(1.5f, -3.0f);
    x[1] = __float22half2_rn(make_float2(2.0f, -3.0f));
    calculate_pairs<<<1, 1>>>(x, x + 2);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(__low2float(x[2]) == 3.5f && __high2float(x[2]) == -6);
}

// feature: bfloat16, alone and in pairs: conversions, arithmetic, comparisons

__global__ void calculate(__nv_bfloat16 a, __nv_bfloat16 b) // 0x1.9ap-4, 10
{
    CHECK_EQUAL(__bfloat162float(a + b), 10.125);
    CHECK_EQUAL(__bfloat162float(a * b), 1);
    CHECK_EQUAL(__bfloat162float(__hfma(a, b, __float2bfloat16(-1.0f))),
                0x1p-10); // 1 was rounded, this is not
    CHECK_EQUAL(__bfloat162float(a / b), 0x1.48p-7);
    CHECK_EQUAL(__bfloat162float(__int2bfloat16_rn(257)), 256);
    CHECK(__hlt(a, b) && !(a == b) && __bfloat162int_rd(b) == 10);
    __nv_bfloat162 pair = __floats2bfloat162_rn(3.0f, 4.0f);
    CHECK_EQUAL(__low2float(__hmul2(pair, __bfloat162bfloat162(a))),
                0.30078125);
    CHECK_EQUAL(__high2float(__hfma2(pair, pair, __halves2bfloat162(a, b))),
                26);
    CHECK(__hbge2(pair, pair));
}

CASE(bfloat16)
{
    calculate<<<1, 1>>>(__float2bfloat16(0.1f), __float2bfloat16(10.0f));
    CHECK_EQUAL(__bfloat16_as_ushort(__float2bfloat16(3.4e38f)), 0x7f80);
    CHECK_EQUAL(__half2float(__half(__float2bfloat16(10.125f))), 10.125);
}

// feature: half, half2 and bfloat16 in shared memory, shuffles, `__ldg`,
// atomicAdd, cudaMemcpy

template <class T>
__global__ void reverse(const T *in)
{
    __shared__ T tile[64];
    int t = threadIdx.x, r = 63 - t;
    tile[t] = __ldg(&in[t]);
    __syncthreads();
    T x = tile[r];
    CHECK_EQUAL((float)x, r);
    CHECK_EQUAL((float)__shfl_down_sync(~0u, x, 1), r - (t % 32 < 31));
    CHECK_EQUAL((float)__shfl_sync(~0u, x, 0), 63 - t / 32 * 32);
    CHECK_EQUAL((float)__shfl_xor_sync(~0u, x, 1), 63 - (t ^ 1));
    CHECK_EQUAL((float)__shfl_up_sync(~0u, x, 1), r + (t % 32 > 0));
}

template <class T, class T2>
__global__ void add(T *one, T2 *two, const T *x)
{
    __shared__ T2 sum;
    if (threadIdx.x == 0)
        sum = T2(x[0], x[0]);
    __syncthreads();
    atomicAdd(one, x[1]);
    atomicAdd(two, T2(x[1], x[2]));
    atomicAdd(&sum, T2(x[1], x[2]));
    __syncthreads();
    if (threadIdx.x == 0)
        CHECK_EQUAL((float)atomicAdd(two + 1, sum).x, 0);
}

template <class T, class T2>
void check_type()
{
    T *x = shared_zeros<T>(64), *one = shared_zeros<T>(2);
    T2 *two = shared_zeros<T2>(2);
    for (int i = 0; i < 64; i++)
        x[i] = T((float)i);
    reverse<<<1, 64>>>(x);
    add<<<1, 64>>>(one, two, x);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL((float)one[0], 64);
    CHECK_EQUAL((float)one[1], 0);
    CHECK_EQUAL((float)two[0].x, 64);
    CHECK_EQUAL((float)two[0].y, 128);
    CHECK_EQUAL((float)two[1].y, 128);
}

CASE(half_memory)
{
    check_type<half, half2>();
    check_type<__nv_bfloat16, __nv_bfloat162>();
}
