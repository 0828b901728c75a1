/**
 * @file curand_kernel.h
 * @brief cuRAND in kernels: XORWOW and Philox4_32_10, with its sequences.
 *
 * G. Marsaglia, "Xorshift RNGs", 2003; J. Salmon et al., "Parallel random
 * numbers: as easy as 1, 2, 3", 2011. A seed becomes their words as in cuRAND.
 */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "cuda_runtime.h"

struct curandStateXORWOW {
    unsigned d, v[5];
    int boxmuller_flag, unused; /**< is a normal number kept? */
    float boxmuller_extra;
    double unused_double;
};
struct curandStatePhilox4_32_10 {
    uint64_t ctr[2];
    unsigned output[4], key[2], STATE; /**< which of output is next */
    int boxmuller_flag, unused;
    float boxmuller_extra;
    double unused_double;
};
typedef curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

SIM_INLINE unsigned curand(curandStateXORWOW *s)
{
    unsigned t = s->v[0] ^ s->v[0] >> 2, last = s->v[4];
    for (int i = 0; i < 4; i++)
        s->v[i] = s->v[i + 1];
    s->v[4] = last ^ last << 4 ^ t ^ t << 1;
    return s->v[4] + (s->d += 362437);
}

SIM_INLINE void sim_skip(curandStateXORWOW *s, uint64_t n, uint64_t sequences)
{
    curandStateXORWOW ahead = *s;
    sim_xorwow_skip(ahead.v, n, sequences);
    ahead.d += 362437 * (unsigned)n;
    *s = ahead;
}

SIM_INLINE void sim_seed(curandStateXORWOW *s, uint64_t seed)
{
    unsigned low = ((unsigned)seed ^ 0xaad26b49) * 1099087573;
    unsigned high = ((unsigned)(seed >> 32) ^ 0xf7dcefdd) * 2591861531;
    *s = {6615241 + low + high,
          {123456789 + low, 362436069 ^ low, 521288629 + high, 88675123 ^ high,
           5783321 + low}};
}

/** Four words a step of the counter; its upper half says the sequence. */
SIM_INLINE void sim_skip(curandStatePhilox4_32_10 *s, uint64_t n,
                         uint64_t sequences)
{
    unsigned next = s->STATE + (n & 3), k0 = s->key[0], k1 = s->key[1];
    uint64_t low = s->ctr[0] + n / 4 + next / 4;
    uint64_t high = s->ctr[1] + sequences + (low < s->ctr[0]);
    s->ctr[0] = low, s->ctr[1] = high, s->STATE = next % 4;
    unsigned c[4] = {(unsigned)low, (unsigned)(low >> 32), (unsigned)high,
                     (unsigned)(high >> 32)};
    for (int i = 0; i < 10; i++, k0 += 0x9e3779b9, k1 += 0xbb67ae85) {
        uint64_t a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
        c[0] = (unsigned)(b >> 32) ^ c[1] ^ k0, c[1] = (unsigned)b;
        c[2] = (unsigned)(a >> 32) ^ c[3] ^ k1, c[3] = (unsigned)a;
    }
    for (int i = 0; i < 4; i++)
        s->output[i] = c[i];
}

SIM_INLINE void sim_seed(curandStatePhilox4_32_10 *s, uint64_t seed)
{
    *s = {{0, 0}, {}, {(unsigned)seed, (unsigned)(seed >> 32)}};
}

SIM_INLINE unsigned curand(curandStatePhilox4_32_10 *s)
{
    unsigned word = s->output[s->STATE];
    if (s->STATE == 3)
        sim_skip(s, 1, 0);
    else
        s->STATE++;
    return word;
}

template <class S>
SIM_INLINE void curand_init(uint64_t seed, uint64_t sequence, uint64_t offset,
                            S *s)
{
    sim_seed(s, seed);
    sim_skip(s, offset, sequence);
}

template <class S>
SIM_IS(void, skipahead, (uint64_t n, S *s), sim_skip(s, n, 0))
template <class S>
SIM_IS(void, skipahead_sequence, (uint64_t n, S *s), sim_skip(s, 0, n))

/** From 2^-33 to 1. */
template <class S>
SIM_INLINE float curand_uniform(S *s)
{
    return (float)curand(s) * 0x1p-32f + 0x1p-33f;
}
SIM_INLINE double curand_uniform_double(curandStateXORWOW *s)
{
    uint64_t low = curand(s);
    return (low ^ (uint64_t)curand(s) << 21) * 0x1p-53 + 0x1p-54;
}
SIM_IS(double, curand_uniform_double, (curandStatePhilox4_32_10 * s),
       curand(s) * 0x1p-32 + 0x1p-32)

/** Box and Muller's: a GPU's __sinf() has other last bits. */
template <class S>
SIM_INLINE float2 curand_normal2(S *s)
{
    float2 two;
    float scale = sqrtf(-2 * logf(curand_uniform(s)));
    sincosf((float)curand(s) * 0x1.921fb6p-30f + 0x1.921fb6p-31f, &two.x,
            &two.y);
    return float2{two.x * scale, two.y * scale};
}

template <class S>
SIM_INLINE float curand_normal(S *s)
{
    if (s->boxmuller_flag)
        return s->boxmuller_flag = 0, s->boxmuller_extra;
    float2 two = curand_normal2(s);
    s->boxmuller_flag = 1;
    s->boxmuller_extra = two.y;
    return two.x;
}

/* Four calls, in this order. */
#define SIM_IN_FOURS(T, name, one)                                             \
    SIM_IS(T, name, (curandStatePhilox4_32_10 * s),                            \
           T{one(s), one(s), one(s), one(s)})
SIM_IN_FOURS(uint4, curand4, curand)
SIM_IN_FOURS(float4, curand_uniform4, curand_uniform)
SIM_INLINE float4 curand_normal4(curandStatePhilox4_32_10 *s)
{
    float2 a = curand_normal2(s), b = curand_normal2(s);
    return float4{a.x, a.y, b.x, b.y};
}

#endif
