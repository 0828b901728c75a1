/**
 * @file pool.c
 * @brief Pools of memory: cudaMallocAsync, cudaFreeAsync and their accounts.
 *
 * A buffer of a pool is an ordinary buffer. A pool only knows which ones are
 * its own, so that it can say how much of it is used. Nothing is kept for
 * later: what is reserved is what is used.
 */
#include "api.h"

/** A pool. */
struct CUmemPoolHandle_st {
    int reuse[3];       /**< cudaMemPoolReuse...: kept, without effect */
    uint64_t threshold; /**< kept, without effect (bytes) */
    uint64_t used;      /**< bytes */
    uint64_t most;      /**< most bytes used at one time */
    size_t limit;       /**< 0: none (bytes) */
};

/** A buffer and its pool. */
struct member {
    void *pointer;       /**< of the buffer */
    size_t bytes;        /**< of the buffer */
    cudaMemPool_t pool;  /**< its pool */
    struct member *next; /**< list */
};

static struct CUmemPoolHandle_st default_pool = {.reuse = {1, 1, 1}};
static cudaMemPool_t current = &default_pool;
static struct member *members;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- buffers ------------------------------------------------------------- */

/** Enter a buffer in the books of a pool. */
static void note(cudaMemPool_t pool, void *pointer, size_t bytes)
{
    struct member *m = sim_new(sizeof *m);
    pthread_mutex_lock(&lock);
    *m = (struct member){pointer, bytes, pool, members};
    members = m;
    pool->used += bytes;
    if (pool->used > pool->most)
        pool->most = pool->used;
    pthread_mutex_unlock(&lock);
}

/** A buffer is freed: take it from the books. */
static void forget(const void *pointer)
{
    pthread_mutex_lock(&lock);
    struct member **link = &members;
    while (*link && (*link)->pointer != pointer)
        link = &(*link)->next;
    struct member *m = *link;
    if (m) {
        m->pool->used -= m->bytes;
        *link = m->next;
    }
    pthread_mutex_unlock(&lock);
    free(m);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes,
                                    cudaMemPool_t pool, cudaStream_t stream)
{
    RETURN_IF(!pointer || !pool || !bytes, cudaErrorInvalidValue);
    if (sim_sticky())
        return sim_sticky();
    *pointer = NULL;
    RETURN_IF(sim_capture_of(stream),
              sim_graph_allocate(stream, pointer, bytes));
    RETURN_IF(pool->limit && pool->used + bytes > pool->limit,
              cudaErrorMemoryAllocation);
    *pointer = sim_allocate(bytes, BUFFER_DEVICE, NULL, 0);
    RETURN_IF(!*pointer, cudaErrorMemoryAllocation);
    note(pool, *pointer, bytes);
    return sim_return(cudaSuccess);
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(pointer, bytes, current, stream);
}

/** Free memory, whoever has allocated it. @p data: its address */
static cudaError_t release(void *data)
{
    void *pointer = *(void **)data;
    if (!pointer || sim_graph_release(pointer))
        return cudaSuccess;
    if (!sim_release(pointer, false)) {
        sim_finding("invalid-free", sim_caller(), "%s",
                    in_arena((uintptr_t)pointer)
                        ? sim_format("cudaFree of %s\n%s",
                                     sim_name_global((uintptr_t)pointer, 4),
                                     sim_where_global((uintptr_t)pointer, 4))
                        : "cudaFree of host memory");
        return cudaErrorInvalidValue;
    }
    forget(pointer);
    return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    RETURN_IF(sim_capture_of(stream), sim_graph_free(stream, pointer));
    return sim_return(sim_enqueue(stream, cudaGraphNodeTypeMemFree, release,
                                  &pointer, sizeof pointer));
}

cudaError_t cudaFree(void *pointer)
{
    sim_memory_open();
    sim_queue_wait();
    sim_host_waits_for_all();
    return sim_return(release(&pointer));
}

/* ---- pools --------------------------------------------------------------- */

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    *pool = &default_pool;
    return sim_return(device ? cudaErrorInvalidDevice : cudaSuccess);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    *pool = current;
    return sim_return(device ? cudaErrorInvalidDevice : cudaSuccess);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    RETURN_IF(device, cudaErrorInvalidDevice);
    RETURN_IF(!pool, cudaErrorInvalidValue);
    current = pool;
    return sim_return(cudaSuccess);
}

/** Of the device, and not to be given to other processes. */
static cudaError_t check_properties(const struct cudaMemPoolProps *p)
{
    if (p->allocType != cudaMemAllocationTypePinned ||
        p->location.type != cudaMemLocationTypeDevice)
        return cudaErrorInvalidValue;
    if (p->location.id)
        return cudaErrorInvalidDevice;
    return p->handleTypes ? cudaErrorNotSupported : cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool,
                              const struct cudaMemPoolProps *properties)
{
    RETURN_IF(!pool || !properties, cudaErrorInvalidValue);
    cudaError_t error = check_properties(properties);
    RETURN_IF(error, error);
    *pool = sim_new(sizeof **pool);
    **pool = (struct CUmemPoolHandle_st){.reuse = {1, 1, 1},
                                         .limit = properties->maxSize};
    return sim_return(cudaSuccess);
}

/** Its buffers live on; they are entered with the default pool. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    RETURN_IF(!pool || pool == &default_pool, cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    for (struct member *m = members; m; m = m->next)
        if (m->pool == pool) {
            m->pool = &default_pool;
            default_pool.used += m->bytes;
        }
    if (current == pool)
        current = &default_pool;
    pthread_mutex_unlock(&lock);
    free(pool);
    return sim_return(cudaSuccess);
}

/** Where a pool keeps a fact, and in how many bytes; NULL: nowhere. */
static void *fact_of(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                     size_t *bytes)
{
    *bytes = sizeof(uint64_t);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        *bytes = sizeof(int);
        return &pool->reuse[attribute - 1];
    case cudaMemPoolAttrReleaseThreshold:
        return &pool->threshold;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
        return &pool->used;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        return &pool->most;
    }
    return NULL;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool,
                                    enum cudaMemPoolAttr attribute, void *value)
{
    size_t bytes;
    void *fact = pool && value ? fact_of(pool, attribute, &bytes) : NULL;
    RETURN_IF(!fact || fact == &pool->used, cudaErrorInvalidValue);
    if (fact != &pool->most) {
        memcpy(fact, value, bytes);
        return sim_return(cudaSuccess);
    }
    pool->most = pool->used; /* may be set back to what is used */
    return sim_return(*(uint64_t *)value ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool,
                                    enum cudaMemPoolAttr attribute, void *value)
{
    size_t bytes;
    void *fact = pool && value ? fact_of(pool, attribute, &bytes) : NULL;
    RETURN_IF(!fact, cudaErrorInvalidValue);
    memcpy(value, fact, bytes);
    return sim_return(cudaSuccess);
}
