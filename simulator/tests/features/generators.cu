#include "cases.h"
#include <curand_kernel.h>

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
