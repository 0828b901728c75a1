/**
 * @file registers.h
 * @brief Registers that warps give to others: setmaxnreg of sm_90a.
 *
 * Nobody runs out of them here. At the end of a block they are added up.
 */
#ifndef REGISTERS_H
#define REGISTERS_H

#include "worker.h"

/** The running lane, with all of its warp, has @p count from now on. */
void sim_registers_set(unsigned count, uint32_t site);

/** A block has ended: has it had more than there are? */
void sim_registers_end_block(sim_worker *w);

#endif
