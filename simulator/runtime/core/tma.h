/**
 * @file tma.h
 * @brief The copy engine: boxes of an array, by a tensor map.
 *
 * Semantics: "PTX ISA", "Tensors" and "cp.async.bulk.tensor"; CUDA driver API,
 * "Tensor Map Object Management".
 */
#ifndef TMA_H
#define TMA_H

#include <stdint.h>

#include "../../include/sim.h"

#define TMA_RANK 5 /**< dimensions of an array, at most */

/** What a CUtensorMap is here. */
typedef struct {
    uint32_t magic; /**< tells that it was encoded */
    uint32_t rank;
    uint32_t bytes;             /**< of an element */
    uint32_t swizzle;           /**< 0 none, 1 32, 2 64, 3 128 bytes */
    uint32_t box[TMA_RANK];     /**< elements of a copy; the first dimension is
                                     the one that runs fastest */
    uint64_t address;           /**< of the array */
    uint64_t size[TMA_RANK];    /**< elements */
    uint32_t pitch16[TMA_RANK]; /**< to the next in each dimension from the
                                     second on, in units of 16 bytes */
} sim_tensor_map;

#define TMA_MAGIC 0x7e9504a9u

/**
 * Begin to copy a box to shared memory; zeros where there is nothing of it.
 *
 * @param at       element at which the box begins, the fastest dimension first
 * @param barrier  counts its bytes
 */
void sim_tma_load(void *to, const sim_tensor_map *map, const int32_t *at,
                  sim_mbarrier *barrier, uint32_t site);

#endif
