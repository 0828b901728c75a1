/**
 * @file wait.h
 * @brief Barriers of some threads of a block: large tiles, cuda::barrier.
 *
 * wait.c has also what kernels call: sim_tile_sync(), sim_lane_show(),
 * sim_mbarrier_init() and its relatives.
 */
#ifndef WAIT_H
#define WAIT_H

#include "worker.h"

/** States of lanes that wait for some others of their block or cluster. */
#define WAITS_FOR_SOME                                                         \
    (1u << LANE_TILE | 1u << LANE_ARRIVE | 1u << LANE_PHASE |                  \
     1u << LANE_CLUSTER)

/** Wait for the four warps that multiply together: no order of what they do. */
void sim_wait_warpgroup(uint32_t site);

/** Let lanes of a warp arrive at barriers, if what they did before has been
 *  merged. @return some did: they can go on */
bool sim_wait_arrive(sim_worker *w, unsigned warp);

/** Let go whoever has nothing to wait for any more.
 *  @return the warps in which some lane can go on, a bit for each */
uint32_t sim_wait_complete(sim_worker *w);

/** Is there a barrier in these bytes of the shared memory of block @p w? */
bool sim_mbarrier_within(const sim_worker *w, uint32_t offset, uint32_t bytes);

#endif
