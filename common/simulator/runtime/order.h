/**
 * @file order.h
 * @brief Which blocks have waited for which others, through flags in memory.
 */
#ifndef ORDER_H
#define ORDER_H

#include <stdbool.h>
#include <stdint.h>

/** How two blocks stand to each other. */
typedef enum {
    ORDER_NONE,    /**< they run in any order, or at once */
    ORDER_FENCED,  /**< one has waited for the other, as it should */
    ORDER_UNFENCED /**< it has, but without __threadfence before the flag */
} sim_order;

/** Forget everything: a launch begins. */
void sim_order_reset(void);

/** Block @p block is about to write a flag by an atomic or volatile store. */
void sim_order_release(uint64_t block, uint64_t address, bool fenced);

/** Block @p block has read a flag by an atomic or volatile load. */
void sim_order_acquire(uint64_t block, uint64_t address);

/** Has one of two blocks waited for the other? */
sim_order sim_order_between(uint64_t a, uint64_t b);

/** Has @p block waited for any block, or any block for it? */
bool sim_order_any(uint64_t block);

#endif
