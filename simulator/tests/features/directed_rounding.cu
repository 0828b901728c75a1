#include "cases.h"
#include <float.h>
#include <math.h>
#include <stdint.h>

// feature: rounding up, down, to zero: __fadd_ru __dmul_rd __fmaf_rz __fdiv_ru
// __dsqrt_rd __double2float_rz __ll2float_ru ..., float and double

enum { ADD, SUB, MUL, FMA, DIV, ROOT, RECIPROCAL, OPERATIONS };
enum { NEAREST, ZERO, UP, DOWN, MODES };
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

__global__ void convert(const double *in, const int64_t *whole, float *out,
                        float *of_whole, double *wide)
{
    double x = *in;
    out[NEAREST] = __double2float_rn(x);
    out[ZERO] = __double2float_rz(x);
    out[UP] = __double2float_ru(x);
    out[DOWN] = __double2float_rd(x);
    of_whole[NEAREST] = __ll2float_rn(*whole);
    of_whole[ZERO] = __ll2float_rz(*whole);
    of_whole[UP] = __ll2float_ru(*whole);
    of_whole[DOWN] = __ll2float_rd(*whole);
    wide[NEAREST] = __ll2double_rn(*whole);
    wide[ZERO] = __ll2double_rz(*whole);
    wide[UP] = __ll2double_ru(*whole);
    wide[DOWN] = __ll2double_rd(*whole);
}

/** Sign of the exact result minus the one that was rounded to nearest. */
static int error_sign(double e)
{
    return (e > 0) - (e < 0);
}

/** Of a sum: what rounding has cut off is a number of the same type. */
template <class T>
static T error_of_sum(T a, T b, T sum)
{
    volatile T x = fabs(a) > fabs(b) ? a : b, y = fabs(a) > fabs(b) ? b : a;
    volatile T rest = sum - x;
    return y - rest;
}

/** Of a multiply-add of floats: their products are exact in double. */
template <class T>
static int fma_sign(operands<T> x, T r)
{
    double product = (double)x.a * x.b, sum = product + x.c;
    return sum != r ? error_sign(sum - r)
                    : error_sign(error_of_sum(product, (double)x.c, sum));
}

/** One multiply-add, rounded once, has the sign of the exact remainder. */
template <class T>
static int exact_sign(int operation, operands<T> x, T r)
{
    switch (operation) {
    case ADD:
        return error_sign(error_of_sum(x.a, x.b, r));
    case SUB:
        return error_sign(error_of_sum(x.a, -x.b, r));
    case MUL:
        return error_sign(fma(x.a, x.b, -r));
    case DIV:
        return error_sign(fma(-r, x.b, x.a)) * (x.b < 0 ? -1 : 1);
    case ROOT:
        return error_sign(fma(-r, r, (T)fabs(x.a)));
    case RECIPROCAL:
        return error_sign(fma(-r, x.a, (T)1)) * (x.a < 0 ? -1 : 1);
    default:
        return fma_sign(x, r);
    }
}

/** @p r has all modes of a number that is r[NEAREST] and a bit of @p sign. */
template <class T>
static void check_modes(const T *r, int sign)
{
    T nearest = r[NEAREST], below = nearest, above = nearest;
    if (sign < 0)
        below = nextafter(nearest, (T)-INFINITY);
    if (sign > 0)
        above = nextafter(nearest, (T)INFINITY);
    CHECK_EQUAL(r[DOWN], below);
    CHECK_EQUAL(r[UP], above);
    CHECK_EQUAL(r[ZERO], nearest > 0 ? below : above);
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

template <class T, class Results>
static void random_operands(bool with_fma)
{
    auto *in = shared_zeros<operands<T>>(THREADS);
    Results *out = shared_zeros<Results>(THREADS);
    for (int i = 0; i < THREADS; i++)
        in[i] = {(T)random_number(i % 30), (T)random_number(i % 30),
                 (T)random_number(i % 30)};
    calculate<<<1, THREADS>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < THREADS; i++)
        for (int op = ADD; op < OPERATIONS; op++)
            if (op != FMA || with_fma)
                check_modes(out[i][op], exact_sign(op, in[i], out[i][op][0]));
}

template <class T>
static bool same(T a, T b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

template <class T, class Results>
static void limits(T largest, T smallest)
{
    auto *in = shared_zeros<operands<T>>(4);
    Results *out = shared_zeros<Results>(4);
    in[0] = {largest, largest, largest};
    in[1] = {-smallest, (T)0.5, (T)-0.0};
    in[2] = {3, 3, -9};
    in[3] = {(T)NAN, 1, 1};
    calculate<<<1, 4>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    T inf = INFINITY;
    for (int op : {ADD, MUL, FMA}) {
        CHECK(out[0][op][NEAREST] == inf && out[0][op][UP] == inf);
        CHECK(out[0][op][ZERO] == largest && out[0][op][DOWN] == largest);
    }
    for (int op : {MUL, FMA}) {
        CHECK(same(out[1][op][NEAREST], (T)-0.0));
        CHECK(same(out[1][op][UP], (T)-0.0));
        CHECK(same(out[1][op][ZERO], (T)-0.0));
        CHECK(out[1][op][DOWN] == -smallest);
    }
    CHECK(same(out[2][SUB][DOWN], (T)-0.0) && same(out[2][SUB][UP], (T)0));
    CHECK(same(out[2][FMA][DOWN], (T)-0.0) && same(out[2][FMA][ZERO], (T)0));
    CHECK(out[2][DIV][UP] == 1 && out[2][DIV][DOWN] == 1);
    CHECK(isnan(out[3][MUL][DOWN]) && isnan(out[3][ROOT][UP]));
}

static void conversions()
{
    double *x = shared_zeros<double>(1), *wide = shared_zeros<double>(MODES);
    int64_t *whole = shared_zeros<int64_t>(1);
    float *out = shared_zeros<float>(MODES);
    float *of_whole = shared_zeros<float>(MODES);
    for (int i = 0; i < 100; i++) {
        *x = random_number(30);
        *whole = (int64_t)((uint64_t)random_bits() << 32 | random_bits());
        *whole >>= i % 63;
        convert<<<1, 1>>>(x, whole, out, of_whole, wide);
        CHECK_CUDA(cudaDeviceSynchronize());
        check_modes(out, error_sign(*x - out[NEAREST]));
        long double exact = *whole; // 64 bits and more
        check_modes(of_whole, (exact > of_whole[0]) - (exact < of_whole[0]));
        check_modes(wide, (exact > wide[0]) - (exact < wide[0]));
    }
}

CASE(directed_rounding)
{
    random_operands<float, floats>(true);
    random_operands<double, doubles>(false);
    limits<float, floats>(FLT_MAX, ldexpf(1, -149));
    limits<double, doubles>(DBL_MAX, ldexp(1, -1074));
    conversions();
}
