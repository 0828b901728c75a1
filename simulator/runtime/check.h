/**
 * @file check.h
 * @brief Races and uninitialised reads.
 */
#ifndef CHECK_H
#define CHECK_H

#include "count.h"
#include "worker.h"

/* ---- check_shared.c ------------------------------------------------------ */

/** Prepare the shadow of shared memory for a launch. */
void sim_check_begin(sim_worker *w);

/** Check one request to shared memory. */
void sim_check_shared(sim_worker *w, unsigned warp,
                      const uint64_t access[LANES], uint32_t mask,
                      uint32_t site, sim_pattern pattern);

/** Check one request to global memory against the other threads of its block.
 */
void sim_check_block(sim_worker *w, unsigned warp, const uint64_t access[LANES],
                     uint32_t mask, uint32_t site, sim_pattern pattern);

/** These lanes of a warp have waited for each other in a __syncwarp. */
void sim_sync_lanes(sim_worker *w, unsigned warp, uint32_t lanes);

/* ---- check_global.c ------------------------------------------------------ */

/** Check one request to global memory against all other blocks. */
void sim_check_global(sim_worker *w, unsigned warp,
                      const uint64_t access[LANES], uint32_t mask,
                      uint32_t site, sim_pattern pattern);

#endif
