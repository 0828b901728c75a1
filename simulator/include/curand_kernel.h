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
    uint4 ctr, output;
    uint2 key;
    unsigned STATE; /**< which of output is next */
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

SIM_INLINE void sim_skip(curandStateXORWOW *s, uint64_t steps,
                         uint64_t sequences)
{
    unsigned v[5] = {s->v[0], s->v[1], s->v[2], s->v[3], s->v[4]};
    sim_xorwow_skip(v, steps, sequences);
    for (int i = 0; i < 5; i++)
        s->v[i] = v[i];
    s->d += 362437 * (unsigned)steps;
}

SIM_INLINE void sim_seed(curandStateXORWOW *s, uint64_t seed)
{
    unsigned low = ((unsigned)seed ^ 0xaad26b49) * 1099087573;
    unsigned high = ((unsigned)(seed >> 32) ^ 0xf7dcefdd) * 2591861531;
    *s = {6615241 + low + high,
          {123456789 + low, 362436069 ^ low, 521288629 + high, 88675123 ^ high,
           5783321 + low}};
}

SIM_INLINE uint4 curand_Philox4x32_10(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        uint64_t a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;
        c = uint4{(unsigned)(b >> 32) ^ c.y ^ key.x, (unsigned)b,
                  (unsigned)(a >> 32) ^ c.w ^ key.y, (unsigned)a};
        key = uint2{key.x + 0x9e3779b9, key.y + 0xbb67ae85};
    }
    return c;
}

/** Four words a step of the counter; its upper half says the sequence. */
SIM_INLINE void sim_skip(curandStatePhilox4_32_10 *s, uint64_t words,
                         uint64_t sequences)
{
    uint64_t low = (uint64_t)s->ctr.y << 32 | s->ctr.x;
    unsigned next = s->STATE + (words & 3);
    uint64_t sum = low + words / 4 + next / 4;
    uint64_t high = ((uint64_t)s->ctr.w << 32 | s->ctr.z) + sequences;
    high += sum < low;
    s->ctr = uint4{(unsigned)sum, (unsigned)(sum >> 32), (unsigned)high,
                   (unsigned)(high >> 32)};
    s->STATE = next % 4;
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}

SIM_INLINE void sim_seed(curandStatePhilox4_32_10 *s, uint64_t seed)
{
    *s = {uint4{}, uint4{}, uint2{(unsigned)seed, (unsigned)(seed >> 32)}};
}

SIM_INLINE unsigned curand(curandStatePhilox4_32_10 *s)
{
    uint4 four = s->output;
    unsigned at = s->STATE++;
    if (at == 3)
        s->STATE = 3, sim_skip(s, 1, 0);
    return at == 0 ? four.x : at == 1 ? four.y : at == 2 ? four.z : four.w;
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
SIM_IS(float, sim_uniform, (unsigned x),
       (float)x * 0x1p-32f + 0x1p-33f) template <class S>
SIM_IS(float, curand_uniform, (S * s), sim_uniform(curand(s)))
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

/* Braces: in this order. */
typedef curandStatePhilox4_32_10 sim_philox;
SIM_IS(uint4, curand4, (sim_philox * s),
       uint4{curand(s), curand(s), curand(s), curand(s)})
SIM_IS(float4, curand_uniform4, (sim_philox * s),
       float4{curand_uniform(s), curand_uniform(s), curand_uniform(s),
              curand_uniform(s)})
SIM_INLINE float4 curand_normal4(sim_philox *s)
{
    float2 a = curand_normal2(s), b = curand_normal2(s);
    return float4{a.x, a.y, b.x, b.y};
}

#endif
