/**
 * @file stream.c
 * @brief Streams and events.
 *
 * Work is done when it is enqueued, so a stream holds nothing and an event is
 * a point in time. There are two exceptions: while a stream captures, the work
 * is kept as the nodes of a graph (graph.c), and while a kernel waits for the
 * host, it is kept until that kernel has ended (queue.c).
 */
#define _GNU_SOURCE
#include <time.h>

#include "api.h"

#define GREATEST_PRIORITY (-5) /**< of cudaStreamCreateWithPriority() */

/** A stream: an identity that can capture. */
struct CUstream_st {
    unsigned int flags;                   /**< as given */
    int priority;                         /**< as given */
    struct cudaAccessPolicyWindow window; /**< kept, without effect */
    cudaGraph_t capture; /**< records here; NULL: work is done at once */
    sim_node_set last;   /**< what the next piece of work comes after */
    bool origin;         /**< the capture began in this stream */
    bool invalid;        /**< something forbidden happened meanwhile */
    uint64_t latest;     /**< number of its latest work in the queue */
    unsigned index;      /**< in a sim_past */
    sim_past past;       /**< what its next work comes behind */
    cudaStream_t next;   /**< list of all streams */
};

/** A point in time. */
struct CUevent_st {
    struct timespec time; /**< of the record, if nothing was before it */
    uint64_t behind;      /**< number of the work before it in the queue */
    sim_past past;        /**< what it comes behind */
    bool recorded;        /**< it has happened, or will */
    bool timing;          /**< elapsed time may be asked for */
    cudaGraph_t capture;  /**< recorded while a stream captured */
    sim_node_set last;    /**< and what it comes after */
};

static struct CUstream_st default_stream; /* the legacy one */
static cudaStream_t streams = &default_stream;
static unsigned created;                      /* streams besides it */
static _Thread_local cudaStream_t own_stream; /* cudaStreamPerThread */
static sim_past host; /* what the program has waited for */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

_Thread_local unsigned sim_default_is_own;

/** A new stream in the list of all. */
static cudaStream_t add_stream(unsigned int flags, int priority)
{
    cudaStream_t s = sim_new(sizeof *s);
    s->flags = flags;
    s->priority = priority;
    pthread_mutex_lock(&lock);
    s->index = ++created < MOST_STREAMS ? created : 0;
    s->next = streams;
    streams = s;
    pthread_mutex_unlock(&lock);
    return s;
}

/** The stream behind a handle. Each thread of the host has one of its own, made
 *  when it is first used; alone beside the legacy stream it is in order with
 *  all there is. */
static cudaStream_t resolve(cudaStream_t stream)
{
    if (!stream)
        stream = sim_default_is_own ? cudaStreamPerThread : cudaStreamLegacy;
    if (stream == cudaStreamLegacy)
        return &default_stream;
    if (stream != cudaStreamPerThread)
        return stream;
    if (!own_stream) {
        own_stream = add_stream(cudaStreamDefault, 0);
        if (created > 1)
            sim_streams = true;
    }
    return own_stream;
}

/** Is this a handle of a default stream? */
static bool is_default(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy ||
           stream == cudaStreamPerThread;
}

/* ---- order --------------------------------------------------------------- */

/** Do two streams wait for each other? The legacy stream and another one do,
 *  unless that is told not to. */
static bool in_step(cudaStream_t a, cudaStream_t b)
{
    return (a == &default_stream) != (b == &default_stream) &&
           !((a->flags | b->flags) & cudaStreamNonBlocking);
}

static void join_default(cudaStream_t stream)
{
    sim_past_join(&stream->past, &host);
    for (cudaStream_t s = streams; s; s = s->next)
        if (in_step(s, stream))
            sim_past_join(&stream->past, &s->past);
}

/** A stream gets more work. */
static void take_turn(cudaStream_t stream)
{
    join_default(stream);
    uint32_t number = stream->past.work[stream->index] + 1;
    sim_turn_take(stream->index, number, &stream->past);
    stream->past.work[stream->index] = number;
}

/** The program has waited for all of this. */
static void host_knows(const sim_past *past)
{
    sim_past_join(&host, past);
    sim_pinned_check(&host);
}

/** The program waits for what a stream has been given. */
static void host_waits(cudaStream_t stream)
{
    join_default(stream);
    host_knows(&stream->past);
}

uint32_t sim_stream_work(cudaStream_t stream, unsigned *index)
{
    stream = resolve(stream);
    *index = stream->index;
    return stream->past.work[stream->index];
}

void sim_host_waits_for(cudaStream_t stream)
{
    host_waits(resolve(stream));
}

void sim_host_waits_for_all(void)
{
    sim_print_now();
    for (cudaStream_t s = streams; s; s = s->next)
        sim_past_join(&host, &s->past);
    sim_pinned_check(&host);
}

/* ---- capturing ----------------------------------------------------------- */

cudaGraph_t sim_capture_of(cudaStream_t stream)
{
    return resolve(stream)->capture;
}

cudaError_t sim_capture(cudaStream_t stream, enum cudaGraphNodeType type,
                        sim_work_fn work, const void *data, size_t bytes)
{
    stream = resolve(stream);
    pthread_mutex_lock(&lock);
    cudaGraphNode_t node =
        sim_graph_add(stream->capture, type, work, data, bytes, &stream->last);
    sim_node_set_one(&stream->last, node);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

/** Work for the legacy stream would be in step with a stream that captures:
 *  that ends the capture. */
static cudaError_t refuse_legacy(cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (cudaStream_t s = streams; stream == &default_stream && s; s = s->next)
        if (s->capture && in_step(s, stream)) {
            s->invalid = true;
            error = cudaErrorStreamCaptureImplicit;
        }
    return error;
}

cudaError_t sim_enqueue(cudaStream_t stream, enum cudaGraphNodeType type,
                        sim_work_fn work, void *data, size_t bytes)
{
    if (sim_sticky())
        return sim_sticky();
    if (sim_capture_of(stream))
        return sim_capture(stream, type, work, data, bytes);
    /* One piece of work at a time, whichever thread of the host it is from. */
    static pthread_mutex_t working = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    stream = resolve(stream);
    cudaError_t error = refuse_legacy(stream);
    if (error)
        return error;
    pthread_mutex_lock(&working);
    if (!sim_queue_is_empty()) {
        stream->latest = sim_queue_add(work, data, bytes);
    } else {
        take_turn(stream);
        error = work(data);
        if (sim_launch_goes_on())
            stream->latest = sim_queue_note_launch();
        else if (!error && type == cudaGraphNodeTypeKernel)
            sim_pinned_launch(data, stream->index,
                              stream->past.work[stream->index]);
    }
    pthread_mutex_unlock(&working);
    return error;
}

/** Wait until all work is done; managed memory belongs to the host then. */
static void wait_for_device(void)
{
    sim_queue_wait();
    sim_memory_settle();
}

/** A stream that captures cannot be waited for. */
static cudaError_t refuse_captures(cudaStream_t stream, bool any)
{
    stream = resolve(stream);
    for (cudaStream_t s = streams; s; s = s->next)
        if (s->capture && (any || s == stream)) {
            s->invalid = true;
            return cudaErrorStreamCaptureUnsupported;
        }
    return refuse_legacy(stream);
}

cudaError_t sim_may_wait(cudaStream_t stream, bool any)
{
    cudaError_t error = refuse_captures(stream, any);
    if (error)
        return error;
    wait_for_device();
    if (any)
        sim_host_waits_for_all();
    else
        host_waits(resolve(stream));
    return sim_sticky();
}

/** The stream does work at once again. */
static void end_capture(cudaStream_t stream)
{
    stream->capture = NULL;
    stream->origin = stream->invalid = false;
    sim_node_set_clear(&stream->last);
}

void sim_streams_reset(void)
{
    for (cudaStream_t s = streams; s; s = s->next)
        end_capture(s);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   enum cudaStreamCaptureMode mode)
{
    (void)mode;
    stream = resolve(stream);
    RETURN_IF(stream == &default_stream, cudaErrorStreamCaptureUnsupported);
    RETURN_IF(stream->capture, cudaErrorIllegalState);
    stream->capture = sim_graph_new();
    sim_node_set_clear(&stream->last);
    stream->origin = true;
    stream->invalid = false;
    return sim_return(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    stream = resolve(stream);
    *graph = NULL;
    RETURN_IF(!stream->capture, cudaErrorIllegalState);
    RETURN_IF(!stream->origin, cudaErrorStreamCaptureUnmatched);
    cudaGraph_t recorded = stream->capture;
    bool invalid = false;
    bool joined = sim_graph_ends_in(recorded, &stream->last);
    for (cudaStream_t s = streams; s; s = s->next)
        if (s->capture == recorded) {
            invalid |= s->invalid;
            end_capture(s);
        }
    if (invalid || !joined) {
        cudaGraphDestroy(recorded);
        return sim_return(invalid ? cudaErrorStreamCaptureInvalidated
                                  : cudaErrorStreamCaptureUnjoined);
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
    RETURN_IF(!stream || flags > cudaStreamNonBlocking, cudaErrorInvalidValue);
    *stream =
        add_stream(flags, priority > 0                   ? 0
                          : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                                                         : priority);
    sim_streams = true;
    return sim_return(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    RETURN_IF(is_default(stream), cudaErrorInvalidResourceHandle);
    pthread_mutex_lock(&lock);
    cudaStream_t *link = &streams;
    while (*link && *link != stream)
        link = &(*link)->next;
    bool found = *link;
    if (found)
        *link = stream->next;
    pthread_mutex_unlock(&lock);
    RETURN_IF(!found, cudaErrorInvalidResourceHandle);
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

cudaError_t cudaStreamSetAttribute(cudaStream_t stream,
                                   cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue *value)
{
    RETURN_IF(!value, cudaErrorInvalidValue);
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
    RETURN_IF(!value, cudaErrorInvalidValue);
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

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return sim_return(sim_may_wait(stream, false));
}

/** Answer whoever asks, without waiting, whether work is done. */
static cudaError_t query(uint64_t number)
{
    sim_queue_is_empty();
    RETURN_IF(!sim_queue_is_done(number), cudaErrorNotReady);
    sim_memory_settle();
    return sim_return(cudaSuccess);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t error = refuse_captures(stream, false);
    if (!error)
        error = query(resolve(stream)->latest);
    if (!error)
        host_waits(resolve(stream));
    return sim_return(error);
}

cudaError_t cudaDeviceSynchronize(void)
{
    return sim_return(sim_may_wait(NULL, true));
}

cudaError_t sim_call_host(void *params)
{
    const struct cudaHostNodeParams *p = params;
    sim_memory_settle(); /* the work before it is done */
    sim_pinned_check(NULL);
    p->fn(p->userData);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void *data)
{
    struct cudaHostNodeParams params = {function, data};
    return sim_return(sim_enqueue(stream, cudaGraphNodeTypeHost, sim_call_host,
                                  &params, sizeof params));
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
    RETURN_IF(!*event, cudaErrorMemoryAllocation);
    (*event)->timing = !(flags & cudaEventDisableTiming);
    return sim_return(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (event)
        sim_node_set_clear(&event->last);
    free(event);
    return sim_return(event ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    RETURN_IF(!event, cudaErrorInvalidResourceHandle);
    stream = resolve(stream);
    event->capture = stream->capture;
    sim_node_set_clear(&event->last);
    sim_node_set_join(&event->last, &stream->last);
    event->recorded = !event->capture;
    event->behind = stream->latest;
    join_default(stream);
    event->past = stream->past;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    return sim_return(cudaSuccess);
}

/** A stream that waits for a captured event joins the capture. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags)
{
    (void)flags;
    RETURN_IF(!event, cudaErrorInvalidResourceHandle);
    stream = resolve(stream);
    RETURN_IF(event->capture && stream->capture &&
                  stream->capture != event->capture,
              cudaErrorStreamCaptureMerge);
    if (event->capture) {
        stream->capture = event->capture;
        sim_node_set_join(&stream->last, &event->last);
    }
    if (stream->latest < event->behind)
        stream->latest = event->behind;
    sim_past_join(&stream->past, &event->past);
    return sim_return(cudaSuccess);
}

/** Work was before an event in the queue: it happens now that it is done. */
static void happen(cudaEvent_t event)
{
    if (event->behind && sim_queue_is_done(event->behind)) {
        event->behind = 0;
        clock_gettime(CLOCK_MONOTONIC, &event->time);
    }
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    RETURN_IF(!event, cudaErrorInvalidResourceHandle);
    if (sim_queue_is_done(event->behind))
        sim_memory_settle();
    else
        wait_for_device();
    host_knows(&event->past);
    happen(event);
    return sim_return(event->capture ? cudaErrorCapturedEvent : cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    RETURN_IF(!event, cudaErrorInvalidResourceHandle);
    RETURN_IF(event->capture, cudaErrorCapturedEvent);
    cudaError_t error = query(event->behind);
    if (!error)
        host_knows(&event->past);
    happen(event);
    return error;
}

/** Has the program waited for what is before an event? */
static bool is_known(const struct CUevent_st *event)
{
    bool known = true;
    for (int i = 0; i < MOST_STREAMS; i++)
        known &= event->past.work[i] <= host.work[i];
    return known;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start,
                                 cudaEvent_t end)
{
    RETURN_IF(!milliseconds || !start || !end || !start->timing ||
                  !end->timing || !start->recorded || !end->recorded,
              cudaErrorInvalidResourceHandle);
    sim_queue_is_empty();
    RETURN_IF(!sim_queue_is_done(start->behind) ||
                  !sim_queue_is_done(end->behind),
              cudaErrorNotReady);
    if (!is_known(start) || !is_known(end)) {
        host_knows(&start->past); /* who asks again gets it */
        host_knows(&end->past);
        static const char why[] = "the work before the event may not be done: "
                                  "cudaEventSynchronize comes first";
        if (!sim_is_unread())
            sim_finding("not-ready-note", sim_caller(),
                        "cudaEventElapsedTime returns cudaErrorNotReady\n%s",
                        why);
        return sim_refuse(cudaErrorNotReady, why);
    }
    static atomic_bool said;
    sim_remark_once("cudaEventElapsedTime: the simulator's time, not a GPU's",
                    &said);
    happen(start);
    happen(end);
    *milliseconds =
        (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
                (double)(end->time.tv_nsec - start->time.tv_nsec) * 1e-6);
    return sim_return(cudaSuccess);
}
