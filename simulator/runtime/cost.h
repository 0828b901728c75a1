/**
 * @file cost.h
 * @brief What one request costs on an H200: of its addresses and no state.
 *
 * These functions, and those of l1.h, need no simulator: the explorers of
 * docs/explorers compile them to WebAssembly.
 */
#ifndef COST_H
#define COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"
#include "limits.h"

#define SECTOR_SHIFT 5 /**< 32 bytes */
#define ALL_LANES 0xffffffffu

/** For each lane l whose bit in @p mask is set. */
#define FOR_EACH_LANE(l, mask)                                                 \
    for (uint32_t left_ = (mask), l;                                           \
         left_ && (l = (uint32_t)__builtin_ctz(left_), true);                  \
         left_ &= left_ - 1)

/** How the addresses of the lanes lie to each other. */
typedef enum {
    PATTERN_ANY,         /**< nothing special */
    PATTERN_SAME,        /**< all lanes active, one address */
    PATTERN_CONSECUTIVE, /**< all lanes active, one after the other */
    PATTERN_STRIDED      /**< all lanes active, any other constant distance */
} sim_pattern;

/** See how the addresses lie. */
sim_pattern sim_pattern_of(const uint64_t access[LANES], uint32_t mask);

/** Different values of address >> shift. */
unsigned sim_distinct(const uint64_t access[LANES], uint32_t mask,
                      unsigned shift);

/** Sectors of a global atomic. */
unsigned sim_atomic_sectors(const uint64_t access[LANES], uint32_t mask);

/** The cost of a request of shared memory. */
typedef struct {
    unsigned wavefronts;
    unsigned least; /**< for as many lanes and bytes */
} sim_shared_cost;

/** Cost of a load or store, or of the loads of a float atomic. */
sim_shared_cost sim_shared_request(const uint64_t access[LANES], uint32_t mask,
                                   sim_pattern pattern);

/** Cost of another atomic.
 *  @param each  lanes with the same word count each time */
sim_shared_cost sim_shared_atomic(const uint64_t access[LANES], uint32_t mask,
                                  bool each);

/** Blocks that an SM has room for.
 *  @param registers  of a thread
 *  @param shared     memory of a block (bytes) */
int sim_resident_blocks(int threads, int registers, size_t shared);

#endif
