/**
 * @file l1.h
 * @brief What a load or store of global memory costs in the L1 of an H200.
 */
#ifndef L1_H
#define L1_H

#include "cost.h"

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

#endif
