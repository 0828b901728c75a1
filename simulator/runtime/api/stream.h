/**
 * @file stream.h
 * @brief Streams that may be recording what they are given.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/cuda_runtime_api.h"

/** Above 0: who calls was compiled with a default stream of each thread, so a
 *  stream that is not named is cudaStreamPerThread; see per_thread.c. */
extern _Thread_local unsigned sim_default_is_own;

/** Does the work behind @p data, which is a copy of what was recorded. */
typedef cudaError_t (*sim_work_fn)(void *data);

/**
 * Do some work now, or record it if @p stream captures.
 *
 * @param stream  where the program wants it
 * @param type    of the node that it would be in a graph
 * @param work    does it
 * @param data    for @p work; copied when it is recorded
 * @param bytes   of @p data
 */
cudaError_t sim_enqueue(cudaStream_t stream, enum cudaGraphNodeType type,
                        sim_work_fn work, void *data, size_t bytes);

/** The graph that a stream records into; NULL: it does not capture. */
cudaGraph_t sim_capture_of(cudaStream_t stream);

/** Record work in a stream that captures. */
cudaError_t sim_capture(cudaStream_t stream, enum cudaGraphNodeType type,
                        sim_work_fn work, const void *data, size_t bytes);

/** Work of a host node: calls a function. @p params: cudaHostNodeParams */
cudaError_t sim_call_host(void *params);

/** Wait for the device, but refuse to wait for a stream that captures, or, with
 *  @p any, while any does. */
cudaError_t sim_may_wait(cudaStream_t stream, bool any);

/** Number of the latest work of a stream, and which stream it is in a
 *  sim_past. */
uint32_t sim_stream_work(cudaStream_t stream, unsigned *index);

/** The program knows that the work of a stream is done, or that all work is. */
void sim_host_waits_for(cudaStream_t stream);
void sim_host_waits_for_all(void);

/** Wait until all work is done; managed memory belongs to the host then. */
void sim_wait_for_device(void);

/** Drop all captures. */
void sim_streams_reset(void);

#endif
