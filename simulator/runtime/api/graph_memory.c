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
#include "api.h"

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

void *sim_graph_memory_new(size_t bytes)
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
    return pointer;
}

bool sim_graph_memory_is(const void *pointer)
{
    return find(pointer) != NULL;
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

cudaError_t sim_graph_memory_begin(void *data)
{
    struct piece *p = find(*(void **)data);
    if (!p || p->live)
        return cudaErrorInvalidValue;
    set_live(p, true);
    return cudaSuccess;
}

cudaError_t sim_graph_memory_end(void *data)
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

/* ---- accounts ------------------------------------------------------------ */

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return sim_return(device ? cudaErrorInvalidDevice : cudaSuccess);
}

cudaError_t cudaDeviceGetGraphMemAttribute(
    int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    const uint64_t answers[] = {used, most_used, reserved, most_reserved};
    RETURN_IF(device, cudaErrorInvalidDevice);
    RETURN_IF(!value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh,
              cudaErrorInvalidValue);
    *(uint64_t *)value = answers[attribute];
    return sim_return(cudaSuccess);
}
