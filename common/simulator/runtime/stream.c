/**
 * @file stream.c
 * @brief Streams, events and graphs.
 *
 * Work is done when it is enqueued, so a stream holds nothing and an event is
 * a point in time. Only while a stream captures is the work kept: a graph is
 * the list of it, in order, which is one of the orders that a GPU may choose.
 */
#include "stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "errors.h"

#define GREATEST_PRIORITY (-5) /**< of cudaStreamCreateWithPriority() */

/** One piece of recorded work. */
struct CUgraphNode_st {
    sim_work_fn work;                  /**< does it */
    size_t bytes;                      /**< of data */
    struct CUgraphNode_st *next;       /**< later work */
    _Alignas(16) unsigned char data[]; /**< for work */
};

/** A list of work; a stream may still be adding to it. */
struct CUgraph_st {
    cudaGraphNode_t first; /**< NULL: empty */
    cudaGraphNode_t last;  /**< NULL: empty */
    size_t count;          /**< nodes */
};

/** A copy of a graph that can be launched. */
struct CUgraphExec_st {
    struct CUgraph_st graph; /**< the copy */
};

/** A stream: an identity that can capture. */
struct CUstream_st {
    unsigned int flags;                   /**< as given */
    int priority;                         /**< as given */
    unsigned long long id;                /**< number, from 1 */
    struct cudaAccessPolicyWindow window; /**< kept, without effect */
    cudaGraph_t capture; /**< records here; NULL: work is done at once */
    bool origin;         /**< the capture began in this stream */
    bool invalid;        /**< something forbidden happened meanwhile */
    cudaStream_t next;   /**< list of all streams */
};

/** A point in time. */
struct CUevent_st {
    struct timespec time; /**< of the record */
    bool recorded;        /**< it has happened */
    bool timing;          /**< elapsed time may be asked for */
    cudaGraph_t capture;  /**< recorded while a stream captured */
};

static struct CUstream_st default_stream = {.id = 1};
static cudaStream_t streams = &default_stream;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/** The stream behind a handle. The three default ones are the same here. */
static cudaStream_t resolve(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy ||
                   stream == cudaStreamPerThread
               ? &default_stream
               : stream;
}

/* ---- graphs -------------------------------------------------------------- */

/** Add work to a graph. */
static cudaError_t append(cudaGraph_t graph, sim_work_fn work, const void *data,
                          size_t bytes)
{
    cudaGraphNode_t node = malloc(sizeof *node + bytes);
    if (!node)
        return cudaErrorMemoryAllocation;
    node->work = work;
    node->bytes = bytes;
    node->next = NULL;
    memcpy(node->data, data, bytes);
    if (graph->last)
        graph->last->next = node;
    else
        graph->first = node;
    graph->last = node;
    graph->count++;
    return cudaSuccess;
}

static void free_nodes(cudaGraph_t graph)
{
    for (cudaGraphNode_t node = graph->first, next; node; node = next) {
        next = node->next;
        free(node);
    }
}

cudaError_t sim_enqueue(cudaStream_t stream, sim_work_fn work, void *data,
                        size_t bytes)
{
    stream = resolve(stream);
    if (sim_sticky())
        return sim_sticky();
    if (!stream->capture)
        return work(data);
    pthread_mutex_lock(&lock);
    cudaError_t error = append(stream->capture, work, data, bytes);
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t sim_may_wait(cudaStream_t stream, bool any)
{
    stream = resolve(stream);
    for (cudaStream_t s = streams; s; s = s->next)
        if (s->capture && (any || s == stream)) {
            s->invalid = true;
            return cudaErrorStreamCaptureUnsupported;
        }
    return sim_sticky();
}

void sim_streams_reset(void)
{
    for (cudaStream_t s = streams; s; s = s->next) {
        s->capture = NULL;
        s->origin = s->invalid = false;
    }
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   enum cudaStreamCaptureMode mode)
{
    (void)mode;
    /* The legacy stream cannot be captured on a GPU either. */
    if (stream == cudaStreamLegacy)
        return sim_return(cudaErrorStreamCaptureUnsupported);
    stream = resolve(stream);
    if (stream->capture)
        return sim_return(cudaErrorIllegalState);
    stream->capture = calloc(1, sizeof *stream->capture);
    if (!stream->capture)
        return sim_return(cudaErrorMemoryAllocation);
    stream->origin = true;
    stream->invalid = false;
    return sim_return(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    stream = resolve(stream);
    *graph = NULL;
    if (!stream->capture)
        return sim_return(cudaErrorIllegalState);
    if (!stream->origin)
        return sim_return(cudaErrorStreamCaptureUnmatched);
    cudaGraph_t recorded = stream->capture;
    bool invalid = false;
    for (cudaStream_t s = streams; s; s = s->next)
        if (s->capture == recorded) {
            invalid |= s->invalid;
            s->capture = NULL;
            s->origin = s->invalid = false;
        }
    if (invalid) {
        cudaGraphDestroy(recorded);
        return sim_return(cudaErrorStreamCaptureInvalidated);
    }
    *graph = recorded;
    return sim_return(cudaSuccess);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *status)
{
    stream = resolve(stream);
    *status = !stream->capture  ? cudaStreamCaptureStatusNone
              : stream->invalid ? cudaStreamCaptureStatusInvalidated
                                : cudaStreamCaptureStatusActive;
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags)
{
    (void)flags;
    if (!exec || !graph)
        return sim_return(cudaErrorInvalidValue);
    *exec = calloc(1, sizeof **exec);
    if (!*exec)
        return sim_return(cudaErrorMemoryAllocation);
    for (cudaGraphNode_t n = graph->first; n; n = n->next)
        if (append(&(*exec)->graph, n->work, n->data, n->bytes)) {
            cudaGraphExecDestroy(*exec);
            return sim_return(cudaErrorMemoryAllocation);
        }
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec,
                                          cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    (void)stream;
    return sim_return(exec ? cudaSuccess : cudaErrorInvalidValue);
}

/** Do everything in a graph; recorded if the stream captures. */
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    if (!exec)
        return sim_return(cudaErrorInvalidValue);
    for (cudaGraphNode_t n = exec->graph.first; n; n = n->next) {
        cudaError_t error = sim_enqueue(stream, n->work, n->data, n->bytes);
        if (error)
            return sim_return(error);
    }
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *count)
{
    if (!graph || !count)
        return sim_return(cudaErrorInvalidValue);
    if (!nodes) {
        *count = graph->count;
        return sim_return(cudaSuccess);
    }
    size_t room = *count, given = 0;
    for (cudaGraphNode_t n = graph->first; n && given < room; n = n->next)
        nodes[given++] = n;
    *count = given;
    while (given < room)
        nodes[given++] = NULL;
    return sim_return(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    if (exec)
        free_nodes(&exec->graph);
    free(exec);
    return sim_return(exec ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    if (graph)
        free_nodes(graph);
    free(graph);
    return sim_return(graph ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- streams ------------------------------------------------------------- */

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream,
                                         unsigned int flags, int priority)
{
    static unsigned long long ids = 1; /* the default stream's */
    if (!stream || flags > cudaStreamNonBlocking)
        return sim_return(cudaErrorInvalidValue);
    cudaStream_t s = calloc(1, sizeof *s);
    if (!s)
        return sim_return(cudaErrorMemoryAllocation);
    s->flags = flags;
    s->priority = priority > 0                   ? 0
                  : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                                                 : priority;
    pthread_mutex_lock(&lock);
    s->id = ++ids;
    s->next = streams;
    streams = s;
    pthread_mutex_unlock(&lock);
    *stream = s;
    return sim_return(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    cudaStream_t *link = &streams;
    while (*link && *link != stream)
        link = &(*link)->next;
    bool found = *link && stream != &default_stream;
    if (found)
        *link = stream->next;
    pthread_mutex_unlock(&lock);
    if (!found)
        return sim_return(cudaErrorInvalidResourceHandle);
    free(stream);
    return sim_return(cudaSuccess);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    *flags = resolve(stream)->flags;
    return sim_return(cudaSuccess);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    *priority = resolve(stream)->priority;
    return sim_return(cudaSuccess);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    *id = resolve(stream)->id;
    return sim_return(cudaSuccess);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    (void)stream;
    return cudaGetDevice(device);
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream,
                                   cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue *value)
{
    if (!value)
        return sim_return(cudaErrorInvalidValue);
    stream = resolve(stream);
    if (attribute == cudaLaunchAttributeAccessPolicyWindow)
        stream->window = value->accessPolicyWindow;
    else if (attribute == cudaLaunchAttributePriority)
        stream->priority = value->priority;
    else if (attribute != cudaLaunchAttributeSynchronizationPolicy)
        return sim_return(cudaErrorInvalidValue);
    return sim_return(cudaSuccess);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream,
                                   cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue *value)
{
    if (!value)
        return sim_return(cudaErrorInvalidValue);
    stream = resolve(stream);
    memset(value, 0, sizeof *value);
    if (attribute == cudaLaunchAttributeAccessPolicyWindow)
        value->accessPolicyWindow = stream->window;
    else if (attribute == cudaLaunchAttributePriority)
        value->priority = stream->priority;
    else if (attribute == cudaLaunchAttributeSynchronizationPolicy)
        value->syncPolicy = cudaSyncPolicyAuto;
    else
        return sim_return(cudaErrorInvalidValue);
    return sim_return(cudaSuccess);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    resolve(to)->window = resolve(from)->window;
    resolve(to)->priority = resolve(from)->priority;
    return sim_return(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return sim_return(sim_may_wait(stream, false));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return sim_return(sim_may_wait(stream, false));
}

cudaError_t cudaDeviceSynchronize(void)
{
    return sim_return(sim_may_wait(NULL, true));
}

/** A function of the host in a stream. */
struct host_call {
    cudaHostFn_t function;
    void *data;
};

static cudaError_t call_host(void *data)
{
    struct host_call *call = data;
    call->function(call->data);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void *data)
{
    struct host_call call = {function, data};
    return sim_return(sim_enqueue(stream, call_host, &call, sizeof call));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback, void *data,
                                  unsigned int flags)
{
    (void)flags;
    cudaError_t error = sim_may_wait(stream, false);
    if (error != cudaErrorStreamCaptureUnsupported)
        callback(stream, error, data);
    return sim_return(error);
}

/* ---- events -------------------------------------------------------------- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    *event = calloc(1, sizeof **event);
    if (!*event)
        return sim_return(cudaErrorMemoryAllocation);
    (*event)->timing = !(flags & cudaEventDisableTiming);
    return sim_return(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return sim_return(event ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (!event)
        return sim_return(cudaErrorInvalidResourceHandle);
    event->capture = resolve(stream)->capture;
    event->recorded = !event->capture;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    return sim_return(cudaSuccess);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned int flags)
{
    (void)flags;
    return cudaEventRecord(event, stream);
}

/** A stream that waits for a captured event joins the capture. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags)
{
    (void)flags;
    if (!event)
        return sim_return(cudaErrorInvalidResourceHandle);
    stream = resolve(stream);
    if (event->capture && stream->capture && stream->capture != event->capture)
        return sim_return(cudaErrorStreamCaptureMerge);
    if (event->capture)
        stream->capture = event->capture;
    return sim_return(cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (!event)
        return sim_return(cudaErrorInvalidResourceHandle);
    return sim_return(event->capture ? cudaErrorCapturedEvent : cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start,
                                 cudaEvent_t end)
{
    if (!milliseconds || !start || !end || !start->timing || !end->timing ||
        !start->recorded || !end->recorded)
        return sim_return(cudaErrorInvalidResourceHandle);
    *milliseconds =
        (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
                (double)(end->time.tv_nsec - start->time.tv_nsec) * 1e-6);
    return sim_return(cudaSuccess);
}
