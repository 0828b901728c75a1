/**
 * @file cluster.h
 * @brief Blocks that run together and see each other's shared memory.
 *
 * cluster.c has also what kernels call: sim_cluster_arrive() and its relatives.
 */
#ifndef CLUSTER_H
#define CLUSTER_H

#include <pthread.h>

#include "worker.h"

/** In an address of shared memory the rank stands above this bit. */
#define RANK_SHIFT 24
#define RANK_OFFSET ((1u << RANK_SHIFT) - 1) /**< and below it the offset */

/** Workers that run a cluster, a block each. */
typedef struct sim_cluster {
    sim_worker *members[MOST_OF_CLUSTER]; /**< by rank */
    pthread_mutex_t lock;                 /**< of turn */
    pthread_cond_t passed;                /**< turn is another one */
    unsigned turn;  /**< rank of the one that runs; it may use the rest */
    unsigned still; /**< turns in a row in which nobody could go on */
    unsigned ended; /**< blocks of the cluster that have ended */
    uint32_t taken; /**< clusters so far */
    uint64_t first; /**< number of the latest one, times its blocks */
    uint32_t phase; /**< of the cluster's barrier: how many have ended */
} sim_cluster;

/** A launch begins: bring workers together. */
void sim_cluster_form(sim_worker *const *workers, int count);

/** The worker has no block, or its block has ended. @return there is a next
 *  one, @p block */
bool sim_cluster_next(sim_worker *w, uint64_t *block);

/** Let the other blocks run. @param moved  this one did since its last turn
 *  @return false: no block of the cluster can go on */
bool sim_cluster_turn(sim_worker *w, bool moved);

/** End the phase of the cluster's barrier if all have come. */
void sim_cluster_meet(sim_worker *w);

/** The block of that rank, whose shared memory the running lane uses. */
sim_worker *sim_cluster_member(unsigned rank, uint32_t site);

/** The block of the cluster in whose shared memory @p p is; NULL: none. */
sim_worker *sim_cluster_owner(const sim_worker *w, const void *p);

/** A byte of the shared memory of block @p w. */
void *sim_cluster_byte(const sim_worker *w, uint32_t offset);

/** The inverse. */
uint32_t sim_cluster_offset(const sim_worker *w, const void *p);

#endif
