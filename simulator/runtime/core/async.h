/**
 * @file async.h
 * @brief Copies to shared memory that are under way.
 *
 * async.c has also what kernels call: sim_async_copy(), sim_async_commit(),
 * sim_async_wait().
 */
#ifndef ASYNC_H
#define ASYNC_H

#include "../../include/sim.h"
#include "tma.h"
#include "worker.h"

#define COPY_BYTES 16     /**< bytes of one copy */
#define FLIGHT_SOURCE 256 /**< in sim_worker's flight: a store reads here */

/** One copy of up to 16 bytes. */
typedef struct sim_copy {
    struct sim_copy *next;          /**< of the same lane, or unused */
    char *to;                       /**< in shared memory */
    const sim_mbarrier *barrier;    /**< NULL: belongs to a group */
    uint32_t group;                 /**< of the lane */
    uint32_t site;                  /**< where it began */
    uint32_t bytes;                 /**< up to COPY_BYTES */
    bool written;                   /**< a phase must still end */
    bool bulk;                      /**< cp.async.bulk: not counted */
    bool box;                       /**< part of a tensor copy */
    unsigned char data[COPY_BYTES]; /**< what was read */
} sim_copy;

/** Mark bytes of shared memory that copies write, or read (FLIGHT_SOURCE);
 *  @p by below 0: they do so no longer. */
void sim_async_mark(sim_worker *w, const void *p, size_t bytes, int by);

/** A bulk copy moves @p bytes, of which @p count are at @p global. */
void sim_async_count(unsigned op, const void *global, size_t count,
                     uint64_t bytes);

/**
 * Begin a bulk copy; one that does not go by 16 bytes is refused.
 * @return whether it arrives later. Else nothing is left to do: host code
 * called, or nothing is counted, and the bytes are there, since nobody would
 * see a missing wait
 */
bool sim_bulk_is_late(void *to, const void *from, size_t bytes, uint32_t site);

/** A block has ended. If it is @p complete, no box may be on its way to it;
 *  copies for which nobody has waited are forgotten. */
void sim_async_end_block(sim_worker *w, bool complete);

/** The running lane arrives at a barrier: its copies for it are done. */
void sim_async_arrive(sim_worker *w, const sim_mbarrier *barrier);

/** A barrier waits for all bytes of copies: those of any lane for it are done.
 */
void sim_async_expected(sim_worker *w, const sim_mbarrier *barrier);

/** A phase of a barrier ends: nobody need wait for its copies any more. */
void sim_async_phase(sim_worker *w, const sim_mbarrier *barrier);

/** Log up to 16 bytes of a bulk copy: they are checked, and no request. */
void sim_hook_bulk(const void *p, size_t bytes, bool write, uint32_t site);

/** The running lane accesses the shared memory of another block, @p w: it is
 *  checked. @param what  the bits of the access above its address */
void sim_hook_remote(sim_worker *w, uint32_t offset, uint64_t what,
                     uint32_t site);

/** Let others run until @p entries fit into the log of the running lane: while
 *  it writes these, nobody else runs and its block is not set aside. */
void sim_hook_room(unsigned entries);

/** The block is set aside (-1), or comes back (1): marks of its copies. */
void sim_async_move(sim_worker *w, int by);

/** Copy COPY_BYTES bytes to the shared memory of block @p w, which its
 *  @p barrier counts: they are there when its phase ends. */
void sim_async_counted(sim_worker *w, uint32_t offset, const void *data,
                       sim_mbarrier *barrier, uint32_t site);

#endif
