/**
 * @file graph_exec.c
 * @brief Graphs that can be launched: launches, updates.
 *
 * A graph runs its nodes one after the other: of those that may go, the one
 * that was added first. That is one of the orders that a GPU may choose.
 */
#include "api.h"

/** A copy of a graph that can be launched. */
struct CUgraphExec_st {
    cudaGraph_t graph;        /**< the copy */
    sim_node_set order;       /**< its nodes, in the order in which they run */
    unsigned long long flags; /**< of cudaGraphInstantiate() */
};

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags)
{
    RETURN_IF(!exec || !graph, cudaErrorInvalidValue);
    cudaGraphExec_t e = sim_new(sizeof *e);
    e->flags = flags;
    e->graph = sim_graph_clone(graph);
    if (!sim_graph_sort(e->graph, &e->order)) {
        cudaGraphExecDestroy(e);
        return sim_return(cudaErrorInvalidValue);
    }
    *exec = e;
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec,
                                          cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    RETURN_IF(!exec, cudaErrorInvalidValue);
    cudaGraphDestroy(exec->graph);
    sim_node_set_clear(&exec->order);
    free(exec);
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    (void)stream;
    return sim_return(exec ? cudaSuccess : cudaErrorInvalidValue);
}

/** Do, or record, what some nodes say. */
static cudaError_t run_nodes(const sim_node_set *order, cudaStream_t stream)
{
    for (size_t i = 0; i < order->count; i++) {
        cudaGraphNode_t n = order->nodes[i];
        cudaError_t error = cudaSuccess;
        if (n->child && !n->disabled) {
            sim_node_set inner = {NULL, 0};
            sim_graph_sort(n->child, &inner);
            error = run_nodes(&inner, stream);
            sim_node_set_clear(&inner);
        } else if (n->work && !n->disabled) {
            error = sim_enqueue(stream, n->type, n->work, n->data, n->bytes);
        }
        if (error)
            return error;
    }
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    RETURN_IF(!exec, cudaErrorInvalidValue);
    if (exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch)
        sim_graph_memory_renew(exec->graph);
    return sim_return(run_nodes(&exec->order, stream));
}

/* ---- updates ------------------------------------------------------------- */

cudaGraphNode_t sim_node_of_exec(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    return exec && node ? sim_node_of_copy(exec->graph, node) : NULL;
}

/** Are two nodes of two graphs alike but for their parameters? */
static enum cudaGraphExecUpdateResult compare(cudaGraphNode_t a,
                                              cudaGraphNode_t b)
{
    if (a->type != b->type)
        return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (a->before.count != b->before.count || !a->child != !b->child)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < a->before.count; i++)
        if (a->before.nodes[i]->number != b->before.nodes[i]->number)
            return cudaGraphExecUpdateErrorTopologyChanged;
    if (a->memory != b->memory)
        return cudaGraphExecUpdateErrorNotSupported;
    return cudaGraphExecUpdateSuccess;
}

/** Compare two graphs. @return what differs first, and where */
static cudaGraphExecUpdateResultInfo compare_graphs(cudaGraph_t a,
                                                    cudaGraph_t b)
{
    cudaGraphExecUpdateResultInfo info = {cudaGraphExecUpdateSuccess, NULL,
                                          NULL};
    if (a->all.count != b->all.count)
        info.result = cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < b->all.count && !info.result; i++) {
        info.result = compare(a->all.nodes[i], b->all.nodes[i]);
        if (!info.result && b->all.nodes[i]->child)
            info =
                compare_graphs(a->all.nodes[i]->child, b->all.nodes[i]->child);
        if (info.result && !info.errorNode)
            info.errorNode = b->all.nodes[i];
    }
    return info;
}

/** Let the nodes of @p to do what those of @p from do. */
static void take_over(cudaGraph_t to, cudaGraph_t from)
{
    for (size_t i = 0; i < to->all.count; i++) {
        cudaGraphNode_t a = to->all.nodes[i], b = from->all.nodes[i];
        sim_node_assign(a, b->work, b->data, b->bytes);
        a->kernel = b->kernel;
        a->origin = b;
        if (a->child)
            take_over(a->child, b->child);
    }
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info)
{
    RETURN_IF(!exec || !graph || !info, cudaErrorInvalidValue);
    *info = compare_graphs(exec->graph, graph);
    RETURN_IF(info->result, cudaErrorGraphExecUpdateFailure);
    take_over(exec->graph, graph);
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled)
{
    cudaGraphNode_t n = sim_node_of_exec(exec, node);
    RETURN_IF(!n, cudaErrorInvalidValue);
    n->disabled = !enabled;
    return sim_return(cudaSuccess);
}
