/**
 * @file graph_nodes.c
 * @brief Nodes of graphs: kernels, copies, memsets, functions, graphs.
 */
#include "api.h"

/** Would such a node be in order? */
static bool may_add(cudaGraphNode_t *node, cudaGraph_t graph,
                    const cudaGraphNode_t *before, size_t count)
{
    if (!node || !graph || (count && !before))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!before[i] || before[i]->graph != graph)
            return false;
    return true;
}

/** Add a node. */
static cudaGraphNode_t add(cudaGraph_t graph, const cudaGraphNode_t *before,
                           size_t count, enum cudaGraphNodeType type,
                           sim_work_fn work, const void *data, size_t bytes)
{
    sim_node_set set = {(cudaGraphNode_t *)before, count};
    return sim_graph_add(graph, type, work, data, bytes, &set);
}

/** The node that a call changes, if it is of the right kind. */
static bool is_a(cudaGraphNode_t node, enum cudaGraphNodeType type)
{
    return node && node->type == type;
}

/* ---- kernels ------------------------------------------------------------- */

/** Let a node launch a kernel. */
static cudaError_t assign_kernel(cudaGraphNode_t node,
                                 const struct cudaKernelNodeParams *params)
{
    void *launch;
    size_t bytes;
    cudaError_t error = sim_launch_make(params, false, NULL, &launch, &bytes);
    RETURN_IF(error, error);
    sim_node_assign(node, sim_launch_now, launch, bytes);
    node->kernel = params->func;
    free(launch);
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, size_t count,
                                   const struct cudaKernelNodeParams *params)
{
    RETURN_IF(!params || !may_add(node, graph, before, count),
              cudaErrorInvalidValue);
    *node = add(graph, before, count, cudaGraphNodeTypeKernel, NULL, NULL, 0);
    cudaError_t error = assign_kernel(*node, params);
    if (error)
        cudaGraphDestroyNode(*node);
    return error;
}

cudaError_t
cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                             const struct cudaKernelNodeParams *params)
{
    RETURN_IF(!params || !is_a(node, cudaGraphNodeTypeKernel),
              cudaErrorInvalidValue);
    return assign_kernel(node, params);
}

cudaError_t
cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                 const struct cudaKernelNodeParams *params)
{
    return cudaGraphKernelNodeSetParams(sim_node_of_exec(exec, node), params);
}

/* ---- copies -------------------------------------------------------------- */

static cudaError_t copy_box(void *params)
{
    return cudaMemcpy3DAsync(params, NULL);
}

/** A box of one row. */
static struct cudaMemcpy3DParms row(void *to, const void *from, size_t bytes,
                                    enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){.srcPtr = {(void *)from, bytes, bytes, 1},
                                      .dstPtr = {to, bytes, bytes, 1},
                                      .extent = {bytes, 1, 1},
                                      .kind = kind};
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, size_t count,
                                   const struct cudaMemcpy3DParms *params)
{
    RETURN_IF(!params || !may_add(node, graph, before, count),
              cudaErrorInvalidValue);
    *node = add(graph, before, count, cudaGraphNodeTypeMemcpy, copy_box, params,
                sizeof *params);
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *before,
                                     size_t count, void *to, const void *from,
                                     size_t bytes, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms params = row(to, from, bytes, kind);
    return cudaGraphAddMemcpyNode(node, graph, before, count, &params);
}

/* ---- memsets ------------------------------------------------------------- */

/** Set elements of 2 or 4 bytes through a row on the host. */
static cudaError_t set_elements(const struct cudaMemsetParams *p)
{
    size_t bytes = p->width * p->elementSize;
    char *values = malloc(bytes + 1);
    cudaError_t error = values ? cudaSuccess : cudaErrorMemoryAllocation;
    for (size_t i = 0; values && i < p->width; i++)
        memcpy(values + i * p->elementSize, &p->value, p->elementSize);
    for (size_t y = 0; y < p->height && !error; y++)
        error = cudaMemcpyAsync((char *)p->dst + y * p->pitch, values, bytes,
                                cudaMemcpyHostToDevice, NULL);
    free(values);
    return error;
}

static cudaError_t set(void *params)
{
    const struct cudaMemsetParams *p = params;
    if (p->elementSize > 1)
        return set_elements(p);
    return cudaMemset2DAsync(p->dst, p->height > 1 ? p->pitch : p->width,
                             (int)p->value, p->width, p->height, NULL);
}

static bool can_set(const struct cudaMemsetParams *p)
{
    return p && p->dst &&
           (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, size_t count,
                                   const struct cudaMemsetParams *params)
{
    RETURN_IF(!can_set(params) || !may_add(node, graph, before, count),
              cudaErrorInvalidValue);
    *node = add(graph, before, count, cudaGraphNodeTypeMemset, set, params,
                sizeof *params);
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemsetParams *params)
{
    RETURN_IF(!can_set(params) || !is_a(node, cudaGraphNodeTypeMemset),
              cudaErrorInvalidValue);
    sim_node_assign(node, set, params, sizeof *params);
    return sim_return(cudaSuccess);
}

/* ---- functions of the host ----------------------------------------------- */

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *before, size_t count,
                                 const struct cudaHostNodeParams *params)
{
    RETURN_IF(!params || !params->fn || !may_add(node, graph, before, count),
              cudaErrorInvalidValue);
    *node = add(graph, before, count, cudaGraphNodeTypeHost, sim_call_host,
                params, sizeof *params);
    return sim_return(cudaSuccess);
}

/* ---- others -------------------------------------------------------------- */

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *before, size_t count)
{
    RETURN_IF(!may_add(node, graph, before, count), cudaErrorInvalidValue);
    *node = add(graph, before, count, cudaGraphNodeTypeEmpty, NULL, NULL, 0);
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *before,
                                       size_t count, cudaGraph_t child)
{
    RETURN_IF(!child || child == graph || !may_add(node, graph, before, count),
              cudaErrorInvalidValue);
    *node = add(graph, before, count, cudaGraphNodeTypeGraph, NULL, NULL, 0);
    (*node)->child = sim_graph_clone(child);
    return sim_return(cudaSuccess);
}

/* ---- memory -------------------------------------------------------------- */

/** The node says which memory it is about. */
static void name_memory(cudaGraphNode_t node, void *pointer)
{
    node->memory = pointer;
    sim_graph_memory_use(pointer, 1);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *before,
                                     size_t count,
                                     struct cudaMemAllocNodeParams *params)
{
    RETURN_IF(!params ||
                  params->poolProps.allocType != cudaMemAllocationTypePinned ||
                  params->poolProps.location.type != cudaMemLocationTypeDevice,
              cudaErrorInvalidValue);
    cudaError_t error = cudaGraphAddEmptyNode(node, graph, before, count);
    if (error)
        return error;
    void *p = sim_graph_memory_new(params->bytesize);
    if (!p) {
        cudaGraphDestroyNode(*node);
        return sim_return(cudaErrorMemoryAllocation);
    }
    (*node)->type = cudaGraphNodeTypeMemAlloc;
    params->dptr = p;
    name_memory(*node, p);
    sim_node_assign(*node, sim_graph_memory_begin, &p, sizeof p);
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *before, size_t count,
                                    void *pointer)
{
    RETURN_IF(!sim_graph_memory_is(pointer), cudaErrorInvalidValue);
    cudaError_t error = cudaGraphAddEmptyNode(node, graph, before, count);
    if (error)
        return error;
    (*node)->type = cudaGraphNodeTypeMemFree;
    name_memory(*node, pointer);
    sim_node_assign(*node, sim_graph_memory_end, &pointer, sizeof pointer);
    return sim_return(cudaSuccess);
}

/** The node that a stream has just recorded. */
static cudaGraphNode_t latest(cudaStream_t stream)
{
    const sim_node_set *all = &sim_capture_of(stream)->all;
    return all->nodes[all->count - 1];
}

cudaError_t sim_graph_allocate(cudaStream_t stream, void **pointer,
                               size_t bytes)
{
    void *p = sim_graph_memory_new(bytes);
    if (!p)
        return cudaErrorMemoryAllocation;
    *pointer = p;
    sim_capture(stream, cudaGraphNodeTypeMemAlloc, sim_graph_memory_begin, &p,
                sizeof p);
    name_memory(latest(stream), p);
    return cudaSuccess;
}

cudaError_t sim_graph_free(cudaStream_t stream, void *pointer)
{
    if (!sim_graph_memory_is(pointer))
        return cudaErrorInvalidValue;
    sim_capture(stream, cudaGraphNodeTypeMemFree, sim_graph_memory_end,
                &pointer, sizeof pointer);
    name_memory(latest(stream), pointer);
    return cudaSuccess;
}
