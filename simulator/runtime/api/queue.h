/**
 * @file queue.h
 * @brief Work behind a launch that goes on.
 *
 * Work is done when it is enqueued, but for one case: a kernel waits for
 * something that the host will do. Then its launch returns (launch.c), and
 * what the program enqueues meanwhile is kept here, in one order for all
 * streams. It is done when somebody waits, or asks, and the launch has ended.
 *
 * Each piece of work that was not done at once has a number.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream.h"

/** Is all work done? Does what can be done without waiting for a kernel. */
bool sim_queue_is_empty(void);

/** Wait until all work is done. */
void sim_queue_wait(void);

/** Keep some work; @p data is copied. @return its number */
uint64_t sim_queue_add(sim_work_fn work, const void *data, size_t bytes);

/** A launch goes on. @return its number */
uint64_t sim_queue_note_launch(void);

/** Is the work of this number done? 0: work that was done at once. */
bool sim_queue_is_done(uint64_t number);

#endif
