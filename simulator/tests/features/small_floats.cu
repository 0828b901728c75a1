#include "cases.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <vector>

/* ---- every number, every result ------------------------------------------
 *
 * Kernels calculate; here is what IEEE 754 says, in double: numbers of 16 bits
 * are exact there, and results are rounded to odd, so that rounding them again
 * to 8 or 11 bits is right in every direction. */

enum { NEAREST, ZERO, UP, DOWN, MODES };
enum { OPERATIONS = 15, NO_NUMBER = 0x7fff };

typedef unsigned short bits16;

template <class T>
struct format;
template <>
struct format<half> {
    enum { FRACTION = 10, LEAST = -14, MOST = 15 };
};
template <>
struct format<__nv_bfloat16> {
    enum { FRACTION = 7, LEAST = -126, MOST = 127 };
};

template <class T>
constexpr int infinity_of()
{
    return NO_NUMBER >> format<T>::FRACTION << format<T>::FRACTION;
}

/** The number that some bits stand for. */
template <class T>
static double value(int bits)
{
    const int one = 1 << format<T>::FRACTION, size = bits & 0x7fff;
    int exponent = size / one, fraction = size % one;
    double x = size > infinity_of<T>()    ? NAN
               : size == infinity_of<T>() ? INFINITY
               : exponent == 0
                   ? ldexp(fraction, format<T>::LEAST - format<T>::FRACTION)
                   : ldexp(fraction + one, exponent - 1 + format<T>::LEAST -
                                               format<T>::FRACTION);
    return bits >> 15 ? -x : x;
}

/** The bits of the number next to @p x. */
template <class T>
static bits16 rounded(double x, int mode = NEAREST)
{
    if (isnan(x))
        return NO_NUMBER;
    bits16 sign = signbit(x) ? 0x8000 : 0;
    if (isinf(x) || x == 0)
        return sign | (x == 0 ? 0 : infinity_of<T>());
    bool away = mode == (sign ? DOWN : UP);
    int exponent = ilogb(x);
    if (exponent > format<T>::MOST)
        return sign | (infinity_of<T>() - !(away || mode == NEAREST));
    exponent = exponent < format<T>::LEAST ? format<T>::LEAST : exponent;
    double steps = ldexp(fabs(x), format<T>::FRACTION - exponent);
    int whole = (int)steps;
    double rest = steps - whole;
    bool up = mode == NEAREST ? rest > 0.5 || (rest == 0.5 && whole % 2)
                              : away && rest > 0;
    return sign | (((exponent - format<T>::LEAST) << format<T>::FRACTION) +
                   whole + up);
}

/** What @p calculate returns, its last bit set if that is not exact. */
template <class Function>
static double to_odd(Function calculate)
{
    fesetround(FE_TOWARDZERO);
    feclearexcept(FE_INEXACT);
    volatile double result = calculate();
    bool inexact = fetestexcept(FE_INEXACT);
    fesetround(FE_TONEAREST);
    double x = result;
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    bits |= inexact;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/** Three numbers, and what is calculated of them. */
struct calculation {
    bits16 in[3], out[OPERATIONS];
};

template <class T>
__device__ T number(bits16 bits)
{
    T x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

template <class T>
__device__ bits16 bits_of(T x)
{
    bits16 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

template <class T>
__global__ void calculate_all(calculation *all, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const bits16 *in = all[i].in;
    T a = number<T>(in[0]), b = number<T>(in[1]), c = number<T>(in[2]);
    const T results[] = {
        __hadd(a, b),    __hsub(a, b),     __hmul(a, b),         __hdiv(a, b),
        __hfma(a, b, c), __hadd_sat(a, b), __hfma_relu(a, b, c), __hmin(a, b),
        __hmax(a, b),    __hmin_nan(a, b), __hmax_nan(a, b),     __hneg(a),
        __habs(a)};
    for (int k = 0; k < 13; k++)
        all[i].out[k] = bits_of(results[k]);
    all[i].out[13] = __heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 |
                     __hle(a, b) << 3 | __hgt(a, b) << 4 | __hge(a, b) << 5;
    all[i].out[14] = __hequ(a, b) | __hneu(a, b) << 1 | __hltu(a, b) << 2 |
                     __hleu(a, b) << 3 | __hgtu(a, b) << 4 | __hgeu(a, b) << 5;
}

/** The lesser or the greater one: -0 before 0; NaN loses, or wins. */
template <class T>
static bits16 extreme(bits16 a, bits16 b, bool greater, bool nan_wins)
{
    double x = value<T>(a), y = value<T>(b);
    if (isnan(x) || isnan(y))
        return nan_wins || (isnan(x) && isnan(y)) ? NO_NUMBER
               : isnan(x)                         ? b
                                                  : a;
    bool a_is_less = x != y ? x < y : signbit(x);
    return a_is_less != greater ? a : b;
}

static int comparisons(double x, double y, bool with_nan)
{
    if (isnan(x) || isnan(y))
        return with_nan ? 63 : 0;
    return (x == y) | (x != y) << 1 | (x < y) << 2 | (x <= y) << 3 |
           (x > y) << 4 | (x >= y) << 5;
}

template <class T>
static void check_calculation(const calculation &of)
{
    bits16 p = of.in[0], q = of.in[1];
    volatile double a = value<T>(p), b = value<T>(q), c = value<T>(of.in[2]);
    bits16 sum = rounded<T>(to_odd([&] { return a + b; }));
    bits16 fused = rounded<T>(to_odd([&] { return fma(a, b, c); }));
    double s = value<T>(sum), f = value<T>(fused);
    const bits16 expected[OPERATIONS] = {
        sum,
        rounded<T>(to_odd([&] { return a - b; })),
        rounded<T>(to_odd([&] { return a * b; })),
        rounded<T>(to_odd([&] { return a / b; })),
        fused,
        s > 1   ? rounded<T>(1)
        : s > 0 ? sum
                : bits16(0),
        f > 0 || isnan(f) ? fused : bits16(0),
        extreme<T>(p, q, false, false),
        extreme<T>(p, q, true, false),
        extreme<T>(p, q, false, true),
        extreme<T>(p, q, true, true),
        bits16(p ^ 0x8000),
        bits16(p & 0x7fff),
        bits16(comparisons(a, b, false)),
        bits16(comparisons(a, b, true))};
    for (int i = 0; i < OPERATIONS; i++)
        if (of.out[i] != expected[i]) {
            printf("operation %d of %04x %04x %04x: ", i, p, q, of.in[2]);
            CHECK_EQUAL(of.out[i], expected[i]);
        }
}

static unsigned random_below(unsigned n)
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/** Special numbers with each other, near ones, and random ones. */
template <class T>
static void check_calculations()
{
    const int inf = infinity_of<T>(), one = rounded<T>(1);
    const int step = 1 << format<T>::FRACTION;
    const int special[] = {0,   1,       2,       inf - 1, inf,     NO_NUMBER,
                           one, one + 1, one - 1, step,    step - 1};
    std::vector<calculation> all;
    for (int i = 0; i < 22 * 22 * 8; i++) {
        calculation of = {};
        int which[] = {i % 22, i / 22 % 22, i / 22 / 22 * 3};
        for (int k = 0; k < 3; k++)
            of.in[k] = special[which[k] % 11] | which[k] / 11 << 15;
        all.push_back(of);
    }
    for (int i = 0; i < 12000; i++) {
        int a = random_below(1 << 16), b = random_below(1 << 16);
        int c = random_below(1 << 16);
        if (i % 3) { // of like size, where sums round and cancel
            a = random_below(inf), b = random_below(inf);
            int near = (rounded<T>(value<T>(a) * value<T>(b)) & 0x7fff) +
                       ((int)random_below(25) - 12) * step;
            near = near < 0 ? 0 : near >= inf ? inf - 1 : near;
            c = (near ^ random_below(step)) | random_below(2) << 15;
        }
        all.push_back({{(bits16)a, (bits16)b, (bits16)c}, {}});
    }
    int n = (int)all.size();
    calculation *on_both = shared_zeros<calculation>(n);
    memcpy(on_both, all.data(), n * sizeof *on_both);
    calculate_all<T><<<(n + 255) / 256, 256>>>(on_both, n);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        check_calculation<T>(on_both[i]);
}

/** A float, and what it becomes in each direction. */
struct conversion {
    float x;
    bits16 to[MODES];
};

__device__ void round_one(conversion &of, half)
{
    of.to[NEAREST] = bits_of(__float2half_rn(of.x));
    of.to[ZERO] = bits_of(__float2half_rz(of.x));
    of.to[UP] = bits_of(__float2half_ru(of.x));
    of.to[DOWN] = bits_of(__float2half_rd(of.x));
}

__device__ void round_one(conversion &of, __nv_bfloat16)
{
    of.to[NEAREST] = bits_of(__float2bfloat16_rn(of.x));
    of.to[ZERO] = bits_of(__float2bfloat16_rz(of.x));
    of.to[UP] = bits_of(__float2bfloat16_ru(of.x));
    of.to[DOWN] = bits_of(__float2bfloat16_rd(of.x));
}

template <class T>
__global__ void round_all(conversion *all, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        round_one(all[i], T());
}

/** A number as a float, its root and that one's reciprocal. */
struct functions_of {
    float x;
    bits16 root, reciprocal;
};

template <class T>
__global__ void of_all(functions_of *all)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T x = number<T>((bits16)i);
    all[i] = {(float)x, bits_of(hsqrt(x)), bits_of(hrsqrt(x))};
}

/** Each number, what lies in the middle to the next one, and floats beside. */
template <class T>
static void check_conversions()
{
    std::vector<float> floats = {0, FLT_TRUE_MIN, FLT_MAX, INFINITY, NAN};
    functions_of *all = shared_zeros<functions_of>(1 << 16);
    of_all<T><<<1 << 8, 256>>>(all);
    CHECK_CUDA(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < 1 << 16; i++) {
        double x = value<T>(i);
        wrong += isnan(x) ? !isnan(all[i].x)
                          : all[i].x != x || !signbit(all[i].x) != !signbit(x);
        if (i == 0 || i >= infinity_of<T>())
            continue;
        wrong += all[i].root != rounded<T>(sqrt(x));
        wrong += all[i].reciprocal != rounded<T>(1 / sqrt(x));
        float middle = (float)((x + value<T>(i + 1)) / 2), exact = (float)x;
        if (i + 1 == infinity_of<T>())
            middle = (float)ldexp(2 - ldexp(1, -format<T>::FRACTION - 1),
                                  format<T>::MOST);
        for (float y : {exact, nextafterf(exact, INFINITY), middle,
                        nextafterf(middle, 0), nextafterf(middle, INFINITY)})
            floats.push_back(y);
    }
    CHECK_EQUAL(wrong, 0);
    int n = 2 * (int)floats.size();
    conversion *to = shared_zeros<conversion>(n);
    for (int i = 0; i < n; i++)
        to[i].x = i % 2 ? -floats[i / 2] : floats[i / 2];
    round_all<T><<<(n + 255) / 256, 256>>>(to, n);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        for (int mode = 0; mode < MODES; mode++)
            wrong += to[i].to[mode] != rounded<T>(to[i].x, mode);
    CHECK_EQUAL(wrong, 0);
}

// feature: half: conversions, arithmetic, comparisons, functions, as operators
// and by name; every result is rounded once

__global__ void calculate(half a, half b) // 0x1.998p-4 and 10
{
    CHECK_EQUAL(__half2float(a + b), 10.1015625);
    CHECK_EQUAL(__half2float(a * b), 1);
    CHECK_EQUAL(__half2float(a / b), 0x1.478p-7);
    CHECK_EQUAL(__half2float(-a), -0x1.998p-4);
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
    CHECK(__ushort_as_half(__half_as_ushort(c)) == c);
}

__device__ void near(half actual, double right) // within 0.51 of a step
{
    CHECK(fabs(__half2float(actual) - right) <=
          0.51 * ldexp(1.0, ilogb(right + (right == 0)) - 10));
}

__global__ void functions(half a)
{
    double x = __half2float(a);
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
    check_calculations<half>();
    check_conversions<half>();
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
    CHECK_EQUAL(__bfloat162float(a / b), 0x1.48p-7);
    CHECK_EQUAL(__bfloat162float(__int2bfloat16_rn(257)), 256);
    CHECK(__hlt(a, b) && !(a == b) && __bfloat162int_rd(b) == 10);
    __nv_bfloat162 pair = __floats2bfloat162_rn(3.0f, 4.0f);
    CHECK_EQUAL(__low2float(__hmul2(pair, __bfloat162bfloat162(a))),
                0.30078125);
    CHECK_EQUAL(__high2float(__hfma2(pair, pair, __halves2bfloat162(a, b))),
                26);
    CHECK(__hbge2(pair, pair));
    CHECK(__ushort_as_bfloat16(__bfloat16_as_ushort(a)) == a);
}

CASE(bfloat16)
{
    check_calculations<__nv_bfloat16>();
    check_conversions<__nv_bfloat16>();
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
