/**
 * @file parallel.h
 * @brief Work on many items, shared out to the threads of the CPU.
 */
#ifndef PARALLEL_H
#define PARALLEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Does items [begin, end) of some work; called by several threads at once. */
typedef void (*items_fn)(void *context, int64_t begin, int64_t end);

/**
 * Have items [0, count) done by all cores, each a run of neighbours; returns
 * when all are done; no items, no call. Equal arguments give equal runs on a
 * machine.
 */
void parallel_for(int64_t count, items_fn work, void *context);

#ifdef __cplusplus
}
#endif

#endif
