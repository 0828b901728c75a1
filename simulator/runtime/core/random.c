/**
 * @file random.c
 * @brief XORWOW far ahead, for curand_init(): a step is a matrix of 160 x 160
 * bits, whose squares are 2, 4, 8 ... steps. A sequence is 2^67 of them.
 */
#include <pthread.h>
#include <string.h>

#include "inside.h"

typedef uint32_t words[5];
static words powers[67 + 64][160]; // of 2^k steps: what becomes of each bit

static void apply(words *matrix, words v)
{
    words sum = {0};
    for (int bit = 0; bit < 160; bit++)
        for (int i = 0; i < 5 && v[bit / 32] >> bit % 32 & 1; i++)
            sum[i] ^= matrix[bit][i];
    memcpy(v, sum, sizeof sum);
}

static void find_powers(void)
{
    for (int bit = 0; bit < 160; bit++) {
        words v = {0};
        v[bit / 32] = 1u << bit % 32;
        uint32_t t = v[0] ^ v[0] >> 2, last = v[4] ^ v[4] << 4 ^ t ^ t << 1;
        memcpy(powers[0][bit], (words){v[1], v[2], v[3], v[4], last}, sizeof v);
    }
    for (int k = 1; k < 67 + 64; k++) {
        memcpy(powers[k], powers[k - 1], sizeof *powers);
        for (int bit = 0; bit < 160; bit++)
            apply(powers[k - 1], powers[k][bit]);
    }
}

void sim_xorwow_skip(uint32_t *v, uint64_t steps, uint64_t sequences)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_powers);
    for (int k = 0; k < 64; k++) {
        if (steps >> k & 1)
            apply(powers[k], v);
        if (sequences >> k & 1)
            apply(powers[67 + k], v);
    }
}
