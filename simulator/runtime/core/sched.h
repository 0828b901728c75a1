/**
 * @file sched.h
 * @brief Runs one block.
 */
#ifndef SCHED_H
#define SCHED_H

#include "worker.h"

/** Run all threads of one block. @return false: they wait for their grid, or
 * for flags of other blocks, which must have a turn */
bool sim_run_block(sim_worker *w, uint64_t block);

/** Go on with a block. @param together  its grid has come
 *  @return as sim_run_block() */
bool sim_continue_block(sim_worker *w, bool together);

/** Leave the block as it is: the launch has ended. */
void sim_abandon_block(sim_worker *w);

#endif
