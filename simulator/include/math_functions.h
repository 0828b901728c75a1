/**
 * @file math_functions.h
 * @brief Device arithmetic: integer and float intrinsics, min, max, casts.
 *
 * What differs between a GPU and x86 follows the GPU: conversions to integer
 * saturate; counts of a zero word are 32; rounding up, down and to zero is
 * exact. The fast variants (__expf) are as accurate as the plain ones here.
 */
#ifndef MATH_FUNCTIONS_H
#define MATH_FUNCTIONS_H

#include <cmath>
#include <cstdlib>
#include <math.h>
#include <stdlib.h>

#include "host_defines.h"
#include "vector_types.h"

/* ---- min, max, abs ------------------------------------------------------ */

#define SIM_MIN_MAX(A, B, T)                                                   \
    SIM_IS(T, min, (A a, B b), (T)a < (T)b ? (T)a : (T)b)                      \
    SIM_IS(T, max, (A a, B b), (T)a > (T)b ? (T)a : (T)b)
SIM_MIN_MAX(int, int, int)
SIM_MIN_MAX(unsigned, unsigned, unsigned)
SIM_MIN_MAX(int, unsigned, unsigned)
SIM_MIN_MAX(unsigned, int, unsigned)
SIM_MIN_MAX(long, long, long)
SIM_MIN_MAX(unsigned long, unsigned long, unsigned long)
SIM_MIN_MAX(long, unsigned long, unsigned long)
SIM_MIN_MAX(unsigned long, long, unsigned long)
SIM_MIN_MAX(long long, long long, long long)
SIM_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
SIM_MIN_MAX(long long, unsigned long long, unsigned long long)
SIM_MIN_MAX(unsigned long long, long long, unsigned long long)
#undef SIM_MIN_MAX

/* One operand NaN: the other one is the result. */
#define SIM_MIN_MAX_FLOAT(A, B, T, suffix)                                     \
    SIM_IS(T, min, (A a, B b), __builtin_fmin##suffix(a, b))                   \
    SIM_IS(T, max, (A a, B b), __builtin_fmax##suffix(a, b))
SIM_MIN_MAX_FLOAT(float, float, float, f)
SIM_MIN_MAX_FLOAT(double, double, double, )
SIM_MIN_MAX_FLOAT(float, double, double, )
SIM_MIN_MAX_FLOAT(double, float, double, )
#undef SIM_MIN_MAX_FLOAT

SIM_IS(unsigned, umin, (unsigned a, unsigned b), a < b ? a : b)
SIM_IS(unsigned, umax, (unsigned a, unsigned b), a > b ? a : b)

/* ---- integers ----------------------------------------------------------- */

SIM_IS(int, __popc, (unsigned x), __builtin_popcount(x))
SIM_IS(int, __popcll, (unsigned long long x), __builtin_popcountll(x))

/** 1 + number of the lowest set bit; 0 if there is none. */
SIM_IS(int, __ffs, (int x), __builtin_ffs(x))
SIM_IS(int, __ffsll, (long long x), __builtin_ffsll(x))
SIM_IS(int, __clz, (int x), x ? __builtin_clz((unsigned)x) : 32)
SIM_IS(int, __clzll, (long long x),
       x ? __builtin_clzll((unsigned long long)x) : 64)

SIM_INLINE unsigned __brev(unsigned x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

SIM_IS(unsigned long long, __brevll, (unsigned long long x),
       (unsigned long long)__brev((unsigned)x) << 32 |
           __brev((unsigned)(x >> 32)))

/** 4 bytes out of the 8 of b:a; each digit of the selector picks one. */
SIM_INLINE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned result = 0;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        unsigned digit = selector >> 4 * i;
        unsigned byte = (unsigned)(bytes >> (digit & 7) * 8) & 0xff;
        if (digit & 8) // the sign of that byte, eight times
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}

/** High half of the shifted 64-bit number hi:lo; shift modulo 32. */
SIM_INLINE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift)
{
    unsigned long long both = (unsigned long long)hi << 32 | lo;
    return (unsigned)(both << (shift & 31) >> 32);
}

SIM_INLINE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift)
{
    unsigned long long both = (unsigned long long)hi << 32 | lo;
    return (unsigned)(both >> (shift & 31));
}

/** _lc, _rc: the shift ends at 32. */
SIM_IS(unsigned, __funnelshift_lc, (unsigned lo, unsigned hi, unsigned shift),
       shift >= 32 ? lo : __funnelshift_l(lo, hi, shift))
SIM_IS(unsigned, __funnelshift_rc, (unsigned lo, unsigned hi, unsigned shift),
       shift >= 32 ? hi : __funnelshift_r(lo, hi, shift))

/** Product of the low 24 bits. */
SIM_INLINE int __mul24(int a, int b)
{
    long long x = (int)((unsigned)a << 8) >> 8;
    long long y = (int)((unsigned)b << 8) >> 8;
    return (int)(x * y);
}

SIM_IS(unsigned, __umul24, (unsigned a, unsigned b),
       (a & 0xffffff) * (b & 0xffffff))
SIM_IS(int, __mulhi, (int a, int b), (int)((long long)a *b >> 32))
SIM_IS(unsigned, __umulhi, (unsigned a, unsigned b),
       (unsigned)((unsigned long long)a *b >> 32))
SIM_IS(long long, __mul64hi, (long long a, long long b),
       (long long)((__int128)a *b >> 64))
SIM_IS(unsigned long long, __umul64hi,
       (unsigned long long a, unsigned long long b),
       (unsigned long long)((unsigned __int128)a *b >> 64))

/** |a - b| + c. */
SIM_IS(unsigned, __sad, (int a, int b, unsigned c),
       (a > b ? (unsigned)a - b : (unsigned)b - a) + c)
SIM_IS(unsigned, __usad, (unsigned a, unsigned b, unsigned c),
       (a > b ? a - b : b - a) + c)

/** Mean, rounded down, without overflow. */
SIM_IS(int, __hadd, (int a, int b), (int)(((long long)a + b) >> 1))
SIM_IS(unsigned, __uhadd, (unsigned a, unsigned b),
       (unsigned)(((unsigned long long)a + b) >> 1))

/** Mean, rounded up. */
SIM_IS(int, __rhadd, (int a, int b), (int)(((long long)a + b + 1) >> 1))
SIM_IS(unsigned, __urhadd, (unsigned a, unsigned b),
       (unsigned)(((unsigned long long)a + b + 1) >> 1))

/** Sum of the products of four signed bytes, and c. */
SIM_INLINE int __dp4a(int a, int b, int c)
{
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        c += (signed char)(a >> 8 * i) * (signed char)(b >> 8 * i);
    return c;
}

SIM_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        c += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
    return c;
}

/* ---- bits as another type ----------------------------------------------- */

#define SIM_BITS(name, From, To)                                               \
    SIM_INLINE To name(From x)                                                 \
    {                                                                          \
        To result;                                                             \
        __builtin_memcpy(&result, &x, sizeof result);                          \
        return result;                                                         \
    }
SIM_BITS(__float_as_int, float, int)
SIM_BITS(__float_as_uint, float, unsigned)
SIM_BITS(__int_as_float, int, float)
SIM_BITS(__uint_as_float, unsigned, float)
SIM_BITS(__double_as_longlong, double, long long)
SIM_BITS(__longlong_as_double, long long, double)
#undef SIM_BITS

SIM_IS(int, __double2hiint, (double x), (int)(__double_as_longlong(x) >> 32))
SIM_IS(int, __double2loint, (double x), (int)__double_as_longlong(x))
SIM_IS(double, __hiloint2double, (int hi, int lo),
       __longlong_as_double((long long)hi << 32 | (unsigned)lo))

/* ---- float to integer: saturating --------------------------------------- */

/*
 * Of NaN 0, but the word 100...0 where 64 bits take part, as PTX says.
 * 2^(bits - 1) or 2^bits is exact in float; the largest integer is not.
 */
#define SIM_SATURATE(name, From, To, below, above, smallest, largest, nan)     \
    SIM_IS(To, name, (From x),                                                 \
           x != x       ? (To)(nan)                                            \
           : x >= above ? (To)(largest)                                        \
           : x <= below ? (To)(smallest)                                       \
                        : (To)x)
#define SIM_SATURATE_INT(From, nan)                                            \
    SIM_SATURATE(sim_to_int, From, int, -0x1p31f, 0x1p31f, 1u << 31,           \
                 0x7fffffff, nan)                                              \
    SIM_SATURATE(sim_to_uint, From, unsigned, 0, 0x1p32f, 0, 0xffffffffu, nan)
#define SIM_SATURATE_LONG(From)                                                \
    SIM_SATURATE(sim_to_ll, From, long long, -0x1p63f, 0x1p63f, 1ull << 63,    \
                 ~(1ull << 63), 1ull << 63)                                    \
    SIM_SATURATE(sim_to_ull, From, unsigned long long, 0, 0x1p64f, 0, ~0ull,   \
                 1ull << 63)
SIM_SATURATE_INT(float, 0)
SIM_SATURATE(sim_to_char, float, signed char, -0x1p7f, 0x1p7f, -128, 127, 0)
SIM_SATURATE(sim_to_uchar, float, unsigned char, 0, 0x1p8f, 0, 255, 0)
SIM_SATURATE(sim_to_short, float, short, -0x1p15f, 0x1p15f, -32768, 32767, 0)
SIM_SATURATE(sim_to_ushort, float, unsigned short, 0, 0x1p16f, 0, 65535, 0)
SIM_SATURATE_INT(double, 1u << 31)
SIM_SATURATE_LONG(float)
SIM_SATURATE_LONG(double)
#undef SIM_SATURATE_LONG
#undef SIM_SATURATE_INT
#undef SIM_SATURATE

/* Each type and rounding mode: to nearest even, to zero, up, down. */
#define SIM_CONVERT(From, from, round, To, to, convert)                        \
    SIM_IS(To, __##from##2##to##_rn, (From x), convert(rint##round(x)))        \
    SIM_IS(To, __##from##2##to##_rz, (From x), convert(x))                     \
    SIM_IS(To, __##from##2##to##_ru, (From x), convert(ceil##round(x)))        \
    SIM_IS(To, __##from##2##to##_rd, (From x), convert(floor##round(x)))
SIM_CONVERT(float, float, f, int, int, sim_to_int)
SIM_CONVERT(float, float, f, unsigned, uint, sim_to_uint)
SIM_CONVERT(float, float, f, long long, ll, sim_to_ll)
SIM_CONVERT(float, float, f, unsigned long long, ull, sim_to_ull)
SIM_CONVERT(double, double, , int, int, sim_to_int)
SIM_CONVERT(double, double, , unsigned, uint, sim_to_uint)
SIM_CONVERT(double, double, , long long, ll, sim_to_ll)
SIM_CONVERT(double, double, , unsigned long long, ull, sim_to_ull)
#undef SIM_CONVERT

SIM_IS(float, __int2float_rn, (int x), (float)x)
SIM_IS(float, __uint2float_rn, (unsigned x), (float)x)
SIM_IS(float, __ll2float_rn, (long long x), (float)x)
SIM_IS(float, __ull2float_rn, (unsigned long long x), (float)x)
SIM_IS(double, __ll2double_rn, (long long x), (double)x)
SIM_IS(double, __ull2double_rn, (unsigned long long x), (double)x)
SIM_IS(float, __double2float_rn, (double x), (float)x)
SIM_IS(double, __int2double_rn, (int x), x)
SIM_IS(double, __uint2double_rn, (unsigned x), x)

/* ---- float and double --------------------------------------------------- */

/*
 * An operation with _rn in its name is never fused into a multiply-add, nor is
 * it the same as a plain one to the compiler: a function of its own. lower.py
 * makes one instruction of the call.
 */
#ifdef __clang__
#define SIM_ALONE                                                              \
    __attribute__((noinline, const, disable_sanitizer_instrumentation))
#else
#define SIM_ALONE __attribute__((noinline, noclone, const))
#endif
#define SIM_ROUNDED(name, T, expression)                                       \
    extern "C" inline SIM_ALONE T sim##name(T a, T b)                          \
    {                                                                          \
        return expression;                                                     \
    }                                                                          \
    SIM_IS(T, name, (T a, T b), sim##name(a, b))
SIM_ROUNDED(__fadd_rn, float, a + b)
SIM_ROUNDED(__fsub_rn, float, a - b)
SIM_ROUNDED(__fmul_rn, float, a *b)
SIM_ROUNDED(__dadd_rn, double, a + b)
SIM_ROUNDED(__dsub_rn, double, a - b)
SIM_ROUNDED(__dmul_rn, double, a *b)
#undef SIM_ROUNDED
#undef SIM_ALONE

SIM_IS(float, __fdiv_rn, (float a, float b), a / b)
SIM_IS(float, __fdividef, (float a, float b), a / b)
SIM_IS(float, fdividef, (float a, float b), a / b)
SIM_IS(double, __ddiv_rn, (double a, double b), a / b)
SIM_IS(float, __fmaf_rn, (float a, float b, float c), __builtin_fmaf(a, b, c))
SIM_IS(double, __fma_rn, (double a, double b, double c), __builtin_fma(a, b, c))
SIM_IS(float, __frcp_rn, (float x), 1.0f / x)
SIM_IS(double, __drcp_rn, (double x), 1.0 / x)
SIM_IS(float, __fsqrt_rn, (float x), __builtin_sqrtf(x))
SIM_IS(double, __dsqrt_rn, (double x), __builtin_sqrt(x))

/* Rounded to zero, up and down: the runtime does one operation each. */
#define SIM_DIRECTED(suffix, rounding)                                         \
    SIM_DIRECTED_OF(float, f, __fmaf_##suffix, suffix, rounding)               \
    SIM_DIRECTED_OF(double, d, __fma_##suffix, suffix, rounding)               \
    SIM_IS(float, __double2float_##suffix, (double x),                         \
           sim_round_to_float(rounding, x))                                    \
    SIM_IS(float, __int2float_##suffix, (int x),                               \
           sim_round_to_float(rounding, x))                                    \
    SIM_IS(float, __uint2float_##suffix, (unsigned x),                         \
           sim_round_to_float(rounding, x))                                    \
    SIM_DIRECTED_LONG(long long, ll, suffix, rounding)                         \
    SIM_DIRECTED_LONG(unsigned long long, ull, suffix, rounding)
#define SIM_DIRECTED_OF(T, t, fma_name, suffix, rounding)                      \
    SIM_DIRECTED_AS(T, __##t##add_##suffix, SIM_SUM, rounding)                 \
    SIM_DIRECTED_AS(T, __##t##sub_##suffix, SIM_DIFFERENCE, rounding)          \
    SIM_DIRECTED_AS(T, __##t##mul_##suffix, SIM_PRODUCT, rounding)             \
    SIM_DIRECTED_AS(T, __##t##div_##suffix, SIM_QUOTIENT, rounding)            \
    SIM_IS(T, fma_name, (T a, T b, T c),                                       \
           sim_round_##T(SIM_MULTIPLY_ADD, rounding, a, b, c))                 \
    SIM_IS(T, __##t##rcp_##suffix, (T x),                                      \
           sim_round_##T(SIM_QUOTIENT, rounding, 1, x, 0))                     \
    SIM_IS(T, __##t##sqrt_##suffix, (T x),                                     \
           sim_round_##T(SIM_ROOT, rounding, x, 0, 0))
#define SIM_DIRECTED_AS(T, name, operation, rounding)                          \
    SIM_IS(T, name, (T a, T b), sim_round_##T(operation, rounding, a, b, 0))
#define SIM_DIRECTED_LONG(T, t, suffix, rounding)                              \
    SIM_IS(                                                                    \
        float, __##t##2float_##suffix, (T x),                                  \
        sim_round_integer_to_float(rounding, (int64_t)(x >> 32), (uint32_t)x)) \
    SIM_IS(double, __##t##2double_##suffix, (T x),                             \
           sim_round_integer_to_double(rounding, (int64_t)(x >> 32),           \
                                       (uint32_t)x))
SIM_DIRECTED(rz, SIM_TO_ZERO)
SIM_DIRECTED(ru, SIM_UP)
SIM_DIRECTED(rd, SIM_DOWN)
#undef SIM_DIRECTED
#undef SIM_DIRECTED_OF
#undef SIM_DIRECTED_AS
#undef SIM_DIRECTED_LONG

// C23 has these, too, and newer C libraries (glibc 2.41, 2.42) declare them as
// functions of their own: ours go by other names.
#define rsqrtf sim_rsqrtf
#define rsqrt sim_rsqrt
#define sinpif sim_sinpif
#define sinpi sim_sinpi
#define cospif sim_cospif
#define cospi sim_cospi

SIM_IS(float, rsqrtf, (float x), 1.0f / __builtin_sqrtf(x))
SIM_IS(double, rsqrt, (double x), 1.0 / __builtin_sqrt(x))
SIM_IS(float, __frsqrt_rn, (float x), rsqrtf(x))
/** Into [0, 1]; of NaN 0. */
SIM_IS(float, __saturatef, (float x), x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f)

/* Of a function of doubles: the one for floats, under both names. */
#define SIM_FLOAT_1(name)                                                      \
    SIM_IS(float, name##f, (float x), (float)name((double)x))                  \
    SIM_IS(float, name, (float x), name##f(x))
#define SIM_DOUBLE_1(name, ...)                                                \
    SIM_IS(double, name, (double x), __VA_ARGS__)                              \
    SIM_FLOAT_1(name)

SIM_DOUBLE_1(rcbrt, 1.0 / cbrt(x))

/** sin(pi * x), of the next quarter cos(pi * x): exact at multiples of 1/2. */
SIM_INLINE double sim_sinpi_of(double x, int quarter)
{
    double halves = rint(2 * x), rest = M_PI * (x - halves / 2);
    quarter += (int)fmod(halves, 4.0);
    double value = quarter & 1 ? cos(rest) : sin(rest);
    return quarter & 2 ? 0.0 - value : value;
}
SIM_DOUBLE_1(sinpi, sim_sinpi_of(x, 0))
SIM_DOUBLE_1(cospi, sim_sinpi_of(x, 1))

template <class T>
SIM_INLINE void sincospi(T x, T *sine, T *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}
#define sincospif sincospi

/** Of y = 1 - z, from 0 on: Halley's method from the guess of Abramowitz and
 * Stegun, 26.2.22. */
SIM_INLINE double sim_erfinv(double y, double z)
{
    double t = sqrt(-2 * log(z / 2));
    double x = M_SQRT1_2 * (t - (2.30753 + t * 0.27061) /
                                    (1 + t * (0.99229 + t * 0.04481)));
    for (int i = 0; i < 4; i++) {
        double error = y < 0.5 ? y - erf(x) : erfc(x) - z;
        x += error / (M_2_SQRTPI * exp(-x * x) - x * error);
    }
    return z == 0 ? INFINITY : x;
}
SIM_IS(double, erfinv, (double y),
       copysign(sim_erfinv(fabs(y), 1 - fabs(y)), y))
SIM_IS(double, erfcinv, (double z),
       z > 1 ? -sim_erfinv(z - 1, 2 - z) : sim_erfinv(1 - z, z))
SIM_FLOAT_1(erfcinv)
SIM_FLOAT_1(erfinv)

/** The standard normal distribution, and its inverse. */
SIM_DOUBLE_1(normcdf, 0.5 * erfc(-x * M_SQRT1_2))
SIM_DOUBLE_1(normcdfinv, -M_SQRT2 *erfcinv(2 * x))

/** The length of a vector and its reciprocal: 2, 3, 4 and n numbers. */
SIM_IS(double, rhypot, (double x, double y), 1 / hypot(x, y))
SIM_IS(float, rhypotf, (float x, float y), 1 / hypotf(x, y))
#define SIM_NORMS(T, f)                                                        \
    SIM_IS(T, norm3d##f, (T x, T y, T z), (T)hypot(hypot((double)x, y), z))    \
    SIM_IS(T, rnorm3d##f, (T x, T y, T z), 1 / norm3d##f(x, y, z))             \
    SIM_IS(T, norm4d##f, (T x, T y, T z, T w),                                 \
           norm3d##f(norm3d##f(x, y, z), w, 0))                                \
    SIM_IS(T, rnorm4d##f, (T x, T y, T z, T w), 1 / norm4d##f(x, y, z, w))     \
    SIM_INLINE T norm##f(int n, const T *x)                                    \
    {                                                                          \
        double length = 0;                                                     \
        for (int i = 0; i < n; i++)                                            \
            length = hypot(length, (double)x[i]);                              \
        return (T)length;                                                      \
    }                                                                          \
    SIM_IS(T, rnorm##f, (int n, const T *x), 1 / norm##f(n, x))
SIM_NORMS(double, )
SIM_NORMS(float, f)
#undef SIM_NORMS
#undef SIM_DOUBLE_1
#undef SIM_FLOAT_1

/* Macros: glibc declares functions of some of these names. */
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __sincosf(x, s, c) sincosf(x, s, c)

#endif
