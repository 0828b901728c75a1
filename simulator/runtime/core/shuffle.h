/**
 * @file shuffle.h
 * @brief Who goes first: CUDA promises no order of blocks, warps or lanes.
 */
#ifndef SHUFFLE_H
#define SHUFFLE_H

#include <stdint.h>

#include "settings.h"

/** As sim_who_goes(), where SIM_ORDER asks for another order. */
uint64_t sim_shuffled(uint64_t turn, uint64_t count, uint64_t salt);

/**
 * The one of @p count that goes when @p turn others have gone before.
 *
 * @param who   what is counted: the order of others may stay
 * @param salt  others are in another order
 * @return as SIM_ORDER says: 0 @p turn, 1 the last first, block:7 this one
 *         first and then the others as they come, else a permutation, the
 *         same each time
 */
static inline uint64_t sim_who_goes(sim_goers who, uint64_t turn,
                                    uint64_t count, uint64_t salt)
{
    return sim_settings.whose & who ? sim_shuffled(turn, count, salt) : turn;
}

#endif
