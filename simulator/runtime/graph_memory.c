/**
 * @file graph_memory.c
 * @brief Memory that graphs allocate and free while they run.
 *
 * Such memory has its address as soon as its node exists, and keeps it for
 * every launch. It may be used from the node that allocates it to the one
 * that frees it, or to a cudaFree() behind the graph; at any other time it is
 * as if it were freed. It vanishes with the last node that
 * names it.
 */
#include <stdint.h>
#include <stdlib.h>

#include "alloc.h"
#include "errors.h"
#include "graph.h"
#include "memory.h"

/** One piece of it. */
struct piece {
    struct piece *next;
    void *pointer;
    size_t bytes;
    int uses;  /* nodes that name it */
    bool live; /* allocated and not freed */
};

static struct piece *pieces;
static uint64_t used, most_used, reserved, most_reserved; /* bytes */

static struct piece *find(const void *pointer)
{
    struct piece *p = pieces;
    while (p && p->pointer != pointer)
        p = p->next;
    return p;
}

/** It may be used from now on, or not any more. */
static void set_live(struct piece *p, bool live)
{
    if (p->live != live)
        used = live ? used + p->bytes : used - p->bytes;
    most_used = used > most_used ? used : most_used;
    p->live = live;
    sim_open(p->pointer, live);
}

/** Nobody names it, and it is free: it goes. */
static void collect(struct piece *p)
{
    if (p->uses || p->live)
        return;
    struct piece **link = &pieces;
    while (*link != p)
        link = &(*link)->next;
    *link = p->next;
    reserved -= p->bytes;
    sim_release(p->pointer, false);
    free(p);
}

/** A new piece, which no kernel may use yet. @return NULL: no memory */
static struct piece *new_piece(size_t bytes)
{
    void *pointer = bytes ? sim_allocate(bytes, BUFFER_DEVICE, NULL, 0) : NULL;
    if (!pointer)
        return NULL;
    struct piece *p = sim_new(sizeof *p);
    *p = (struct piece){.next = pieces, .pointer = pointer, .bytes = bytes};
    pieces = p;
    reserved += bytes;
    most_reserved = reserved > most_reserved ? reserved : most_reserved;
    set_live(p, false);
    return p;
}

void sim_graph_memory_use(void *pointer, int by)
{
    struct piece *p = find(pointer);
    if (!p)
        return;
    p->uses += by;
    collect(p);
}

/* ---- work ---------------------------------------------------------------- */

static cudaError_t begin_life(void *data)
{
    struct piece *p = find(*(void **)data);
    if (!p || p->live)
        return cudaErrorInvalidValue;
    set_live(p, true);
    return cudaSuccess;
}

static cudaError_t end_life(void *data)
{
    struct piece *p = find(*(void **)data);
    if (!p || !p->live)
        return cudaErrorInvalidValue;
    set_live(p, false);
    return cudaSuccess;
}

void sim_graph_memory_renew(cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->all.count; i++) {
        const cudaGraphNode_t node = graph->all.nodes[i];
        struct piece *p = node->memory ? find(node->memory) : NULL;
        if (p && p->live && node->type == cudaGraphNodeTypeMemAlloc)
            set_live(p, false);
    }
}

bool sim_graph_release(void *pointer)
{
    struct piece *p = find(pointer);
    if (!p || !p->live)
        return false;
    set_live(p, false);
    collect(p);
    return true;
}

/* ---- nodes --------------------------------------------------------------- */

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
    if (!params || params->poolProps.allocType != cudaMemAllocationTypePinned ||
        params->poolProps.location.type != cudaMemLocationTypeDevice)
        return sim_return(cudaErrorInvalidValue);
    cudaError_t error = cudaGraphAddEmptyNode(node, graph, before, count);
    if (error)
        return error;
    struct piece *p = new_piece(params->bytesize);
    if (!p) {
        cudaGraphDestroyNode(*node);
        return sim_return(cudaErrorMemoryAllocation);
    }
    (*node)->type = cudaGraphNodeTypeMemAlloc;
    params->dptr = p->pointer;
    name_memory(*node, p->pointer);
    sim_node_assign(*node, begin_life, &p->pointer, sizeof p->pointer);
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *before, size_t count,
                                    void *pointer)
{
    if (!find(pointer))
        return sim_return(cudaErrorInvalidValue);
    cudaError_t error = cudaGraphAddEmptyNode(node, graph, before, count);
    if (error)
        return error;
    (*node)->type = cudaGraphNodeTypeMemFree;
    name_memory(*node, pointer);
    sim_node_assign(*node, end_life, &pointer, sizeof pointer);
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
    struct piece *p = new_piece(bytes);
    if (!p)
        return cudaErrorMemoryAllocation;
    *pointer = p->pointer;
    sim_capture(stream, cudaGraphNodeTypeMemAlloc, begin_life, &p->pointer,
                sizeof p->pointer);
    name_memory(latest(stream), p->pointer);
    return cudaSuccess;
}

cudaError_t sim_graph_free(cudaStream_t stream, void *pointer)
{
    if (!find(pointer))
        return cudaErrorInvalidValue;
    sim_capture(stream, cudaGraphNodeTypeMemFree, end_life, &pointer,
                sizeof pointer);
    name_memory(latest(stream), pointer);
    return cudaSuccess;
}

/* ---- accounts ------------------------------------------------------------ */

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return sim_return(device ? cudaErrorInvalidDevice : cudaSuccess);
}

cudaError_t cudaDeviceGetGraphMemAttribute(
    int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    const uint64_t answers[] = {used, most_used, reserved, most_reserved};
    if (device)
        return sim_return(cudaErrorInvalidDevice);
    if (!value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh)
        return sim_return(cudaErrorInvalidValue);
    *(uint64_t *)value = answers[attribute];
    return sim_return(cudaSuccess);
}

cudaError_t cudaDeviceSetGraphMemAttribute(
    int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    if (device)
        return sim_return(cudaErrorInvalidDevice);
    if (!value || *(uint64_t *)value)
        return sim_return(cudaErrorInvalidValue); /* only back to what is */
    if (attribute == cudaGraphMemAttrUsedMemHigh)
        most_used = used;
    else if (attribute == cudaGraphMemAttrReservedMemHigh)
        most_reserved = reserved;
    else
        return sim_return(cudaErrorInvalidValue);
    return sim_return(cudaSuccess);
}
