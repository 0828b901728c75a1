/**
 * @file sched.h
 * @brief Runs one block.
 */
#ifndef SCHED_H
#define SCHED_H

#include "worker.h"

/** Run all threads of one block. */
void sim_run_block(sim_worker *w, uint64_t block);

#endif
