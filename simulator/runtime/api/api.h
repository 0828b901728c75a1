/**
 * @file api.h
 * @brief What files of the CUDA runtime's API say to each other.
 */
#ifndef API_H
#define API_H

#include "../core/core.h"

/* ---- errors.c: the last error, and errors that stay ---------------------- */

/**
 * Note what a call returns to the program. @return @p error, or the sticky
 * error if there is one: after an illegal access every call fails until
 * cudaDeviceReset().
 */
cudaError_t sim_return(cudaError_t error);

/** The same, and in words what it means for these arguments; NULL: a finding
 *  has told it. */
cudaError_t sim_refuse(cudaError_t error, const char *why);

/** Will nobody use what the call that is made returns? */
bool sim_is_unread(void);

/** Leave a call early: RETURN_IF(!graph, cudaErrorInvalidValue); */
#define RETURN_IF(condition, error)                                            \
    do                                                                         \
        if (condition)                                                         \
            return sim_return(error);                                          \
    while (0)

/** The same for <<<...>>>, which gives nothing back. */
void sim_note_error(cudaError_t error);

/* ---- stream.c: streams that may be recording what they are given --------- */

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

/** Drop all captures. */
void sim_streams_reset(void);

/* ---- queue.c: work behind a launch that goes on -------------------------- */

/*
 * Work is done when it is enqueued, but for one case: a kernel waits for
 * something that the host will do. Then its launch returns (launch.c), and
 * what the program enqueues meanwhile is kept here, in one order for all
 * streams. It is done when somebody waits, or asks, and the launch has ended.
 *
 * Each piece of work that was not done at once has a number.
 */

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

/* ---- copy.c: device memory without a kernel ------------------------------ */

/** Is [pointer, pointer + bytes) in one buffer or one variable? */
bool sim_is_device(const void *pointer, size_t bytes);

/** Tell whoever looks at streams of bytes that are read or written. */
void sim_moved(const void *p, size_t bytes, bool write);

/* ---- kernels.c: launches of kernels by their address --------------------- */

/**
 * Make a sim_job.
 *
 * @param params       kernel, grid, block, arguments; they are copied
 * @param cooperative  its blocks may wait for each other
 * @param cluster      blocks of a cluster; NULL: as the kernel says
 * @param launch       receives it; for free()
 * @param bytes        receives its size
 */
cudaError_t sim_launch_make(const struct cudaKernelNodeParams *params,
                            bool cooperative, const unsigned cluster[3],
                            void **launch, size_t *bytes);

/* ---- graph.c: graphs of work: nodes, and what comes after what ----------- */

/*
 * graph.c holds the graphs, graph_exec.c runs and updates them, graph_nodes.c
 * makes nodes of the kinds that programs ask for, graph_memory.c the memory
 * that belongs to graphs.
 */

/** Some nodes of one graph, each once. */
typedef struct {
    cudaGraphNode_t *nodes;
    size_t count;
} sim_node_set;

/** Empty it. */
void sim_node_set_clear(sim_node_set *set);

/** Let it hold one node only. */
void sim_node_set_one(sim_node_set *set, cudaGraphNode_t node);

/** Add the nodes of @p other. */
void sim_node_set_join(sim_node_set *set, const sim_node_set *other);

/** One piece of work. */
struct CUgraphNode_st {
    enum cudaGraphNodeType type; /**< kind */
    sim_work_fn work;            /**< does it; NULL: nothing to do */
    void *data;                  /**< for work */
    size_t bytes;                /**< of data */
    cudaGraph_t graph;           /**< that it belongs to */
    cudaGraph_t child;           /**< what a node of a graph runs, or NULL */
    cudaGraphNode_t origin;      /**< of which this is a copy, or NULL */
    sim_node_set before;         /**< nodes that come first */
    size_t number;               /**< in its graph */
    bool disabled;               /**< skipped */
    void *memory;                /**< of nodes that allocate or free */
    const void *kernel;          /**< of kernel nodes */
};

/** Some work. */
struct CUgraph_st {
    sim_node_set all; /**< in the order in which they were added */
};

/** A graph without nodes. */
cudaGraph_t sim_graph_new(void);

/** Add a node that comes after @p before. @p data is copied. */
cudaGraphNode_t sim_graph_add(cudaGraph_t graph, enum cudaGraphNodeType type,
                              sim_work_fn work, const void *data, size_t bytes,
                              const sim_node_set *before);

/** Replace what a node does. @p data is copied. */
void sim_node_assign(cudaGraphNode_t node, sim_work_fn work, const void *data,
                     size_t bytes);

/** Do all paths through the graph end in these nodes? */
bool sim_graph_ends_in(cudaGraph_t graph, const sim_node_set *last);

/** A copy of a graph, whose nodes know their origins. */
cudaGraph_t sim_graph_clone(cudaGraph_t graph);

/** The node of an executable graph that was made from @p node; NULL: none. */
cudaGraphNode_t sim_node_of_exec(cudaGraphExec_t exec, cudaGraphNode_t node);

/** An order in which nodes can run. @return false: they wait in a circle */
bool sim_graph_sort(cudaGraph_t graph, sim_node_set *order);

/** The node of a copy that was made from @p node; NULL: none. */
cudaGraphNode_t sim_node_of_copy(cudaGraph_t clone, cudaGraphNode_t node);

/* ---- graph_nodes.c: in a stream that captures ---------------------------- */

/** Allocate for a node. */
cudaError_t sim_graph_allocate(cudaStream_t stream, void **pointer,
                               size_t bytes);

/** Free. */
cudaError_t sim_graph_free(cudaStream_t stream, void *pointer);

/* ---- graph_memory.c ------------------------------------------------------ */

/** New memory, which no kernel may use yet. @return NULL: there is none */
void *sim_graph_memory_new(size_t bytes);

/** Is it such memory? */
bool sim_graph_memory_is(const void *pointer);

/** Work of nodes: it may be used from now on, or not any more.
 *  @param data  holds its address */
cudaError_t sim_graph_memory_begin(void *data);
cudaError_t sim_graph_memory_end(void *data);

/** Free memory that a graph has allocated. @return false: none of that */
bool sim_graph_release(void *pointer);

/** One node more, or less (@p by -1), names this memory. */
void sim_graph_memory_use(void *pointer, int by);

/** Free what an executable graph has allocated, before it runs again. */
void sim_graph_memory_renew(cudaGraph_t graph);

/* ---- unhook.c: SIM_CHECKS=0: kernels without their hooks ----------------- */

/** Before the first launch: take the hooks away, if nobody wants them. */
void sim_unhook(void);

#endif
