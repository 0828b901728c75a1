/** @file timer.c @see internal.h */
#include "internal.h"

#include <stdlib.h>
#include <time.h>

#define LONG_MS 1.0f     /**< runs from here on are timed one by one */
#define BATCH_MS 2.0f    /**< length of a batch of shorter ones */
#define ESTIMATES 3      /**< launches before the batch is chosen */
#define SLOW_MS 2e3f     /**< length of all samples of a slow run */
#define FEWEST 5         /**< samples of the slowest */
#define FLUSHES 4        /**< of the L2 before a sample, about 0.1 ms */
#define REST_NS 25000000 /**< of the GPU before a sample, if it rests */

/** One contender while it is timed. */
typedef struct {
    const timed_run *run;
    cudaGraphExec_t graph; /**< of a batch; NULL: single runs */
    int batch;             /**< runs of one sample */
    int samples;           /**< how many of them */
    int last;              /**< context of the last of them */
    bool cold;             /**< each finds its data outside the L2 */
    float *ms;             /**< samples */
} contender;

/** What all contenders share. */
typedef struct {
    cudaEvent_t start;
    cudaEvent_t stop;
    void *flush;        /**< device memory that fills the L2 */
    size_t flush_bytes; /**< twice the L2 */
    bool cold;
} stopwatch;

/* ---- statistics ---------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a;
    float y = *(const float *)b;
    return (x > y) - (x < y);
}

timing timing_from_samples(const float *ms, int count)
{
    float *sorted = host_alloc((size_t)count * sizeof(float));
    for (int i = 0; i < count; i++)
        sorted[i] = ms[i];
    qsort(sorted, (size_t)count, sizeof(float), ascending);
    timing t = {
        .min_ms = sorted[0],
        .median_ms = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0f,
        .max_ms = sorted[count - 1],
        .repeats = count,
        .batch = 1,
    };
    free(sorted);
    return t;
}

/* ---- one sample ---------------------------------------------------------- */

/** The launches of one sample, without the events around them. */
static void launch_all(const contender *c)
{
    if (c->graph)
        CUDA_CHECK(cudaGraphLaunch(c->graph, cudaStreamPerThread));
    else
        c->run->enqueue(c->run->contexts[0]);
}

/**
 * Time between the events (ms).
 *
 * Writing twice the size of the L2 leaves nothing of the operation's data in
 * it. What a launch then finds is cold but dirty: writing it back costs it
 * the time of at most one L2 of DRAM traffic, 13 us on an H200. Several
 * flushes last as long as the host needs to enqueue a graph.
 */
static float sample(const stopwatch *w, const contender *c, bool last)
{
    const timed_run *run = c->run;
    if (run->rests)
        nanosleep(&(struct timespec){.tv_nsec = REST_NS}, NULL);
    if (!w->cold) {
        if (run->prepare)
            run->prepare(run->contexts[0]);
        launch_all(c);
    }
    if (run->prepare)
        run->prepare(run->contexts[0]);
    for (int i = 0; last && run->spoil && i < run->context_count; i++)
        run->spoil(run->contexts[i]);
    for (int i = 0; w->cold && i < FLUSHES; i++)
        CUDA_CHECK(
            cudaMemsetAsync(w->flush, 0, w->flush_bytes, cudaStreamPerThread));

    // [sample]
    CUDA_CHECK(cudaEventRecord(w->start, cudaStreamPerThread));
    launch_all(c);
    CUDA_CHECK(cudaEventRecord(w->stop, cudaStreamPerThread));
    CUDA_CHECK(cudaEventSynchronize(w->stop));
    float ms;
    CUDA_CHECK(cudaEventElapsedTime(&ms, w->start, w->stop));
    return ms / (float)c->batch;
    // [sample]
}

/* ---- batches ------------------------------------------------------------- */

/** About how long a launch takes (ms): a machine may stumble, so the least. */
static float estimate(const stopwatch *w, const contender *c)
{
    float least = sample(w, c, false);
    for (int i = 1; i < ESTIMATES && least < 10 * LONG_MS; i++) {
        float ms = sample(w, c, false);
        least = ms < least ? ms : least;
    }
    return least;
}

/** Launches per sample for runs of about @p ms. */
static int batch_size(float ms)
{
    if (ms >= LONG_MS)
        return 1;
    float launches = BATCH_MS / ms; // infinite if ms is 0
    return launches < MAX_BATCH ? (int)launches : MAX_BATCH;
}

/** Samples of runs of about @p ms: @p most, or fewer of slow ones. */
static int sample_count(float ms, int most)
{
    if (ms * (float)most <= SLOW_MS)
        return most;
    int count = (int)(SLOW_MS / ms);
    count = count > FEWEST ? count : FEWEST;
    return count < most ? count : most;
}

/** Record the launches of a batch without running them. */
static cudaGraphExec_t capture(const timed_run *run, int batch, int contexts)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA_CHECK(cudaStreamBeginCapture(cudaStreamPerThread,
                                      cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < batch; i++)
        run->enqueue(run->contexts[i % contexts]);
    CUDA_CHECK(cudaStreamEndCapture(cudaStreamPerThread, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    return exec;
}

/**
 * Warm up, then choose the batch and the number of samples.
 *
 * The warm-up goes through all contexts that a batch will use: their pages,
 * and the kernel's code, are then where they belong.
 */
static void begin(contender *c, const stopwatch *w, const run_options *options)
{
    const timed_run *run = c->run;
    for (int i = 0; i < options->warmup || i == 0; i++) {
        if (run->prepare)
            run->prepare(run->contexts[0]);
        run->enqueue(run->contexts[0]);
    }
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));

    c->graph = NULL;
    c->batch = 1;
    c->samples = options->repeats;
    int contexts = w->cold ? run->context_count : 1;
    int batch = 1;
    if (!run->prepare) {
        float ms = estimate(w, c);
        batch = batch_size(ms);
        c->samples = sample_count(ms, options->repeats);
    }
    if (batch > 1) {
        c->graph = capture(run, batch, contexts);
        c->batch = batch;
        launch_all(c);
        CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    }
    bool spread =
        batch <= contexts ||
        (double)contexts * (double)run->context_bytes >= (double)w->flush_bytes;
    c->cold = w->cold && spread;
    c->last = (batch - 1) % contexts;
}

/* ---- all together -------------------------------------------------------- */

static stopwatch stopwatch_open(bool cold)
{
    stopwatch w = {.cold = cold};
    int ordinal, l2_bytes;
    CUDA_CHECK(cudaGetDevice(&ordinal));
    CUDA_CHECK(
        cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, ordinal));
    w.flush_bytes = 2 * (size_t)l2_bytes;
    w.flush = cold ? device_alloc(w.flush_bytes) : NULL;
    CUDA_CHECK(cudaEventCreate(&w.start));
    CUDA_CHECK(cudaEventCreate(&w.stop));
    return w;
}

static void stopwatch_close(stopwatch *w)
{
    CUDA_CHECK(cudaEventDestroy(w->start));
    CUDA_CHECK(cudaEventDestroy(w->stop));
    device_free(w->flush);
}

/** Take sample @p s, if the contender has so many. */
static void take_sample(const stopwatch *w, const contender *c, int s)
{
    if (s >= c->samples)
        return;
    bool last = s == c->samples - 1;
    c->ms[s] = sample(w, c, last);
    if (last && c->run->finish)
        c->run->finish(c->run->contexts[c->last]);
}

/** The statistics; releases what begin() took. */
static timing end(contender *c)
{
    timing t = timing_from_samples(c->ms, c->samples);
    t.batch = c->batch;
    t.cold = c->cold;
    if (c->graph)
        CUDA_CHECK(cudaGraphExecDestroy(c->graph));
    free(c->ms);
    return t;
}

void time_interleaved(const timed_run *runs, int count,
                      const run_options *options, timing *result)
{
    stopwatch w = stopwatch_open(options->cold);
    contender *contenders = host_alloc((size_t)count * sizeof(contender));
    for (int i = 0; i < count; i++) {
        contenders[i].run = &runs[i];
        contenders[i].ms = host_alloc((size_t)options->repeats * sizeof(float));
        begin(&contenders[i], &w, options);
    }
    for (int s = 0; s < options->repeats; s++) {
        progress("timing: sample %d of %d", s + 1, options->repeats);
        for (int i = 0; i < count; i++)
            take_sample(&w, &contenders[i], s);
    }
    progress_clear();
    for (int i = 0; i < count; i++)
        result[i] = end(&contenders[i]);
    free(contenders);
    stopwatch_close(&w);
}
