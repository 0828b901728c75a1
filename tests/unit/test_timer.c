/**
 * @file test_timer.c
 * @brief The statistics, and what is launched when; times are for tests/gpu.
 */
#include "unit.h"

#include <time.h>

TEST(median)
{
    const float odd[] = {3, 1, 2};
    timing t = timing_from_samples(odd, 3);
    assert_true(t.min_ms == 1 && t.median_ms == 2 && t.max_ms == 3);
    assert_true(t.repeats == 3 && t.batch == 1);
    const float even[] = {4, 1, 3, 2};
    t = timing_from_samples(even, 4);
    assert_true(t.min_ms == 1 && t.median_ms == 2.5f && t.max_ms == 4);
    assert_true(even[0] == 4); // the samples keep their order
    const float one[] = {7};
    t = timing_from_samples(one, 1);
    assert_true(t.min_ms == 7 && t.median_ms == 7 && t.max_ms == 7);
}

/* ---- what is launched ---------------------------------------------------- */

enum { CONTEXTS = 3, BYTES = 1 << 16 };

/** One word of device memory, which a run adds to by copying. */
typedef struct {
    int *d_from;
    int *d_to;
    int enqueued; /**< calls, also those that a graph records */
    int spoiled;
    int prepared;
} probe;

static probe probes[CONTEXTS];
static char order[4096]; /**< p prepare, s spoil, r run, f finish */

static void note(char what)
{
    size_t length = strlen(order);
    if (length < sizeof(order) - 1)
        order[length] = what;
}

static void run(const void *context)
{
    probe *p = (probe *)context;
    p->enqueued++;
    note('r');
    CUDA_CHECK(cudaMemcpyAsync(p->d_to, p->d_from, BYTES,
                               cudaMemcpyDeviceToDevice, cudaStreamPerThread));
}

static void spoil(const void *context)
{
    probe *p = (probe *)context;
    p->spoiled++;
    note('s');
    CUDA_CHECK(cudaMemsetAsync(p->d_to, 0xff, BYTES, cudaStreamPerThread));
}

static void prepare(const void *context)
{
    ((probe *)context)->prepared++;
    note('p');
}

static const void *finished; /**< context of the last run of all */

static void finish(const void *context)
{
    finished = context;
    note('f');
}

static const void *contexts[CONTEXTS];

/** A run that can use all probes, whose memory is new. */
static timed_run make_run(void)
{
    memset(order, 0, sizeof(order));
    for (int i = 0; i < CONTEXTS; i++) {
        CUDA_CHECK(cudaFree(probes[i].d_from));
        CUDA_CHECK(cudaFree(probes[i].d_to));
        probes[i] = (probe){0};
        CUDA_CHECK(cudaMalloc((void **)&probes[i].d_from, BYTES));
        CUDA_CHECK(cudaMalloc((void **)&probes[i].d_to, BYTES));
        CUDA_CHECK(cudaMemset(probes[i].d_from, i + 1, BYTES));
        contexts[i] = &probes[i];
    }
    return (timed_run){.enqueue = run,
                       .contexts = contexts,
                       .context_count = CONTEXTS,
                       .context_bytes = 2 * BYTES};
}

/** Time one run alone, or two; @return of the first. */
static timing measure(const timed_run *runs, int count, int warmup, int repeats,
                      bool cold)
{
    run_options options = {.warmup = warmup, .repeats = repeats, .cold = cold};
    timing t[2];
    time_interleaved(runs, count, &options, t);
    return t[0];
}

/** A prepare step before each single launch, warm-ups included. */
TEST(prepared_runs)
{
    timed_run r = make_run();
    r.prepare = prepare;
    timing t = measure(&r, 1, 2, 3, true);
    assert_string_equal(order, "prprprprpr");
    assert_true(t.repeats == 3 && t.batch == 1 && t.cold);
    assert_int_equal(probes[1].enqueued, 0);
}

/** A rest before each sample. */
TEST(rested_runs)
{
    timed_run r = make_run();
    r.prepare = prepare; // so that nothing is estimated
    r.rests = true;
    struct timespec begin, end;
    timespec_get(&begin, TIME_UTC);
    measure(&r, 1, 0, 4, true);
    timespec_get(&end, TIME_UTC);
    double s = difftime(end.tv_sec, begin.tv_sec) +
               (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    assert_true(s >= 4 * 0.025);
}

/** The last sample finds its output destroyed, and makes it anew. */
TEST(spoiled_runs)
{
    timed_run r = make_run();
    r.prepare = prepare; // so that nothing is batched
    r.spoil = spoil;
    timing t = measure(&r, 1, 0, 2, true);
    assert_string_equal(order, "prprpsssr");
    int got[2];
    CUDA_CHECK(cudaMemcpy(&got[0], probes[0].d_to, 4, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&got[1], probes[1].d_to, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(got[0], 0x01010101);
    assert_int_equal(got[1], -1);
}

/** Short runs become a graph over all contexts; each has a result then. */
TEST(batched_runs)
{
    timed_run r = make_run();
    r.spoil = spoil;
    r.finish = finish;
    sample_ms = 0.1f;
    timing t = measure(&r, 1, 1, 3, true);
    assert_int_equal(t.batch, 20); // 2 ms of 0.1 ms each
    assert_ptr_equal(finished, &probes[(t.batch - 1) % CONTEXTS]);
    assert_true(t.min_ms <= t.median_ms && t.median_ms <= t.max_ms);
    // A graph of few contexts that fit into the L2 does not find it cold.
    assert_false(t.cold);
    int enqueued = 0;
    for (int i = 0; i < CONTEXTS; i++) {
        int got;
        CUDA_CHECK(cudaMemcpy(&got, probes[i].d_to, 4, cudaMemcpyDeviceToHost));
        if (i < t.batch)
            assert_int_equal(got, 0x01010101 * (i + 1));
        assert_int_equal(probes[i].spoiled, 1);
        enqueued += probes[i].enqueued;
    }
    // Warm-up, three estimates, and the recording; replays call nobody.
    assert_int_equal(enqueued, 1 + 3 + t.batch);
}

/** From 1 ms on each sample is one run. */
TEST(single_runs)
{
    timed_run r = make_run();
    sample_ms = 1.5f;
    timing t = measure(&r, 1, 1, 2, true);
    assert_true(t.batch == 1 && t.cold && t.median_ms == 1.5f);
    assert_string_equal(order, "rrrrrr"); // warm-up, three estimates, samples
}

/** All samples of a slow run take 2 s, or are five. */
TEST(slow_runs)
{
    const struct {
        float ms;
        int asked, taken;
    } cases[] = {{100, 20, 20}, {250, 20, 8}, {900, 20, 5}, {900, 3, 3}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        timed_run r = make_run();
        r.finish = finish;
        sample_ms = cases[i].ms;
        timing t = measure(&r, 1, 1, cases[i].asked, true);
        assert_int_equal(t.repeats, cases[i].taken);
        // Warm-up, one estimate, samples; the last one's result is looked at.
        assert_int_equal(strlen(order), 2 + cases[i].taken + 1);
        assert_true(order[strlen(order) - 1] == 'f');
    }
}

/** Contenders take turns, sample by sample. */
TEST(interleaved_runs)
{
    timed_run r[2];
    r[0] = make_run();
    r[0].prepare = prepare;
    r[0].context_count = 1;
    r[1] = r[0];
    r[1].contexts = contexts + 1;
    r[1].spoil = spoil;
    r[0].finish = r[1].finish = finish;
    measure(r, 2, 1, 2, true);
    // The warm-up of each, then sample 1 of each, then sample 2, whose output
    // can be looked at before the other one runs.
    assert_string_equal(order, "prpr"
                               "prpr"
                               "prf"
                               "psrf");
    assert_ptr_equal(finished, &probes[1]);
}

/** A warm L2: an untimed launch first, always the same data. */
TEST(warm_runs)
{
    timed_run r = make_run();
    r.prepare = prepare;
    timing t = measure(&r, 1, 1, 1, false);
    assert_string_equal(order, "prprpr");
    assert_false(t.cold);
    r.prepare = NULL;
    r.finish = finish;
    assert_false(measure(&r, 1, 1, 1, false).cold);
    assert_ptr_equal(finished, &probes[0]);
    assert_int_equal(probes[1].enqueued, 0);
}
