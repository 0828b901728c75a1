/**
 * @file fiber.h
 * @brief Fibers: many small stacks that take turns on one OS thread.
 *
 * A GPU thread must be able to stop in the middle of a kernel, at a barrier
 * say, and go on later. So each gets a stack of its own, and stopping means
 * switching to another stack: six registers saved, six restored, 5 to 8 ns.
 *
 * A fiber belongs to the OS thread that created it and is never resumed by
 * another, because the compiler may keep the address of a thread-local
 * variable in a register across the switch.
 */
#ifndef FIBER_H
#define FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One stack with what it takes to resume it. */
typedef struct sim_fiber {
    void *stack_pointer;    /**< saved; NULL: starts from the beginning */
    char *low;              /**< lowest byte of the stack */
    struct sim_fiber *next; /**< list of idle fibers */
} sim_fiber;

/** The fibers of one OS thread that nobody uses at the moment. */
typedef struct {
    sim_fiber *idle;    /**< most recently used first: its stack is in cache */
    void (*body)(void); /**< what a fiber runs; never returns */
    size_t stack_bytes; /**< usable bytes of each stack */
    bool guard_pages;   /**< an unmapped page below each stack */
    unsigned made;      /**< stacks so far */
} sim_fiber_pool;

/** Take an idle fiber, or make one. */
sim_fiber *sim_fiber_take(sim_fiber_pool *pool);

/** Give a fiber back; one in the middle of something is to be reset first. */
void sim_fiber_give(sim_fiber_pool *pool, sim_fiber *fiber);

/** Forget what a fiber was doing: it will start from the beginning. */
void sim_fiber_reset(sim_fiber_pool *pool, sim_fiber *fiber);

/** Where the stack of a fiber begins, which grows downwards. */
uintptr_t sim_fiber_top(uintptr_t low, size_t stack_bytes);

/** Save the present stack pointer in @p from and go on at @p to. */
void sim_fiber_switch(void **from, void *to);

#endif
