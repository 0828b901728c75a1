/**
 * @file shuffle.c
 * @brief Who goes first: CUDA promises no order of blocks, warps or lanes.
 */
#include "inside.h"

/** Bits that depend on all bits of @p x: the end of MurmurHash3, 64 bits. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
    return x ^ x >> 33;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t left = a % b;
        a = b;
        b = left;
    }
    return a;
}

uint64_t sim_shuffled(uint64_t turn, uint64_t count, uint64_t salt)
{
    if (sim_settings.order == ORDER_ONE_FIRST) {
        uint64_t first = sim_settings.first;
        return first >= count || turn > first ? turn : turn ? turn - 1 : first;
    }
    if (sim_settings.order == 1)
        return count - 1 - turn;
    if (count > UINT32_MAX) /* its square has no place in 64 bits */
        return turn;
    uint64_t bits = mix(sim_settings.order ^ mix(salt));
    uint64_t step = bits % count, first = (bits >> 32) % count;
    while (common_divisor(step, count) != 1) /* else some would never go */
        step++;
    return (first + turn * step) % count;
}
