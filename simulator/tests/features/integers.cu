#include "cases.h"
#include <limits.h>
#include <stdint.h>

// feature: integers: wraparound, division, signed and unsigned, 64 bits

__global__ void arithmetic(int minus_seven, int two, int hundred_thousand,
                           unsigned big)
{
    int n = hundred_thousand;
    CHECK_EQUAL(big * 2u, 2);
    CHECK_EQUAL(big + big + big, 0x80000003u);
    CHECK_EQUAL(minus_seven / two, -3);
    CHECK_EQUAL(minus_seven % two, -1);
    CHECK_EQUAL((int64_t)n * n, 10000000000ll);
    CHECK_EQUAL((int)((unsigned)n * (unsigned)n), 1410065408);
    CHECK_EQUAL(minus_seven >> 1, -4); // arithmetic
    CHECK_EQUAL((unsigned)minus_seven >> 28, 15);
    CHECK_EQUAL((short)(n + 7), -31065);
    CHECK_EQUAL((unsigned char)minus_seven, 249);
    CHECK_EQUAL((uint64_t)big * big % 1000003, 0x4000000100000001ull % 1000003);
}

LAUNCH(integer_arithmetic, arithmetic<<<1, 1>>>(-7, 2, 100000, 0x80000001u));

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
