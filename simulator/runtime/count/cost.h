/**
 * @file cost.h
 * @brief What one request costs on an H200: of its addresses and no state.
 *
 * These functions need no simulator: the explorers of
 * docs/explorers compile them to WebAssembly.
 */
#ifndef COST_H
#define COST_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/access.h"
#include "../core/limits.h"

#define SECTOR_SHIFT 5 /**< 32 bytes */
#define BANKS 32       /**< of shared memory, 4 bytes wide */
#define LANE_WORDS 4   /**< that a lane asks for at most */

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

/** In which wavefront of a load or store each lane gets each of its words; the
 *  lanes that are not active keep what is there. */
void sim_shared_turns(const uint64_t access[LANES], uint32_t mask,
                      uint8_t turn[LANES][LANE_WORDS]);

/* ---- l1.c: what a load or store of global memory costs in the L1 of an H200
 */

/** The cost of one request of a warp. */
typedef struct {
    unsigned sectors; /**< different pieces of 32 bytes: the traffic */
    unsigned tags;    /**< tag wavefronts */
    unsigned data;    /**< data wavefronts, if all lines are in the L1 */
    unsigned cycles;  /**< of an SM that does nothing else; loads, as data */
} sim_l1_cost;

/** Cost of a request whose active lanes access as many bytes each. */
sim_l1_cost sim_l1_request(const uint64_t access[LANES], uint32_t mask,
                           sim_pattern pattern);

/** In which tag wavefront each active lane's line is looked up. */
void sim_l1_turns(const uint64_t access[LANES], uint32_t mask,
                  uint8_t turn[LANES][LANE_WORDS]);

#endif
