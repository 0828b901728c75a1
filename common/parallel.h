/**
 * @file parallel.h
 * @brief Rows of a matrix, shared out to the threads of the CPU.
 */
#ifndef PARALLEL_H
#define PARALLEL_H

#ifdef __cplusplus
extern "C" {
#endif

/** Does rows [begin, end) of some work; called by several threads at once. */
typedef void (*rows_fn)(void *context, int begin, int end);

/**
 * Have rows [0, rows) done by all cores, each a run of neighbouring rows;
 * returns when all are done. Equal arguments give equal runs on a machine.
 */
void parallel_rows(int rows, rows_fn work, void *context);

#ifdef __cplusplus
}
#endif

#endif
