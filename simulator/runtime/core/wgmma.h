/**
 * @file wgmma.h
 * @brief Products of four warps, from shared memory: wgmma of sm_90a.
 *
 * Semantics: "PTX ISA", "Asynchronous Warpgroup Level Matrix Instructions".
 */
#ifndef WGMMA_H
#define WGMMA_H

#include <stdbool.h>
#include <stdint.h>

#include "worker.h"

/** sum [64 x n] (+)= a [64 x 16] * b [16 x n]. A warp has 16 of the rows. */
typedef struct {
    unsigned n;     /**< columns, a multiple of 8 up to 256 */
    int format;     /**< of a and b: SIM_HALF, SIM_BFLOAT16 */
    uint64_t a, b;  /**< descriptors of matrices in shared memory */
    bool add;       /**< false: what was in the sums does not count */
    bool b_by_rows; /**< n runs fastest in memory, not k */
    uint32_t site;  /**< of the instruction */
} sim_wgmma;

/** wgmma.fence: what the running lane did to its registers is done. */
void sim_wgmma_fence(void);

/** wgmma.mma_async. @param sums  n / 2 registers of the running lane: for
 *  every 8 columns four, as in C of mma.sync m16n8 */
void sim_wgmma_run(const sim_wgmma *product, uint64_t **sums);

/** wgmma.commit_group: the products since the last one are a group. */
void sim_wgmma_commit(void);

/** wgmma.wait_group: until at most @p left groups of the lane are under way. */
void sim_wgmma_wait(uint32_t left);

/** The running lane has a box copied to the shared memory of block @p w, where
 *  no product under way may read. */
void sim_wgmma_overwrite(sim_worker *w, uint32_t offset, uint32_t bytes);

/** A block has ended. If it is @p complete, nobody's products may be left. */
void sim_wgmma_end_block(sim_worker *w, bool complete);

#endif
