/**
 * @file plans.cu
 * @brief gemm_13's plan beside cuBLAS at sizes that nobody fitted it to.
 *
 * Run: make test-gpu, or build/gpu/tests/plans. At none of the sizes behind
 * "nobody fitted" in the chapter's checks may cuBLAS need less than 0.95
 * of the time. Without cuBLAS nothing is tested.
 *
 * `plans sweep` times every plan, one line each, at these sizes and at
 * FITTED random ones, to which the constants of plan_for() are fitted. Nothing
 * is tested then. `plans M N K...` does so at these sizes.
 */

#define main chapter_main // the chapter's own is not called
#include "../../chapters/gemm_13_every_shape/gemm_13_every_shape.cu"
#undef main

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "internal.h"

#define LEAST 0.95  /**< of cuBLAS's speed */
#define SAMPLES 15  /**< of each contender, a third of them in a sweep */
#define CONTEXTS 64 /**< copies of the data, at most */
#define FITTED 60   /**< random sizes of the sweep */
#define SLOW 3      /**< times the best estimate: left out of the sweep */

/** Three sides. */
typedef struct {
    int of[3];
} size;

/** The sizes that nobody fitted the plan to. */
static std::vector<size> unseen()
{
    const char *path = "chapters/gemm_13_every_shape/checks";
    FILE *file = fopen(path, "r");
    REQUIRE(file, "%s: not found from here", path);
    std::vector<size> sizes;
    char line[256];
    bool begun = false;
    while (fgets(line, sizeof(line), file)) {
        size s;
        begun = (begun && line[0] != '[') || strstr(line, "nobody fitted");
        if (begun && sscanf(line, "--M %d --N %d --K %d", &s.of[0], &s.of[1],
                            &s.of[2]) == 3)
            sizes.push_back(s);
    }
    fclose(file);
    REQUIRE(!sizes.empty(), "%s: no sizes", path);
    return sizes;
}

/** A problem and how it is to be solved; NULL: by cuBLAS. */
typedef struct {
    gemm_problem p;
    const plan *with;
} task;

static void enqueue(const void *context)
{
    const task *t = (const task *)context;
    if (t->with)
        launch_plan(&t->p, t->with);
    else
        baseline_cublas_launch(&t->p);
}

/** Numbers between -1 and 1 with all bits in use: power depends on them. */
static __global__ void fill(float *x, size_t count)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += stride) {
        unsigned h = (unsigned)i * 2654435761u;
        h = (h ^ h >> 15) * 2246822519u;
        x[i] = (float)(int)(h ^ h >> 13) / 2147483648.0f;
    }
}

/** A GEMM without padding; a pitch is a multiple of four floats. */
static gemm_problem problem_of(const size &s)
{
    gemm_problem p = {};
    p.M = s.of[0];
    p.N = s.of[1];
    p.K = s.of[2];
    p.alpha = 1.0f;
    p.lda = (p.K + 3) / 4 * 4;
    p.ldb = p.ldc = (p.N + 3) / 4 * 4;
    return p;
}

/**
 * Time plans beside cuBLAS, sample by sample.
 *
 * @param samples  of each
 * @param ms  of each plan (ms), and behind them that of cuBLAS
 */
static void time_plans(gemm_problem p, const std::vector<plan> &plans,
                       int samples, std::vector<double> *ms)
{
    size_t a = (size_t)p.M * p.lda, b = (size_t)p.K * p.ldb;
    size_t floats = a + b + (size_t)p.M * p.ldc, align = 64;
    floats = (floats + align - 1) / align * align;
    size_t a_end = (a + align - 1) / align * align;
    size_t b_end = (a_end + b + align - 1) / align * align;
    floats += 2 * align;
    size_t copies = ((size_t)128 << 20) / (floats * 4) + 1;
    copies = copies < CONTEXTS ? copies : CONTEXTS;
    float *d_x = (float *)device_alloc(copies * floats * sizeof(float));
    fill<<<1024, 256, 0, cudaStreamPerThread>>>(d_x, copies * floats);
    CHECK_LAUNCH(fill, 1024, 256, 0);

    size_t count = plans.size() + 1;
    std::vector<task> tasks(count * copies);
    std::vector<const void *> contexts(count * copies);
    std::vector<timed_run> runs(count);
    for (size_t i = 0; i < count * copies; i++) {
        float *x = d_x + i % copies * floats;
        tasks[i].p = p;
        tasks[i].p.A = x;
        tasks[i].p.B = x + a_end;
        tasks[i].p.C = x + b_end;
        tasks[i].with = i / copies < count - 1 ? &plans[i / copies] : NULL;
        contexts[i] = &tasks[i];
    }
    for (size_t i = 0; i < count; i++) {
        runs[i] = timed_run();
        runs[i].enqueue = enqueue;
        runs[i].contexts = &contexts[i * copies];
        runs[i].context_count = (int)copies;
        runs[i].context_bytes = floats * sizeof(float);
    }
    run_options options = {};
    options.warmup = 2;
    options.repeats = samples;
    options.cold = true;
    std::vector<timing> times(count);
    time_interleaved(runs.data(), (int)count, &options, times.data());
    ms->clear();
    for (const timing &t : times)
        ms->push_back(t.median_ms);
    device_free(d_x);
}

/** Time all plans for a size: one line each. */
static void sweep(const size &s)
{
    gemm_problem p = problem_of(s);
    std::vector<plan> plans;
    double slow = SLOW * best_plan(&p).cycles;
    int sms = min(device_attribute(cudaDevAttrMultiProcessorCount), MAX_SMS);
    for (const kind &k : kinds) {
        int64_t last = 0;
        each_plan(&p, &k, sms, blocks_that_fit(&k), [&](plan x) {
            // Of split-K only some: each next one has 1.2 times as many parts.
            bool split = x.whole == 0 && x.blocks % x.shared == 0;
            if (x.cycles > slow || (split && x.blocks < last * 6 / 5))
                return;
            if (split)
                last = x.blocks;
            plans.push_back(x);
        });
    }
    std::vector<double> ms;
    time_plans(p, plans, SAMPLES / 3, &ms);
    for (size_t i = 0; i < plans.size(); i++)
        printf("%d %d %d %d %lld %lld %lld %.0f %.3f %.3f\n", p.M, p.N, p.K,
               (int)(plans[i].with - kinds), (long long)plans[i].whole,
               (long long)plans[i].shared, (long long)plans[i].blocks,
               plans[i].cycles, ms[i] * 1e3, ms.back() * 1e3);
}

/** Sides whose logarithms are even; the product is of moderate length. */
static size random_size()
{
    static unsigned state = 1;
    size s;
    do
        for (int i = 0; i < 3; i++) {
            state = state * 1664525u + 1013904223u;
            double most = i == 2 ? 60000 : 6000;
            s.of[i] = (int)(32 * pow(most / 32, state / 4294967296.0));
        }
    while ((double)s.of[0] * s.of[1] * s.of[2] > 3e10 ||
           ((double)s.of[0] + s.of[1]) * s.of[2] > 2e8);
    return s;
}

/** Is the plan of choice fast enough, beside cuBLAS? */
static bool good(const size &s)
{
    gemm_problem p = problem_of(s);
    std::vector<double> ms;
    std::vector<plan> one(1, best_plan(&p));
    time_plans(p, one, SAMPLES, &ms);
    double share = ms[1] / ms[0];
    bool enough = share >= LEAST;
    printf("%s  %d x %d x %d: %.2f us, %.3f of cuBLAS, %.2f wanted\n",
           enough ? "pass" : "FAIL", p.M, p.N, p.K, ms[0] * 1e3, share, LEAST);
    return enough;
}

int main(int argc, char **argv)
{
    bool all = argc == 2 && !strcmp(argv[1], "sweep");
    REQUIRE(argc == 1 || all || (argc - 1) % 3 == 0,
            "usage: plans [sweep | M N K...]");
    std::vector<size> sizes;
    if (argc == 1 || all)
        sizes = unseen();
    for (int i = 0; all && i < FITTED; i++)
        sizes.push_back(random_size());
    for (int i = 1; i + 2 < argc; i += 3) {
        size s = {{atoi(argv[i]), atoi(argv[i + 1]), atoi(argv[i + 2])}};
        REQUIRE(s.of[0] > 0 && s.of[1] > 0 && s.of[2] > 0,
                "plans: %s %s %s are no sizes", argv[i], argv[i + 1],
                argv[i + 2]);
        sizes.push_back(s);
    }

    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); // what is done stays if it fails
    device_open(0);
    const char *why = baseline_cublas_open();
    if (why) {
        printf("skip  cuBLAS: %s\n", why);
        return 0;
    }
    if (argc > 1)
        printf("M N K kind whole shared blocks estimate us cublas_us\n");
    int failed = 0;
    for (const size &s : sizes)
        if (argc > 1)
            sweep(s);
        else
            failed += !good(s);
    if (argc > 1)
        printf("# all %d sizes done\n", (int)sizes.size());
    baseline_cublas_close();
    return failed > 0;
}
