/**
 * @file timer.cu
 * @brief Are times sane? An empty kernel, a copy, a wait of known length.
 *
 * Run: make test-gpu, or build/gpu/tests/timer
 */

#include <stdio.h>
#include <string.h>

#include "internal.h"

#define COPY_BYTES ((size_t)1 << 30)  /**< far more than any L2 */
#define SMALL_BYTES ((size_t)4 << 20) /**< fits every L2 since sm_75 twice */

static int failed;

/** Print one result; count it if it is outside [least, most]. */
static void expect(const char *what, double value, double least, double most,
                   const char *unit)
{
    bool ok = value >= least && value <= most;
    printf("%s  %-38s %10.3f %-5s (%.3g to %.3g)\n", ok ? "pass" : "FAIL", what,
           value, unit, least, most);
    failed += !ok;
}

/** The time of one operation with contexts of @p bytes each. */
static timing measure(enqueue_fn enqueue, const void **contexts, int count,
                      size_t bytes, bool cold)
{
    run_options options = {.warmup = 3, .repeats = 20, .cold = cold};
    timed_run run = {.enqueue = enqueue,
                     .contexts = contexts,
                     .context_count = count,
                     .context_bytes = bytes};
    timing t;
    time_interleaved(&run, 1, &options, &t);
    return t;
}

/* ---- an empty kernel ----------------------------------------------------- */

static __global__ void empty_kernel()
{
}

static void launch_empty(const void *)
{
    empty_kernel<<<1, 32>>>();
    CHECK_LAUNCH(empty_kernel, 1, 32, 0);
}

/** A node of a graph takes about 0.5 us; one by one it would be 5 us. */
static void test_empty()
{
    const void *contexts[] = {NULL};
    timing t = measure(launch_empty, contexts, 1, 0, true);
    expect("empty kernel", t.median_ms * 1e3, 0.1, 4.0, "us");
    expect("empty kernel, launches per sample", t.batch, 16, MAX_BATCH, "");
}

/* ---- a wait of known length ---------------------------------------------- */

/** Wait until @p nanoseconds have passed on the GPU's own clock. */
static __global__ void wait_kernel(long long nanoseconds)
{
    long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < nanoseconds);
}

static void launch_wait(const void *context)
{
    wait_kernel<<<1, 1>>>(*(const long long *)context);
    CHECK_LAUNCH(wait_kernel, 1, 1, 0);
}

/** A long and a short wait: the two ways in which samples are taken. */
static void test_wait()
{
    long long long_wait = 5000000, short_wait = 100000;
    const void *long_contexts[] = {&long_wait};
    const void *short_contexts[] = {&short_wait};
    timing t = measure(launch_wait, long_contexts, 1, 0, true);
    expect("a wait of 5 ms", t.median_ms, 5.0, 5.1, "ms");
    expect("... launches per sample", t.batch, 1, 1, "");
    t = measure(launch_wait, short_contexts, 1, 0, true);
    expect("a wait of 0.1 ms", t.median_ms, 0.1, 0.11, "ms");
    expect("... launches per sample", t.batch, 2, 20, "");
}

/* ---- a copy -------------------------------------------------------------- */

/** Device memory that is copied. */
typedef struct {
    void *from;
    void *to;
    size_t bytes;
} copy;

/**
 * One thread copies 16 bytes. A kernel, since a copy in a CUDA graph may be
 * done by a copy engine, which is slower.
 */
static __global__ void copy_kernel(const float4 *from, float4 *to, size_t count)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i];
}

static void launch_copy(const void *context)
{
    const copy *c = (const copy *)context;
    size_t count = c->bytes / sizeof(float4);
    dim3 grid((unsigned)((count + 511) / 512));
    copy_kernel<<<grid, 512>>>((const float4 *)c->from, (float4 *)c->to, count);
    CHECK_LAUNCH(copy_kernel, grid, 512, 0);
}

/** Long: near the bandwidth on paper. It never can be above. */
static void test_copy(const device_info *device)
{
    copy c = {device_alloc(COPY_BYTES), device_alloc(COPY_BYTES), COPY_BYTES};
    const void *contexts[] = {&c};
    timing t = measure(launch_copy, contexts, 1, 2 * COPY_BYTES, true);
    double gbs = 2.0 * COPY_BYTES / t.median_ms * 1e-6;
    expect("copy of 1 GiB, of the peak", gbs / device->peak_gbs, 0.75, 1.0, "");
    expect("... max / min", t.max_ms / t.min_ms, 1.0, 1.25, "");
    device_free(c.from);
    device_free(c.to);
}

/**
 * Short: the cold time must not be that of the L2. Copies in turn over more
 * memory than twice the L2 are as slow as DRAM; one and the same is faster.
 */
static void test_cold(const device_info *device)
{
    enum { MAX = MAX_BATCH };
    static copy copies[MAX];
    static const void *contexts[MAX];
    int count = (int)(2 * device->l2_bytes / (2 * SMALL_BYTES)) + 2;
    count = count < MAX ? count : MAX;
    char *memory = (char *)device_alloc((size_t)count * 2 * SMALL_BYTES);
    for (int i = 0; i < count; i++) {
        char *from = memory + (size_t)i * 2 * SMALL_BYTES;
        copies[i] = {from, from + SMALL_BYTES, SMALL_BYTES};
        contexts[i] = &copies[i];
    }
    timing cold = measure(launch_copy, contexts, count, 2 * SMALL_BYTES, true);
    timing warm = measure(launch_copy, contexts, count, 2 * SMALL_BYTES, false);
    double gbs = 2.0 * SMALL_BYTES / cold.median_ms * 1e-6;
    expect("copy of 4 MiB, cold, of the peak", gbs / device->peak_gbs, 0.1, 1.0,
           "");
    expect("... says cold", cold.cold, 1, 1, "");
    expect("... warm says warm", !warm.cold, 1, 1, "");
    expect("... cold / warm", cold.median_ms / warm.median_ms, 1.05, 10, "");
    device_free(memory);
}

int main()
{
    device_info device = device_open(0);
    printf("%s\n", device.name);
    test_empty();
    test_wait();
    test_copy(&device);
    test_cold(&device);
    return failed > 0;
}
