/**
 * @file count.h
 * @brief The requests of a launch, summed for each site.
 */
#ifndef COUNT_H
#define COUNT_H

#include <stdint.h>

#include "cost.h"
#include "worker.h"

/** Sums over the requests of one site, space and operation. */
struct sim_stat {
    uint64_t requests;  /**< instructions of a warp */
    uint64_t lanes;     /**< active lanes, summed */
    uint64_t units;     /**< sectors, wavefronts, or passes */
    uint64_t ideal;     /**< the least for as many lanes */
    uint64_t conflicts; /**< shared memory: bank conflicts */
    uint64_t tags;      /**< global loads, stores: tag wavefronts */
    uint64_t data;      /**< global loads: data wavefronts */
    uint64_t cycles;    /**< global loads: of the L1 */
    uint64_t low;       /**< lowest address of a request's first lane */
    uint64_t high;      /**< highest one */
    uint32_t least;     /**< units of the cheapest request */
    uint32_t most;      /**< units of the dearest request */
    uint32_t bytes;     /**< of one lane */
};

/** Allocate the sums of a worker. */
void sim_count_open(sim_worker *w);

/** Beside OP_LOAD ... in the sums: ldmatrix. */
enum { STAT_MATRIX = OP_ATOMIC + 1, STAT_KINDS };

/** The sums of one site, space and operation. */
static inline sim_stat *stat_of(const sim_worker *w, uint32_t site,
                                unsigned space, unsigned op)
{
    return &w->stats[(size_t)site << 4 | space << 2 | op];
}

/** Lanes have entered a basic block. */
void sim_count_block(sim_worker *w, uint32_t mask, uint32_t site);

/** Add one request; all active lanes have the same space, op and size. */
void sim_count_request(sim_worker *w, const uint64_t access[LANES],
                       uint32_t mask, uint32_t site, sim_pattern pattern);

#endif
