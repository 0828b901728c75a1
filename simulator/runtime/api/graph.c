/**
 * @file graph.c
 * @brief Graphs: structure and copies.
 */
#include "api.h"

/* ---- sets of nodes ------------------------------------------------------- */

void sim_node_set_clear(sim_node_set *set)
{
    free(set->nodes);
    *set = (sim_node_set){NULL, 0};
}

static bool contains(const sim_node_set *set, const void *node)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->nodes[i] == node)
            return true;
    return false;
}

static void insert(sim_node_set *set, cudaGraphNode_t node)
{
    if (!node || contains(set, node))
        return;
    set->nodes = sim_grow(set->nodes, (set->count + 1) * sizeof *set->nodes);
    set->nodes[set->count++] = node;
}

static void erase(sim_node_set *set, const void *node)
{
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++)
        if (set->nodes[i] != node)
            set->nodes[kept++] = set->nodes[i];
    set->count = kept;
}

void sim_node_set_one(sim_node_set *set, cudaGraphNode_t node)
{
    sim_node_set_clear(set);
    insert(set, node);
}

void sim_node_set_join(sim_node_set *set, const sim_node_set *other)
{
    for (size_t i = 0; i < other->count; i++)
        insert(set, other->nodes[i]);
}

/** Answer with a set: how many there are, or as many as there is room for. */
static cudaError_t answer(const sim_node_set *set, cudaGraphNode_t *nodes,
                          size_t *count)
{
    RETURN_IF(!count, cudaErrorInvalidValue);
    size_t room = nodes ? *count : 0;
    for (size_t i = 0; i < room; i++)
        nodes[i] = i < set->count ? set->nodes[i] : NULL;
    *count = nodes && set->count > room ? room : set->count;
    return sim_return(cudaSuccess);
}

/* ---- structure ----------------------------------------------------------- */

cudaGraph_t sim_graph_new(void)
{
    return sim_new(sizeof(struct CUgraph_st));
}

void sim_node_assign(cudaGraphNode_t node, sim_work_fn work, const void *data,
                     size_t bytes)
{
    void *copy = sim_grow(NULL, bytes + 1);
    if (bytes)
        memcpy(copy, data, bytes);
    free(node->data);
    node->work = work;
    node->data = copy;
    node->bytes = bytes;
}

cudaGraphNode_t sim_graph_add(cudaGraph_t graph, enum cudaGraphNodeType type,
                              sim_work_fn work, const void *data, size_t bytes,
                              const sim_node_set *before)
{
    cudaGraphNode_t node = sim_new(sizeof *node);
    node->type = type;
    node->graph = graph;
    node->number = graph->all.count;
    sim_node_assign(node, work, data, bytes);
    sim_node_set_join(&node->before, before);
    insert(&graph->all, node);
    return node;
}

static void free_node(cudaGraphNode_t node)
{
    if (node->memory)
        sim_graph_memory_use(node->memory, -1);
    if (node->child)
        cudaGraphDestroy(node->child);
    sim_node_set_clear(&node->before);
    free(node->data);
    free(node);
}

/** Nodes that no other one comes after. */
static sim_node_set leaves_of(cudaGraph_t graph)
{
    sim_node_set leaves = {NULL, 0};
    sim_node_set_join(&leaves, &graph->all);
    for (size_t i = 0; i < graph->all.count; i++)
        for (size_t k = 0; k < graph->all.nodes[i]->before.count; k++)
            erase(&leaves, graph->all.nodes[i]->before.nodes[k]);
    return leaves;
}

bool sim_graph_ends_in(cudaGraph_t graph, const sim_node_set *last)
{
    sim_node_set leaves = leaves_of(graph);
    bool all = true;
    for (size_t i = 0; i < leaves.count; i++)
        all &= contains(last, leaves.nodes[i]);
    sim_node_set_clear(&leaves);
    return all;
}

bool sim_graph_sort(cudaGraph_t graph, sim_node_set *order)
{
    size_t before;
    do {
        before = order->count;
        for (size_t i = 0; i < graph->all.count; i++) {
            cudaGraphNode_t node = graph->all.nodes[i];
            bool ready = true;
            for (size_t k = 0; k < node->before.count; k++)
                ready &= contains(order, node->before.nodes[k]);
            if (ready)
                insert(order, node);
        }
    } while (order->count > before);
    return order->count == graph->all.count;
}

cudaGraph_t sim_graph_clone(cudaGraph_t graph)
{
    cudaGraph_t copy = sim_graph_new();
    const sim_node_set none = {NULL, 0};
    for (size_t i = 0; i < graph->all.count; i++) {
        cudaGraphNode_t from = graph->all.nodes[i];
        cudaGraphNode_t to = sim_graph_add(copy, from->type, from->work,
                                           from->data, from->bytes, &none);
        to->origin = from;
        to->kernel = from->kernel;
        to->disabled = from->disabled;
        to->memory = from->memory;
        if (to->memory)
            sim_graph_memory_use(to->memory, 1);
        if (from->child)
            to->child = sim_graph_clone(from->child);
    }
    for (size_t i = 0; i < graph->all.count; i++) {
        const sim_node_set *before = &graph->all.nodes[i]->before;
        for (size_t k = 0; k < before->count; k++)
            insert(&copy->all.nodes[i]->before,
                   copy->all.nodes[before->nodes[k]->number]);
    }
    return copy;
}

/* ---- calls about the structure ------------------------------------------- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    RETURN_IF(!graph || flags, cudaErrorInvalidValue);
    *graph = sim_graph_new();
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    RETURN_IF(!clone || !graph, cudaErrorInvalidValue);
    *clone = sim_graph_clone(graph);
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    RETURN_IF(!graph, cudaErrorInvalidValue);
    for (size_t i = 0; i < graph->all.count; i++)
        free_node(graph->all.nodes[i]);
    sim_node_set_clear(&graph->all);
    free(graph);
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    RETURN_IF(!node, cudaErrorInvalidValue);
    sim_node_set *all = &node->graph->all;
    erase(all, node);
    for (size_t i = 0; i < all->count; i++) {
        erase(&all->nodes[i]->before, node);
        all->nodes[i]->number = i;
    }
    free_node(node);
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *count)
{
    RETURN_IF(!graph, cudaErrorInvalidValue);
    return answer(&graph->all, nodes, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                                  size_t *count)
{
    RETURN_IF(!graph, cudaErrorInvalidValue);
    sim_node_set roots = {NULL, 0};
    for (size_t i = 0; i < graph->all.count; i++)
        if (!graph->all.nodes[i]->before.count)
            insert(&roots, graph->all.nodes[i]);
    cudaError_t error = answer(&roots, nodes, count);
    sim_node_set_clear(&roots);
    return error;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                              cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                              size_t *count)
{
    RETURN_IF(!graph || !count || !from != !to, cudaErrorInvalidValue);
    size_t found = 0;
    for (size_t i = 0; i < graph->all.count; i++)
        for (size_t k = 0; k < graph->all.nodes[i]->before.count; k++) {
            if (from && found < *count) {
                from[found] = graph->all.nodes[i]->before.nodes[k];
                to[found] = graph->all.nodes[i];
                if (edges)
                    edges[found] = (cudaGraphEdgeData){0};
            }
            found++;
        }
    if (!from || found < *count)
        *count = found;
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                     const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges,
                                     size_t count)
{
    (void)edges;
    for (size_t i = 0; i < count; i++) {
        RETURN_IF(!graph || from[i]->graph != graph || to[i]->graph != graph ||
                      from[i] == to[i] || contains(&to[i]->before, from[i]),
                  cudaErrorInvalidValue);
        insert(&to[i]->before, from[i]);
    }
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
                                 enum cudaGraphNodeType *type)
{
    RETURN_IF(!node || !type, cudaErrorInvalidValue);
    *type = node->type;
    return sim_return(cudaSuccess);
}

cudaGraphNode_t sim_node_of_copy(cudaGraph_t clone, cudaGraphNode_t node)
{
    for (size_t i = 0; i < clone->all.count; i++)
        if (clone->all.nodes[i]->origin == node)
            return clone->all.nodes[i];
    return NULL;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found,
                                     cudaGraphNode_t node, cudaGraph_t clone)
{
    RETURN_IF(!found || !node || !clone, cudaErrorInvalidValue);
    *found = sim_node_of_copy(clone, node);
    return sim_return(*found ? cudaSuccess : cudaErrorInvalidValue);
}
