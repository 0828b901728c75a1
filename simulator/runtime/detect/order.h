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
    ORDER_NONE,     /**< they run in any order, or at once */
    ORDER_FENCED,   /**< one has waited for the other, as it should */
    ORDER_UNFENCED, /**< it has, but without __threadfence before the flag */
    ORDER_EARLY     /**< it has, but without __threadfence behind the flag */
} sim_order;

/** Forget everything: a launch begins. */
void sim_order_reset(void);

#define MAX_CLOCK 15 /**< flags of a block that are told apart */
#define LAST_NAME 0xfffffffeu
#define MOST_MOMENTS ((uint32_t)1 << 22)

/**
 * A number, 1 to LAST_NAME, for what @p block does at @p clock.
 *
 * At clock 0, before its first flag, that is the block's number + 1; later
 * moments get new numbers, from LAST_NAME down, each time.
 */
uint32_t sim_order_name(uint64_t block, uint32_t clock);

/** The block of such a number. */
uint64_t sim_order_block(uint32_t name);

/** Block @p block is about to write a flag, its @p number th (from 1), by an
 *  atomic or volatile store. */
void sim_order_release(uint64_t block, uint32_t number, uint64_t address,
                       bool fenced);

/** Block @p block has read a flag by an atomic or volatile load. */
void sim_order_acquire(uint64_t block, uint64_t address);

/** Block @p block has executed a fence behind all that it has read. */
void sim_order_fence(uint64_t block);

/** Has one of two blocks waited for what the other did? Both by name. */
sim_order sim_order_between(uint32_t a, uint32_t b);

/** Has the block of the first name waited for what the second one stands for?
 */
bool sim_order_seen(uint32_t reader, uint32_t other);

/** Has @p block waited for any block, or any block for it? */
bool sim_order_any(uint64_t block);

#endif
