#include "cases.h"
#include <cuComplex.h>
#include <curand_kernel.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

// feature: float and double: IEEE rounding, denormals, NaN, infinity, min and
// max

__global__ void arithmetic(float one, float three, float nan, float zero)
{
    CHECK_EQUAL(one / three, 0x1.555556p-2f); // correctly rounded
    CHECK_EQUAL(sqrtf(2 * one), 1.41421354f);
    CHECK_EQUAL(one * FLT_MIN / 2.0f, 0x1p-127f); // no normal number, but kept
    CHECK_EQUAL(fminf(nan, one), 1);              // NaN loses
    CHECK_EQUAL(fmaxf(one, nan), 1);
    CHECK(isinf(one / zero));
    CHECK_EQUAL(__frcp_rn(three), 0x1.555556p-2f);
    CHECK_EQUAL(one - one * one, 0);
    CHECK_EQUAL(__int_as_float(__float_as_int(three) + 1), 0x1.800002p+1f);
    CHECK_EQUAL(rintf(2.5f * one), 2);
    CHECK_EQUAL(roundf(2.5f * one), 3);
    CHECK_EQUAL(floorf(-0.5f * one), -1);
    CHECK_EQUAL(fabsf(-three), 3);
    CHECK_EQUAL(copysignf(three, -1.0f), -3);
    CHECK(!(nan == nan));
    CHECK_EQUAL(fmodf(5.5f * one, 2.0f), 1.5);
    CHECK_EQUAL((double)one / 3.0, 0x1.5555555555555p-2);
    CHECK_EQUAL(sqrt((double)(2 * one)), 0x1.6a09e667f3bcdp+0);
    CHECK_EQUAL(fma((double)three, (double)three, 0.1), 0x1.2333333333333p+3);
}

LAUNCH(float_arithmetic, arithmetic<<<1, 1>>>(1, 3, NAN, 0));

// feature: sinf, expf, powf, rsqrtf ... and __sinf, __expf, __fdividef ...

__device__ void near(float actual, double expected)
{
    CHECK(fabs(actual - expected) < 1e-5 * fabs(expected));
}

__global__ void functions(float x)
{
    float sine, cosine;
    sincosf(x, &sine, &cosine);
    near(sine, sin((double)x));
    near(cosine, cos((double)x));
    near(sinf(x), sin((double)x));
    near(cosf(x), cos((double)x));
    near(expf(x), exp((double)x));
    near(logf(x), log((double)x));
    near(powf(x, 1.5f), pow((double)x, 1.5));
    near(rsqrtf(x), 1 / sqrt((double)x));
    near(tanhf(x), tanh((double)x));
    near(erff(x), erf((double)x));
    near(exp2f(x), exp2((double)x));
    near(log2f(x), log2((double)x));
    near(__sinf(x), sin((double)x));
    near(__cosf(x), cos((double)x));
    near(__expf(x), exp((double)x));
    near(__logf(x), log((double)x));
    near(__powf(x, 1.5f), pow((double)x, 1.5));
    near(__fdividef(x, 3.0f), (double)x / 3);
    near(hypotf(x, 1.0f), hypot((double)x, 1.0));
    near(cbrtf(x), cbrt((double)x));
    near(atan2f(x, 2.0f), atan2((double)x, 2.0));
    near(__frsqrt_rn(x), 1 / sqrt((double)x));
    near(__fsqrt_rn(x), sqrt((double)x));
    near(__saturatef(x), x);
}

LAUNCH(float_functions, functions<<<1, 1>>>(0.75f));

// feature: float to integer: truncates, saturates, NaN becomes 0; all roundings
// counted only: the processor saturates otherwise

struct conversion {
    float x;
    int as_int, nearest, up, down;
    unsigned as_unsigned;
    long long as_long;
};

__global__ void convert(conversion c)
{
    CHECK_EQUAL((int)c.x, c.as_int);
    CHECK_EQUAL((int)(double)c.x, c.as_int);
    CHECK_EQUAL((unsigned)c.x, c.as_unsigned);
    CHECK((long long)c.x == c.as_long);
    CHECK_EQUAL(__float2int_rn(c.x), c.nearest);
    CHECK_EQUAL(__float2int_rz(c.x), c.as_int);
    CHECK_EQUAL(__float2int_ru(c.x), c.up);
    CHECK_EQUAL(__float2int_rd(c.x), c.down);
}

__global__ void to_float(double x)
{
    CHECK_EQUAL((float)x, INFINITY);
}

CASE(float_to_integer)
{
    const int most = INT_MAX, least = INT_MIN;
    const conversion table[] = {
        {2.5f, 2, 2, 3, 2, 2, 2},
        {-2.5f, -2, -2, -2, -3, 0, -2},
        {3e9f, most, most, most, most, 3000000000u, 3000000000ll},
        {-3e9f, least, least, least, least, 0, -3000000000ll},
        {NAN, 0, 0, 0, 0, 0, LLONG_MIN},
        {1e20f, most, most, most, most, UINT_MAX, LLONG_MAX},
        {INFINITY, most, most, most, most, UINT_MAX, LLONG_MAX},
        {-INFINITY, least, least, least, least, 0, LLONG_MIN},
    };
    for (const conversion &row : table)
        convert<<<1, 1>>>(row);
    to_float<<<1, 1>>>(1e300);
}

// feature: a * b + c is one fused multiply-add, as with nvcc's default

__global__ void products(const float *x)
{
    float a = x[0], b = x[0], c = x[1];
    float product = a * b;
    const float results[] = {a * b + c, product + c, c - -a * b, -c - a * b};
    for (float result : results) // product + c: across statements
        CHECK_EQUAL(fabsf(result), 0x1p-24);
    CHECK_EQUAL(__fadd_rn(__fmul_rn(a, b), c), 0); // never fused
    CHECK_EQUAL(fmaf(a, b, -1.0f), 0x1.0008p-11f);
}

CASE(fmaf_contraction)
{
    float *x = shared_zeros<float>(2);
    x[0] = 1.0f + 1.0f / 4096;
    x[1] = -1.0f - 1.0f / 2048;
    products<<<1, 1>>>(x);
}

// feature: of two zeros fmaxf takes +0 and fminf takes -0
// counted only: C leaves it open, and the processor takes either

__global__ void extremes(float zero, double wide, float nan)
{
    CHECK_EQUAL(1 / fmaxf(-zero, zero), INFINITY);
    CHECK_EQUAL(1 / fmaxf(zero, -zero), INFINITY);
    CHECK_EQUAL(1 / fminf(zero, -zero), -INFINITY);
    CHECK_EQUAL(1 / fminf(-zero, zero), -INFINITY);
    CHECK_EQUAL(1 / fmax(-wide, wide), INFINITY);
    CHECK_EQUAL(1 / min(wide, -wide), -INFINITY);
    CHECK_EQUAL(fmaxf(nan, 3.0f), 3);
    CHECK_EQUAL(fminf(-3.0f, nan), -3);
}

LAUNCH(signed_zeros, extremes<<<1, 1>>>(0, 0, NAN));

// feature: a local variable that nothing has set is NaN, or a large number
// counted only: g++ before 12 cannot

__global__ void forget(const float *in)
{
    float sum; // = 0 is missing
    for (int i = 0; i < 4; i++)
        sum += in[i];
    CHECK(isnan(sum));
    float array[4];
    array[(int)in[0]] = 1;
    CHECK(isnan(array[(int)in[1]]));
    int count; // so is this one
    if (in[0] > 1)
        count = 0;
    CHECK_EQUAL(count, (int)0xaaaaaaaa);
}

CASE(unset_locals)
{
    float *in = shared_zeros<float>(4);
    in[1] = 1;
    forget<<<1, 1>>>(in);
}

// feature: bits of a float that a condition masks

__global__ void mask(float x, int cut)
{
    if (cut) // the host's g++ 12 would leave x as it is: simcc, GCC_FLAGS
        x = __uint_as_float(__float_as_uint(x) & 0xffff0000);
    CHECK_EQUAL(x, 342);
}

LAUNCH(masked_bits, mask<<<1, 1>>>(343, 1));

// feature: erfinv, erfcinv, normcdfinv, sinpi, cospi, rcbrt, rhypot, norm,
// norm4d and their like, of double and of float

template <class T>
__global__ void own_functions(T x, double close, T three, T four)
{
    auto near = [=](double actual, double expected) {
        CHECK(fabs(actual - expected) <= close * fabs(expected));
    };
    for (T y : {x, x / 1000, 2 * x}) {
        near(erf((double)erfinv(-y)), -y);
        near(erfc((double)erfcinv(y)), y);
        near(normcdf(normcdfinv(y)), y);
        near(sinpi(-y), -sin(M_PI * y));
        near(cospi(y), cos(M_PI * y));
    }
    CHECK(sinpi(four) == 0 && cospi(three / 2) == 0 && cospi(three) == -1);
    CHECK(isinf(erfinv(x / x)) && isnan(erfinv(four)) && isinf(erfcinv(x - x)));
    near(rcbrt(2 * four), 0.5);
}

__global__ void norms(const float *x, const double *y)
{
    CHECK_EQUAL(norm3d(y[0], y[1], 12.0) + norm4d(1.0, y[0], 1.0, 5.0), 19);
    CHECK_EQUAL(normf(2, x) + norm(2, y) + norm4df(1, 1, 1, 1), 12);
    CHECK_EQUAL(rnormf(2, x) + rnorm3df(0, 3, 4) + rhypotf(3, 4), 3 * 0.2f);
    CHECK_EQUAL(rnorm(2, y) + rnorm4d(0.0, 0.0, y[0], y[1]), 2 * 0.2);
    CHECK_EQUAL(rnorm3d(0.0, y[0], y[1]) + rhypot(y[0], y[1]), 2 * 0.2);
}

CASE(functions_of_cuda)
{
    float *x = shared_zeros<float>(2);
    double *y = shared_zeros<double>(2);
    x[0] = y[0] = 3, x[1] = y[1] = 4;
    own_functions<<<1, 1>>>(0.3f, 1e-6, 3.0f, 4.0f);
    own_functions<<<1, 1>>>(0.3, 1e-14, 3.0, 4.0);
    norms<<<1, 1>>>(x, y);
}

// feature: `<cuComplex.h>`: complex numbers, cuCmulf, cuCdiv, cuCabs ...

static __host__ __device__ void calculate(float three)
{
    cuComplex a = make_cuComplex(three, 4), b = make_cuFloatComplex(1, -2);
    cuComplex product = cuCmulf(a, b), large = make_cuComplex(0, 0x1p+100f);
    CHECK(cuCrealf(product) == 11 && cuCimagf(product) == -2);
    CHECK_EQUAL(cuCrealf(cuCfmaf(a, b, cuCsubf(a, cuCaddf(a, b)))), 10);
    CHECK_EQUAL(cuCabsf(cuConjf(a)), 5);
    CHECK_EQUAL(cuCimagf(cuCdivf(large, large)), 0);
    CHECK_EQUAL(cuCrealf(cuCdivf(large, large)), 1);
    cuDoubleComplex c = cuComplexFloatToDouble(product), d = {1, -2};
    cuDoubleComplex quotient = cuCdiv(c, d);
    CHECK(fabs(cuCreal(quotient) - 3) < 1e-14);
    CHECK(fabs(cuCimag(quotient) - 4) < 1e-14);
    CHECK_EQUAL(cuComplexDoubleToFloat(cuConj(d)).y, 2);
}

__global__ void complex_in_kernel(float three)
{
    calculate(three);
}

CASE(complex_numbers)
{
    calculate(3);
    complex_in_kernel<<<1, 32>>>(3);
}

// feature: integers: wraparound, division, signed and unsigned, 64 bits

__global__ void whole_numbers(int minus_seven, int two, int hundred_thousand,
                              unsigned big)
{
    int n = hundred_thousand;
    CHECK_EQUAL(big * 2u, 2);
    CHECK_EQUAL(big + big + big, 0x80000003u);
    CHECK_EQUAL(minus_seven / two, -3);
    CHECK_EQUAL(minus_seven % two, -1);
    CHECK_EQUAL((int64_t)n * n, 10000000000ll);
    CHECK_EQUAL((int)((unsigned)n * (unsigned)n), 1410065408);
    CHECK_EQUAL(minus_seven >> 1, -4); // whole_numbers
    CHECK_EQUAL((unsigned)minus_seven >> 28, 15);
    CHECK_EQUAL((short)(n + 7), -31065);
    CHECK_EQUAL((unsigned char)minus_seven, 249);
    CHECK_EQUAL((uint64_t)big * big % 1000003, 0x4000000100000001ull % 1000003);
}

LAUNCH(integer_arithmetic, whole_numbers<<<1, 1>>>(-7, 2, 100000, 0x80000001u));

// feature: integer intrinsics: __popc __clz __ffs __brev __byte_perm __mulhi
// ...

__global__ void intrinsics(unsigned a, unsigned b)
{
    CHECK_EQUAL(__popc(a), 7);
    CHECK_EQUAL(__clz(a), 8);
    CHECK_EQUAL(__clz(0), 32);
    CHECK_EQUAL(__ffs(a >> 4), 10); // bit 13 becomes bit 9, the tenth
    CHECK_EQUAL(__ffs(0), 0);
    CHECK_EQUAL(__brev(a), 0x80050f00u);
    CHECK_EQUAL(__byte_perm(a, b, 0x7210), 0x80f0a001u);
    CHECK_EQUAL(__umulhi(a, b), 0x00785000u);
    CHECK_EQUAL((unsigned)__mulhi((int)a, (int)b), 0xff87afffu);
    CHECK_EQUAL(__popcll(((unsigned long long)a << 32) | b), 10);
    CHECK_EQUAL(__clzll((unsigned long long)a), 40);
    CHECK_EQUAL(__funnelshift_l(b, a, 8), 0xf0a00180u);
    CHECK_EQUAL(__funnelshift_r(b, a, 8), 0x01800000u);
    CHECK_EQUAL((unsigned)__mul24((int)a, 3), 0xfff0a001u * 3u);
    CHECK_EQUAL(__sad((int)a, (int)b, 1u), 0x80f09fffu);
    CHECK_EQUAL(max((int)a, (int)b), 0x00f0a001);
    CHECK_EQUAL(umin(a, b), 0x00f0a001);
    CHECK_EQUAL(abs((int)b), 0x7ffffffd);
    CHECK_EQUAL(__ffsll((long long)1 << 40), 41);
    CHECK_EQUAL(__brevll(1ull) >> 32, 0x80000000u);
    CHECK_EQUAL(__umul24(a, b), 0x00f0a001u * 3u);
    CHECK_EQUAL(__hadd(-3, 2), -1);
    CHECK_EQUAL(__rhadd(-3, 2), 0);
}

LAUNCH(integer_intrinsics, intrinsics<<<1, 1>>>(0x00f0a001, 0x80000003));

// feature: INT_MIN / -1 wraps around, as on a GPU
// counted only: the processor stops there

__global__ void divide(int least, int64_t wide, int minus_one)
{
    CHECK_EQUAL(least / minus_one, INT_MIN);
    CHECK_EQUAL(least % minus_one, 0);
    CHECK_EQUAL(-21 / minus_one, 21);
    CHECK_EQUAL(-21 % minus_one, 0);
    CHECK_EQUAL(wide / minus_one, INT64_MIN);
    CHECK_EQUAL(wide % minus_one, 0);
}

LAUNCH(division_overflow, divide<<<1, 1>>>(INT_MIN, INT64_MIN, -1));

// feature: shifts by 32 and more: 0 or the sign, as PTX defines it
// counted only: C++ leaves them undefined

__global__ void shifts(unsigned by, unsigned ones)
{
    unsigned left = by < 32 ? 0xffffffffu << (by & 31) : 0;
    unsigned right = by < 32 ? 0xffffffffu >> (by & 31) : 0;
    CHECK_EQUAL(__funnelshift_lc(0, ones, by), left); // clamps at 32
    CHECK_EQUAL(__funnelshift_rc(ones, 0, by), right);
    CHECK_EQUAL(__funnelshift_l(0, ones, by), ones << (by & 31)); // 5 bits
    CHECK_EQUAL(ones << by, left);
    CHECK_EQUAL(ones >> by, right);
    CHECK_EQUAL((int)ones >> by, -1);
}

CASE(shifts)
{
    for (unsigned by : {0, 1, 31, 32, 33, 40, 63, 64})
        shifts<<<1, 1>>>(by, 0xffffffffu);
}

// feature: cuRAND in kernels: XORWOW and Philox4_32_10, sequences, offsets,
// skipahead; uniform and normal numbers

/** Of a seed, a sequence, an offset what cuRAND's own header gives, compiled
 * for the host: words 1 and 6, word 1234574, that of the 12th sequence on; then
 * a uniform number of each type and two normal ones. */
struct expected {
    unsigned long long seed, sequence, offset;
    unsigned first, sixth, ahead, far;
    double uniform, uniform_double, normal, next;
};

template <class State>
__global__ void draw(expected e)
{
    State s;
    curand_init(e.seed, e.sequence, e.offset, &s);
    CHECK_EQUAL(curand(&s), e.first);
    skipahead(4, &s);
    CHECK_EQUAL(curand(&s), e.sixth);
    skipahead(1234568, &s);
    CHECK_EQUAL(curand(&s), e.ahead);
    skipahead_sequence(12, &s);
    CHECK_EQUAL(curand(&s), e.far);
    CHECK_EQUAL(curand_uniform(&s), e.uniform);
    CHECK_EQUAL(curand_uniform_double(&s), e.uniform_double);
    for (double normal : {e.normal, e.next}) // a GPU's sine has other last bits
        CHECK(fabs(curand_normal(&s) - normal) < 1e-5 * fabs(normal));
}

__global__ void in_fours()
{
    curandStatePhilox4_32_10_t s;
    curand_init(1234, 5, 1, &s);
    CHECK_EQUAL(curand4(&s).w, 1549596404u);
    CHECK_EQUAL(curand_uniform4(&s).z, 0x1.cb098cp-2);
    CHECK(fabsf(curand_normal4(&s).w - 0.02491999f) < 1e-6f);
    // Random123's known answer, for digits of pi.
    s.ctr[0] = 0x85a308d3243f6a88, s.ctr[1] = 0x0370734413198a2e;
    s.key[0] = 0xa4093822, s.key[1] = 0x299f31d0, s.STATE = 0;
    skipahead(0, &s);
    CHECK(curand(&s) == 0xd16cfe09 && curand(&s) == 0x94fdcceb);
}

CASE(random_numbers)
{
    const unsigned long long far = 0xfedcba9876543210;
    draw<curandState>
        <<<1, 1>>>(expected{~0ull, far, 0x123456789abcdef, 1600729389u,
                            470343055u, 1977390082u, 1381616387u, 0x1.2f04bap-5,
                            0x1.fddbe85033be9p-2, -1.963694, 0.3123002});
    draw<curandStatePhilox4_32_10_t><<<1, 1>>>(expected{
        ~0ull, far, 0x123456789abcdef, 163399136u, 2485299081u, 3388739092u,
        1660384907u, 0x1.f94f04p-2, 0x1.d5498398p-2, 1.07339, 0.5007459});
    in_fours<<<1, 1>>>();
}
