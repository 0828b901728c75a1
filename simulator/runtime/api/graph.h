/**
 * @file graph.h
 * @brief Graphs of work: nodes, and what comes after what.
 *
 * graph.c holds the graphs, graph_exec.c runs and updates them, graph_nodes.c
 * makes nodes of the kinds that programs ask for, graph_memory.c the memory
 * that belongs to graphs.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include "../../include/cuda_runtime_api.h"
#include "stream.h"

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

#endif
