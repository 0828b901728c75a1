/**
 * @file grid.h
 * @brief Blocks that wait for their whole grid: cooperative launches.
 *
 * grid.c has also what kernels call: sim_wait_grid(),
 * sim_is_cooperative().
 */
#ifndef GRID_H
#define GRID_H

#include "worker.h"

/** The block of this worker waits for its grid: keep it, make room. */
void sim_grid_pause(sim_worker *w);

/** No block is left to begin: go on with those that wait, phase by phase. */
void sim_grid_run(sim_worker *w);

#endif
