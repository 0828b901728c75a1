/**
 * @file trace.h
 * @brief SIM_TRACE: single requests, lane by lane.
 */
#ifndef TRACE_H
#define TRACE_H

#include "count.h"

/** A launch begins: nothing of it has been traced. */
void sim_trace_begin(void);

/** Count a request as sim_count_request() does, and write it down if it is one
 *  of the first of its place. */
void sim_trace_request(sim_worker *w, unsigned warp,
                       const uint64_t access[LANES], uint32_t mask,
                       uint32_t site, sim_pattern pattern);

/** A block passes a barrier. */
void sim_trace_barrier(const sim_worker *w, const char *file, int line);

#endif
