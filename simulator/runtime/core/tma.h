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

#include "worker.h"

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

/** A copy of a box from shared memory, for which nobody has waited. */
typedef struct sim_store {
    struct sim_store *next; /**< a later one of the same lane */
    sim_tensor_map map;
    int32_t at[TMA_RANK]; /**< element at which the box begins */
    char *from;           /**< in shared memory */
    uint32_t bytes;       /**< of the box */
    uint32_t group;       /**< of the lane */
    uint32_t site;        /**< where it began */
} sim_store;

/**
 * Begin to copy a box to shared memory; zeros where there is nothing of it.
 *
 * @param to       address of shared memory
 * @param at       element at which the box begins, the fastest dimension first
 * @param barrier  address of the one that counts its bytes
 * @param blocks   of the cluster: a bit for each that gets it, at the same
 *                 place, and whose barrier counts
 */
void sim_tma_load(uint32_t to, const sim_tensor_map *map, const int32_t *at,
                  uint32_t barrier, uint16_t blocks, uint32_t site);

/** Begin to copy a box from shared memory, see sim_bulk_store(). */
void sim_tma_store(const sim_tensor_map *map, const int32_t *at, void *from,
                   uint32_t site);

/** A block has ended. If it is @p complete, nobody's stores may be left. */
void sim_tma_end_block(sim_worker *w, bool complete);

#endif
