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

/** States of lanes that wait for some others of their block. */
#define WAITS_FOR_SOME (1u << LANE_TILE | 1u << LANE_ARRIVE | 1u << LANE_PHASE)

/** Let go whoever has nothing to wait for any more.
 *  @return the warps in which some lane can go on, a bit for each */
uint32_t sim_wait_complete(sim_worker *w);

#endif
