#include "cases.h"
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>

// feature: rounding up, down, to zero: __fadd_ru __dmul_rd __fmaf_rz __fdiv_ru
// __dsqrt_rd __double2float_rz __ll2float_ru ..., float and double

enum { ADD, SUB, MUL, FMA, DIV, ROOT, RECIPROCAL, OPERATIONS };
enum { NEAREST, ZERO, UP, DOWN, MODES };

static const int directions[MODES] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD,
                                      FE_DOWNWARD};
enum { THREADS = 256 };

template <class T>
struct operands {
    T a, b, c;
};

#define FLOATS(m, mode)                                                        \
    r[ADD][m] = __fadd_##mode(x.a, x.b);                                       \
    r[SUB][m] = __fsub_##mode(x.a, x.b);                                       \
    r[MUL][m] = __fmul_##mode(x.a, x.b);                                       \
    r[FMA][m] = __fmaf_##mode(x.a, x.b, x.c);                                  \
    r[DIV][m] = __fdiv_##mode(x.a, x.b);                                       \
    r[ROOT][m] = __fsqrt_##mode(fabsf(x.a));                                   \
    r[RECIPROCAL][m] = __frcp_##mode(x.a);
#define DOUBLES(m, mode)                                                       \
    r[ADD][m] = __dadd_##mode(x.a, x.b);                                       \
    r[SUB][m] = __dsub_##mode(x.a, x.b);                                       \
    r[MUL][m] = __dmul_##mode(x.a, x.b);                                       \
    r[FMA][m] = __fma_##mode(x.a, x.b, x.c);                                   \
    r[DIV][m] = __ddiv_##mode(x.a, x.b);                                       \
    r[ROOT][m] = __dsqrt_##mode(fabs(x.a));                                    \
    r[RECIPROCAL][m] = __drcp_##mode(x.a);

typedef float floats[OPERATIONS][MODES];
typedef double doubles[OPERATIONS][MODES];

__global__ void calculate(const operands<float> *in, floats *out)
{
    operands<float> x = in[threadIdx.x];
    floats &r = out[threadIdx.x];
    FLOATS(NEAREST, rn)
    FLOATS(ZERO, rz)
    FLOATS(UP, ru)
    FLOATS(DOWN, rd)
}

__global__ void calculate(const operands<double> *in, doubles *out)
{
    operands<double> x = in[threadIdx.x];
    doubles &r = out[threadIdx.x];
    DOUBLES(NEAREST, rn)
    DOUBLES(ZERO, rz)
    DOUBLES(UP, ru)
    DOUBLES(DOWN, rd)
}

struct converted {
    float of_double[MODES], of_integer[MODES];
    double wide[MODES];
};

#define CONVERSIONS(m, mode)                                                   \
    out->of_double[m] = __double2float_##mode(x);                              \
    out->of_integer[m] = __ll2float_##mode(whole);                             \
    out->wide[m] = __ll2double_##mode(whole);

__global__ void convert(double x, long long whole, converted *out)
{
    CONVERSIONS(NEAREST, rn)
    CONVERSIONS(ZERO, rz)
    CONVERSIONS(UP, ru)
    CONVERSIONS(DOWN, rd)
}

static uint64_t state = 1;

static uint32_t random_bits()
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

/** Full mantissas; exponents from -@p exponents to exponents. */
static double random_number(int exponents)
{
    double mantissa = 1 + ldexp(random_bits(), -32) + ldexp(random_bits(), -60);
    int exponent = (int)(random_bits() % (2 * exponents + 1)) - exponents;
    return ldexp(random_bits() & 1 ? mantissa : -mantissa, exponent);
}

/** To the last bit, the sign of a zero included; any NaN is as good. */
template <class T>
static void check_same(T actual, T expected)
{
    CHECK((isnan(actual) && isnan(expected)) ||
          !memcmp(&actual, &expected, sizeof actual));
}

/** Compare with this processor, which can be told how to round. */
template <class T>
static void check_results(operands<T> x, const T got[OPERATIONS][MODES])
{
    volatile T a = x.a, b = x.b, c = x.c; // not known before it is told
    for (int m = 0; m < MODES; m++) {
        fesetround(directions[m]);
        volatile T want[] = {
            a + b, a - b, a * b, fma((T)a, (T)b, (T)c), a / b, sqrt(fabs((T)a)),
            1 / a};
        fesetround(FE_TONEAREST);
        for (int op = ADD; op < OPERATIONS; op++)
            check_same(got[op][m], (T)want[op]);
    }
}

template <class T, class Results>
static void operations(T largest, T smallest)
{
    auto *in = shared_zeros<operands<T>>(THREADS);
    Results *out = shared_zeros<Results>(THREADS);
    for (int i = 0; i < THREADS; i++)
        in[i] = {(T)random_number(i % 30), (T)random_number(i % 30),
                 (T)random_number(i % 30)};
    in[0] = {largest, largest, largest};
    in[1] = {-smallest, (T)0.5, (T)-0.0};
    in[2] = {3, 3, -9};
    in[3] = {(T)NAN, 1, 1};
    calculate<<<1, THREADS>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < THREADS; i++)
        check_results(in[i], out[i]);
}

static void conversions()
{
    converted *out = shared_zeros<converted>(1);
    for (int i = 0; i < 100; i++) {
        volatile double x = random_number(30);
        volatile int64_t whole = (uint64_t)random_bits() << 32 | random_bits();
        whole = whole >> i % 63;
        convert<<<1, 1>>>(x, whole, out);
        CHECK_CUDA(cudaDeviceSynchronize());
        for (int m = 0; m < MODES; m++) {
            fesetround(directions[m]);
            volatile float of_double = (float)x, of_integer = (float)whole;
            volatile double wide = (double)whole;
            fesetround(FE_TONEAREST);
            check_same(out->of_double[m], (float)of_double);
            check_same(out->of_integer[m], (float)of_integer);
            check_same(out->wide[m], (double)wide);
        }
    }
}

CASE(directed_rounding)
{
    operations<float, floats>(FLT_MAX, ldexpf(1, -149));
    operations<double, doubles>(DBL_MAX, ldexp(1, -1074));
    conversions();
}
