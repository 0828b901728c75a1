/**
 * @file small_float.h
 * @brief A number of 16 bits and a pair of them: types and functions.
 *
 * Not guarded: cuda_fp16.h includes it for half, cuda_bf16.h for bfloat16, each
 * with these macros, which it removes at its end.
 *
 *     SIM_T SIM_T2           __half, __half2
 *     SIM_RAW SIM_RAW2       their bits, as structures
 *     SIM_OTHER              the other one's type
 *     SIM_FORMAT             of sim.h
 *     SIM_ATOMIC_ADD_SMALL   of sim.h
 *     SIM_NAME(a, b)         a name: SIM_NAME(__float2, _rn) is __float2half_rn
 *     SIM_TWICE              __half2half2
 *
 * The arithmetic is in runtime/core/small_float.c. That keeps it out of the
 * counters of float32, and it cannot be fused.
 */
#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

/** The bits of a number, without its operators. */
struct SIM_RAW {
    unsigned short x;
};

/** The bits of a pair. */
struct alignas(4) SIM_RAW2 {
    unsigned short x, y;
};

/* ---- one number --------------------------------------------------------- */

struct alignas(2) SIM_T {
  protected:
    unsigned short bits;

    SIM_METHOD void take(double x)
    {
        bits = sim_small_from(SIM_FORMAT, SIM_TO_NEAREST, x);
    }

    SIM_METHOD void take_integer(long long high, unsigned low)
    {
        bits = sim_small_from_integer(SIM_FORMAT, SIM_TO_NEAREST, high, low);
    }

  public:
    SIM_T() = default;
    SIM_METHOD constexpr SIM_T(const SIM_RAW &raw) : bits(raw.x)
    {
    }
#define SIM_FROM(T, ...)                                                       \
    SIM_METHOD SIM_T(T x)                                                      \
    {                                                                          \
        __VA_ARGS__;                                                           \
    }
    SIM_FROM(float, take(x))
    SIM_FROM(double, take(x))
    SIM_FROM(short, take(x))
    SIM_FROM(unsigned short, take(x))
    SIM_FROM(int, take(x))
    SIM_FROM(unsigned, take(x))
    SIM_FROM(long, take_integer(x >> 32, (unsigned)x))
    SIM_FROM(unsigned long, take_integer((long long)(x >> 32), (unsigned)x))
    SIM_FROM(long long, take_integer(x >> 32, (unsigned)x))
    SIM_FROM(unsigned long long,
             take_integer((long long)(x >> 32), (unsigned)x))
#undef SIM_FROM

    explicit SIM_T(SIM_OTHER x); // in cuda_bf16.h

    SIM_METHOD operator SIM_RAW() const
    {
        return SIM_RAW{bits};
    }
    SIM_METHOD operator SIM_RAW() const volatile
    {
        return SIM_RAW{bits};
    }
    SIM_METHOD operator float() const
    {
        return sim_small_value(SIM_FORMAT, bits);
    }
    SIM_METHOD constexpr operator bool() const
    {
        return (bits & 0x7fff) != 0;
    }

/* To integers: toward zero. */
#define SIM_TO_INTEGER(T, convert)                                             \
    SIM_METHOD operator T() const                                              \
    {                                                                          \
        return convert(sim_small_value(SIM_FORMAT, bits));                     \
    }
    SIM_TO_INTEGER(signed char, sim_to_char)
    SIM_TO_INTEGER(unsigned char, sim_to_uchar)
    SIM_TO_INTEGER(char, sim_to_char)
    SIM_TO_INTEGER(short, sim_to_short)
    SIM_TO_INTEGER(unsigned short, sim_to_ushort)
    SIM_TO_INTEGER(int, sim_to_int)
    SIM_TO_INTEGER(unsigned, sim_to_uint)
    SIM_TO_INTEGER(long, sim_to_ll)
    SIM_TO_INTEGER(unsigned long, sim_to_ull)
    SIM_TO_INTEGER(long long, sim_to_ll)
    SIM_TO_INTEGER(unsigned long long, sim_to_ull)
#undef SIM_TO_INTEGER

#define SIM_ASSIGN(From)                                                       \
    SIM_METHOD SIM_T &operator=(From x)                                        \
    {                                                                          \
        return *this = SIM_T(x);                                               \
    }
    SIM_ASSIGN(float)
    SIM_ASSIGN(double)
    SIM_ASSIGN(short)
    SIM_ASSIGN(unsigned short)
    SIM_ASSIGN(int)
    SIM_ASSIGN(unsigned)
    SIM_ASSIGN(long long)
    SIM_ASSIGN(unsigned long long)
#undef SIM_ASSIGN

    SIM_METHOD SIM_T &operator=(const SIM_RAW &raw)
    {
        bits = raw.x;
        return *this;
    }
    SIM_METHOD volatile SIM_T &operator=(const SIM_RAW &raw) volatile
    {
        bits = raw.x;
        return *this;
    }
};

/** The bits of a number. */
SIM_IS(unsigned short, sim_small_bits, (SIM_T x), static_cast<SIM_RAW>(x).x)

/** A number of given bits. */
SIM_INLINE SIM_T SIM_NAME(__ushort_as_, )(unsigned short bits)
{
    return SIM_RAW{bits};
}

SIM_INLINE SIM_T SIM_NAME(__short_as_, )(short bits)
{
    return SIM_RAW{(unsigned short)bits};
}

SIM_IS(unsigned short, SIM_NAME(__, _as_ushort), (SIM_T x), sim_small_bits(x))
SIM_IS(short, SIM_NAME(__, _as_short), (SIM_T x), (short)sim_small_bits(x))

/* ---- a pair ------------------------------------------------------------- */

/** Copied as one word, as on a GPU: a copy is one access of 4 bytes. */
struct alignas(4) SIM_T2 {
    SIM_T x, y;

    SIM_T2() = default;
    SIM_METHOD constexpr SIM_T2(const SIM_T &a, const SIM_T &b) : x(a), y(b)
    {
    }
    SIM_METHOD SIM_T2(const SIM_T2 &other)
    {
        *this = other;
    }
    SIM_METHOD SIM_T2(const SIM_RAW2 &raw)
        : x(SIM_RAW{raw.x}), y(SIM_RAW{raw.y})
    {
    }
    SIM_METHOD SIM_T2 &operator=(const SIM_T2 &other)
    {
        *(unsigned *)this = *(const unsigned *)&other;
        return *this;
    }
    SIM_METHOD operator SIM_RAW2() const
    {
        return SIM_RAW2{sim_small_bits(x), sim_small_bits(y)};
    }
};

SIM_IS(SIM_T2, SIM_NAME(make_, 2), (SIM_T x, SIM_T y), SIM_T2(x, y))
SIM_IS(SIM_T2, SIM_NAME(__halves2, 2), (SIM_T low, SIM_T high),
       SIM_T2(low, high))
SIM_IS(SIM_T2, SIM_TWICE, (SIM_T x), SIM_T2(x, x))
SIM_IS(SIM_T, SIM_NAME(__low2, ), (SIM_T2 pair), pair.x)
SIM_IS(SIM_T, SIM_NAME(__high2, ), (SIM_T2 pair), pair.y)
SIM_IS(SIM_T2, SIM_NAME(__low2, 2), (SIM_T2 pair), SIM_T2(pair.x, pair.x))
SIM_IS(SIM_T2, SIM_NAME(__high2, 2), (SIM_T2 pair), SIM_T2(pair.y, pair.y))
SIM_IS(SIM_T2, SIM_NAME(__lows2, 2), (SIM_T2 a, SIM_T2 b), SIM_T2(a.x, b.x))
SIM_IS(SIM_T2, SIM_NAME(__highs2, 2), (SIM_T2 a, SIM_T2 b), SIM_T2(a.y, b.y))
SIM_IS(SIM_T2, __lowhigh2highlow, (SIM_T2 pair), SIM_T2(pair.y, pair.x))

/* ---- from and to float --------------------------------------------------- */

SIM_IS(float, SIM_NAME(__, 2float), (SIM_T x), (float)x)
SIM_IS(SIM_T, SIM_NAME(__double2, ), (double x), SIM_T(x))
SIM_IS(SIM_T, SIM_NAME(__float2, ), (float x), SIM_T(x))

/* In the four directions: to nearest, to zero, up, down. */
#define SIM_FROM_FLOAT(ending, rounding)                                       \
    SIM_INLINE SIM_T SIM_NAME(__float2, ending)(float x)                       \
    {                                                                          \
        return SIM_RAW{sim_small_from(SIM_FORMAT, rounding, x)};               \
    }
SIM_FROM_FLOAT(_rn, SIM_TO_NEAREST)
SIM_FROM_FLOAT(_rz, SIM_TO_ZERO)
SIM_FROM_FLOAT(_ru, SIM_UP)
SIM_FROM_FLOAT(_rd, SIM_DOWN)
#undef SIM_FROM_FLOAT

SIM_IS(float, __low2float, (SIM_T2 pair), (float)pair.x)
SIM_IS(float, __high2float, (SIM_T2 pair), (float)pair.y)
SIM_IS(float2, SIM_NAME(__, 22float2), (SIM_T2 pair),
       make_float2((float)pair.x, (float)pair.y))
SIM_IS(SIM_T2, SIM_NAME(__float22, 2_rn), (float2 pair),
       SIM_T2(SIM_T(pair.x), SIM_T(pair.y)))
SIM_IS(SIM_T2, SIM_NAME(__floats2, 2_rn), (float low, float high),
       SIM_T2(SIM_T(low), SIM_T(high)))
SIM_IS(SIM_T2, SIM_NAME(__float2, 2_rn), (float x), SIM_TWICE(SIM_T(x)))

/* ---- from and to integers ------------------------------------------------ */

#define SIM_INTEGER(T, t)                                                      \
    SIM_TO_AND_FROM(T, t, _rn, SIM_TO_NEAREST, rintf)                          \
    SIM_TO_AND_FROM(T, t, _rz, SIM_TO_ZERO, truncf)                            \
    SIM_TO_AND_FROM(T, t, _ru, SIM_UP, ceilf)                                  \
    SIM_TO_AND_FROM(T, t, _rd, SIM_DOWN, floorf)
#define SIM_TO_AND_FROM(T, t, ending, rounding, whole)                         \
    SIM_INLINE T SIM_NAME(__, 2##t##ending)(SIM_T x)                           \
    {                                                                          \
        return sim_to_##t(whole((float)x));                                    \
    }                                                                          \
    SIM_INLINE SIM_T SIM_NAME(__##t##2, ending)(T x)                           \
    {                                                                          \
        return SIM_RAW{sim_small_from_integer(SIM_FORMAT, rounding,            \
                                              (long long)((__int128)x >> 32),  \
                                              (unsigned)x)};                   \
    }
SIM_INTEGER(short, short)
SIM_INTEGER(unsigned short, ushort)
SIM_INTEGER(int, int)
SIM_INTEGER(unsigned, uint)
SIM_INTEGER(long long, ll)
SIM_INTEGER(unsigned long long, ull)
#undef SIM_TO_AND_FROM
#undef SIM_INTEGER

SIM_IS(signed char, SIM_NAME(__, 2char_rz), (SIM_T x), sim_to_char((float)x))
SIM_IS(unsigned char, SIM_NAME(__, 2uchar_rz), (SIM_T x),
       sim_to_uchar((float)x))

/* ---- arithmetic ---------------------------------------------------------- */

SIM_INLINE SIM_T sim_small(int operation, SIM_T a, SIM_T b = SIM_RAW{0},
                           SIM_T c = SIM_RAW{0})
{
    return SIM_RAW{sim_small_calculate(SIM_FORMAT, operation, sim_small_bits(a),
                                       sim_small_bits(b), sim_small_bits(c))};
}

/* A function of one number, and that of pairs which does it twice. */
#define SIM_OF_ONE(name, name2, expression)                                    \
    SIM_IS(SIM_T, name, (SIM_T x), expression)                                 \
    SIM_IS(SIM_T2, name2, (SIM_T2 pair), SIM_T2(name(pair.x), name(pair.y)))
/* The same of two and of three. */
#define SIM_OF_TWO(name, name2, operation)                                     \
    SIM_IS(SIM_T, name, (SIM_T a, SIM_T b), sim_small(operation, a, b))        \
    SIM_IS(SIM_T2, name2, (SIM_T2 a, SIM_T2 b),                                \
           SIM_T2(name(a.x, b.x), name(a.y, b.y)))
#define SIM_OF_THREE(name, name2, operation)                                   \
    SIM_IS(SIM_T, name, (SIM_T a, SIM_T b, SIM_T c),                           \
           sim_small(operation, a, b, c))                                      \
    SIM_IS(SIM_T2, name2, (SIM_T2 a, SIM_T2 b, SIM_T2 c),                      \
           SIM_T2(name(a.x, b.x, c.x), name(a.y, b.y, c.y)))

SIM_OF_TWO(__hadd, __hadd2, SIM_SUM)
SIM_OF_TWO(__hsub, __hsub2, SIM_DIFFERENCE)
SIM_OF_TWO(__hmul, __hmul2, SIM_PRODUCT)
SIM_OF_TWO(__hadd_rn, __hadd2_rn, SIM_SUM)
SIM_OF_TWO(__hsub_rn, __hsub2_rn, SIM_DIFFERENCE)
SIM_OF_TWO(__hmul_rn, __hmul2_rn, SIM_PRODUCT)
SIM_OF_TWO(__hadd_sat, __hadd2_sat, SIM_SUM | SIM_SATURATED)
SIM_OF_TWO(__hsub_sat, __hsub2_sat, SIM_DIFFERENCE | SIM_SATURATED)
SIM_OF_TWO(__hmul_sat, __hmul2_sat, SIM_PRODUCT | SIM_SATURATED)
SIM_OF_TWO(__hdiv, __h2div, SIM_QUOTIENT)
SIM_OF_TWO(__hmin, __hmin2, SIM_MINIMUM)
SIM_OF_TWO(__hmax, __hmax2, SIM_MAXIMUM)
SIM_OF_TWO(__hmin_nan, __hmin2_nan, SIM_MINIMUM_NAN)
SIM_OF_TWO(__hmax_nan, __hmax2_nan, SIM_MAXIMUM_NAN)
SIM_OF_THREE(__hfma, __hfma2, SIM_MULTIPLY_ADD)
SIM_OF_THREE(__hfma_sat, __hfma2_sat, SIM_MULTIPLY_ADD | SIM_SATURATED)
SIM_OF_THREE(__hfma_relu, __hfma2_relu, SIM_MULTIPLY_ADD | SIM_NOT_NEGATIVE)

SIM_OF_ONE(__habs, __habs2,
           (SIM_RAW{(unsigned short)(sim_small_bits(x) & 0x7fff)}))
SIM_OF_ONE(__hneg, __hneg2,
           (SIM_RAW{(unsigned short)(sim_small_bits(x) ^ 0x8000)}))

/** a * b + c of complex numbers: x is the real part. */
SIM_IS(SIM_T2, __hcmadd, (SIM_T2 a, SIM_T2 b, SIM_T2 c),
       SIM_T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
              __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))))

/* ---- functions ----------------------------------------------------------- */

SIM_OF_ONE(hsqrt, h2sqrt, sim_small(SIM_ROOT, x))
SIM_OF_ONE(hrsqrt, h2rsqrt, sim_small(SIM_RECIPROCAL_ROOT, x))
SIM_OF_ONE(hrcp, h2rcp, sim_small(SIM_QUOTIENT, SIM_T(1), x))
SIM_OF_ONE(htrunc, h2trunc, SIM_T(truncf((float)x)))
SIM_OF_ONE(hceil, h2ceil, SIM_T(ceilf((float)x)))
SIM_OF_ONE(hfloor, h2floor, SIM_T(floorf((float)x)))
SIM_OF_ONE(hrint, h2rint, SIM_T(rintf((float)x)))

/* In double, then rounded: the number next to the true result. */
SIM_OF_ONE(hexp, h2exp, SIM_T(exp((double)(float)x)))
SIM_OF_ONE(hexp2, h2exp2, SIM_T(exp2((double)(float)x)))
SIM_OF_ONE(hexp10, h2exp10, SIM_T(exp10((double)(float)x)))
SIM_OF_ONE(hlog, h2log, SIM_T(log((double)(float)x)))
SIM_OF_ONE(hlog2, h2log2, SIM_T(log2((double)(float)x)))
SIM_OF_ONE(hlog10, h2log10, SIM_T(log10((double)(float)x)))
SIM_OF_ONE(hsin, h2sin, SIM_T(sin((double)(float)x)))
SIM_OF_ONE(hcos, h2cos, SIM_T(cos((double)(float)x)))
SIM_OF_ONE(htanh, h2tanh, SIM_T(tanh((double)(float)x)))
SIM_OF_ONE(htanh_approx, h2tanh_approx, SIM_T(tanh((double)(float)x)))
#undef SIM_OF_ONE
#undef SIM_OF_TWO
#undef SIM_OF_THREE

/* ---- comparisons --------------------------------------------------------- */

SIM_IS(bool, __hisnan, (SIM_T x), isnan((float)x))

/** 1 for infinity, -1 for minus infinity, else 0. */
SIM_IS(int, __hisinf, (SIM_T x), isinf((float)x) ? ((float)x > 0 ? 1 : -1) : 0)
SIM_IS(SIM_T2, __hisnan2, (SIM_T2 pair),
       SIM_T2(SIM_T((int)__hisnan(pair.x)), SIM_T((int)__hisnan(pair.y))))

/* As bool; of pairs: 1 or 0 for each, all bits or none for each, both true. */
#define SIM_COMPARE(name, condition)                                           \
    SIM_INLINE bool __h##name(SIM_T first, SIM_T second)                       \
    {                                                                          \
        float a = (float)first, b = (float)second;                             \
        return condition;                                                      \
    }                                                                          \
    SIM_IS(SIM_T2, __h##name##2, (SIM_T2 a, SIM_T2 b),                         \
           SIM_T2(SIM_T((int)__h##name(a.x, b.x)),                             \
                  SIM_T((int)__h##name(a.y, b.y))))                            \
    SIM_IS(unsigned, __h##name##2_mask, (SIM_T2 a, SIM_T2 b),                  \
           (__h##name(a.x, b.x) ? 0xffffu : 0) |                               \
               (__h##name(a.y, b.y) ? 0xffff0000u : 0))                        \
    SIM_IS(bool, __hb##name##2, (SIM_T2 a, SIM_T2 b),                          \
           __h##name(a.x, b.x) && __h##name(a.y, b.y))
SIM_COMPARE(eq, a == b)
SIM_COMPARE(ne, a<b || a> b)
SIM_COMPARE(lt, a < b)
SIM_COMPARE(le, a <= b)
SIM_COMPARE(gt, a > b)
SIM_COMPARE(ge, a >= b)
/* Where one is NaN: true. */
SIM_COMPARE(equ, !(a < b || a > b))
SIM_COMPARE(neu, a != b)
SIM_COMPARE(ltu, !(a >= b))
SIM_COMPARE(leu, !(a > b))
SIM_COMPARE(gtu, !(a <= b))
SIM_COMPARE(geu, !(a < b))
#undef SIM_COMPARE

/* ---- operators ----------------------------------------------------------- */

#define SIM_OPERATORS(T, sum, difference, product, quotient, minus, one)       \
    SIM_IS(T, operator+, (const T &a, const T &b), sum(a, b))                  \
    SIM_IS(T, operator-, (const T &a, const T &b), difference(a, b))           \
    SIM_IS(T, operator*, (const T &a, const T &b), product(a, b))              \
    SIM_IS(T, operator/, (const T &a, const T &b), quotient(a, b))             \
    SIM_IS(T &, operator+=, (T & a, const T &b), a = sum(a, b))                \
    SIM_IS(T &, operator-=, (T & a, const T &b), a = difference(a, b))         \
    SIM_IS(T &, operator*=, (T & a, const T &b), a = product(a, b))            \
    SIM_IS(T &, operator/=, (T & a, const T &b), a = quotient(a, b))           \
    SIM_IS(T, operator+, (const T &a), a)                                      \
    SIM_IS(T, operator-, (const T &a), minus(a))                               \
    SIM_IS(T &, operator++, (T & a), a = sum(a, one))                          \
    SIM_IS(T &, operator--, (T & a), a = difference(a, one))                   \
    SIM_INLINE T operator++(T &a, int)                                         \
    {                                                                          \
        T old = a;                                                             \
        ++a;                                                                   \
        return old;                                                            \
    }                                                                          \
    SIM_INLINE T operator--(T &a, int)                                         \
    {                                                                          \
        T old = a;                                                             \
        --a;                                                                   \
        return old;                                                            \
    }
#define SIM_COMPARISONS(T, eq, ne, lt, le, gt, ge)                             \
    SIM_IS(bool, operator==, (const T &a, const T &b), eq(a, b))               \
    SIM_IS(bool, operator!=, (const T &a, const T &b), ne(a, b))               \
    SIM_IS(bool, operator<, (const T &a, const T &b), lt(a, b))                \
    SIM_IS(bool, operator<=, (const T &a, const T &b), le(a, b))               \
    SIM_IS(bool, operator>, (const T &a, const T &b), gt(a, b))                \
    SIM_IS(bool, operator>=, (const T &a, const T &b), ge(a, b))
SIM_OPERATORS(SIM_T, __hadd, __hsub, __hmul, __hdiv, __hneg, SIM_T(1))
SIM_OPERATORS(SIM_T2, __hadd2, __hsub2, __hmul2, __h2div, __hneg2,
              SIM_TWICE(SIM_T(1)))
SIM_COMPARISONS(SIM_T, __heq, __hneu, __hlt, __hle, __hgt, __hge)
SIM_COMPARISONS(SIM_T2, __hbeq2, __hbneu2, __hblt2, __hble2, __hbgt2, __hbge2)
#undef SIM_OPERATORS
#undef SIM_COMPARISONS

/* ---- atomics ------------------------------------------------------------- */

/** Shuffles, __ldg and their like are templates: they take every type. */
SIM_INLINE SIM_T atomicAdd(SIM_T *p, SIM_T value)
{
    return SIM_RAW{(unsigned short)sim_atomic(p, 2, SIM_ATOMIC_ADD_SMALL,
                                              sim_pack(value), 0, 1, 0)};
}

/** Two additions: another thread may see one of them done and one not. */
SIM_IS(SIM_T2, atomicAdd, (SIM_T2 * p, SIM_T2 value),
       sim_unpack<SIM_T2>(sim_atomic(p, 4, SIM_ATOMIC_ADD_SMALL,
                                     sim_pack(value), 0, 1, 0)))

#undef SIM_T
#undef SIM_T2
#undef SIM_RAW
#undef SIM_RAW2
#undef SIM_OTHER
#undef SIM_FORMAT
#undef SIM_ATOMIC_ADD_SMALL
#undef SIM_NAME
#undef SIM_TWICE

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif
