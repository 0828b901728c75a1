/**
 * @file async.h
 * @brief Copies to shared memory that are under way.
 *
 * async.c has also what kernels call: sim_async_copy(), sim_async_commit(),
 * sim_async_wait().
 */
#ifndef ASYNC_H
#define ASYNC_H

#include "../include/sim.h"
#include "worker.h"

/** Forget the copies of a block for which nobody has waited. */
void sim_async_end_block(sim_worker *w);

/** The running lane arrives at a barrier: its copies for it are done. */
void sim_async_arrive(sim_worker *w, const sim_mbarrier *barrier);

/** A phase of a barrier ends: nobody need wait for its copies any more. */
void sim_async_phase(sim_worker *w, const sim_mbarrier *barrier);

/** The running lane touches shared memory while copies are under way. */
void sim_async_check(sim_worker *w, uint64_t offset, unsigned bytes,
                     unsigned op, uint32_t site);

/** Log up to 16 bytes of a bulk copy: they are checked, not counted. */
void sim_hook_bulk(const void *p, size_t bytes, bool write, uint32_t site);

/** Let others run until @p entries fit into the log of the running lane: while
 *  it writes these, nobody else runs and its block is not set aside. */
void sim_hook_room(unsigned entries);

/** The block is set aside (-1), or comes back (1): marks of its copies. */
void sim_async_move(sim_worker *w, int by);

/** Are bulk copies under way whose bytes @p barrier waits for? */
bool sim_async_bulk_left(const sim_worker *w, const sim_mbarrier *barrier);

#endif
