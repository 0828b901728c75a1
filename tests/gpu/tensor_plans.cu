/**
 * @file tensor_plans.cu
 * @brief tensor_11's plan beside all of its plans and beside cuBLAS, at sizes
 * that nobody fitted it to.
 *
 * Run: build/gpu/tests/tensor_plans [MULTIPLE]: 30 random sizes, multiples of
 * MULTIPLE (1). A line each: M N K, microseconds of the plan that is chosen, of
 * the best plan, of the library's best of three, and the share of it. Then how
 * many plans are within 5 % of the best, and how many shares reach .92 and 1.
 */

#define main chapter_main // the chapter's own is not called
#include "../../chapters/tensor_11_every_shape/tensor_11_every_shape.cu"
#undef main

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#include "internal.h"

#define SIZES 30
#define SAMPLES 9   /**< of each contender */
#define CONTEXTS 64 /**< copies of the data, at most */
#define LIBRARIES 3 /**< cublasGemmEx and two of cublasLt: see internal.h */
#define SEED 2026   /**< of the sizes: drawn when the plan was fixed */

/** A problem and who solves it: a plan, or, if NULL, the library. */
typedef struct {
    gemm_bf16_problem p;
    const plan *with;
    int library;
} task;

static void enqueue(const void *context)
{
    const task *t = (const task *)context;
    if (t->with)
        t->with->launch(&t->p);
    else
        baseline_bf16_launch(&t->p, t->library);
}

/** Numbers between -1 and 1; zeros in the padding. */
static __global__ void fill(bfloat16 *x, size_t count, int ld, int cols)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += stride) {
        unsigned h = (unsigned)i * 2654435761u;
        h = (h ^ h >> 15) * 2246822519u;
        float value = (float)(int)(h ^ h >> 13) / 2147483648.0f;
        x[i] = __float2bfloat16((int)(i % ld) < cols ? value : 0.0f);
    }
}

/** A number from least to most, its logarithm even, a multiple. */
static int random_side(double least, double most, int multiple)
{
    static unsigned state = SEED;
    state = state * 1664525u + 1013904223u;
    int side = (int)(least * pow(most / least, state / 4294967296.0));
    return (side + multiple - 1) / multiple * multiple;
}

/** @return medians (us) of all plans, then of the library's ways */
static std::vector<double> time_all(int M, int N, int K)
{
    gemm_bf16_problem p = {};
    p.M = M, p.N = N, p.K = K;
    p.alpha = 1.0f;
    p.lda = ceil_div(K, 8) * 8;
    p.ldb = ceil_div(N, 8) * 8;
    p.ldc = N % 8 ? p.ldb + 8 : N;
    // Each part begins at a multiple of 1024 bytes.
    size_t a = ((size_t)M * p.lda + 511) / 512 * 512;
    size_t b = ((size_t)K * p.ldb + 511) / 512 * 512;
    size_t all = a + b + ((size_t)M * p.ldc + 511) / 512 * 512;
    size_t copies = ((size_t)64 << 20) / all + 1;
    copies = copies < CONTEXTS ? copies : CONTEXTS;
    bfloat16 *d_x = (bfloat16 *)device_alloc(copies * all * sizeof(bfloat16));

    size_t count = sizeof(plans) / sizeof(*plans) + LIBRARIES;
    std::vector<task> tasks(count * copies);
    std::vector<const void *> contexts(count * copies);
    std::vector<timed_run> runs(count);
    for (size_t i = 0; i < count * copies; i++) {
        bfloat16 *x = d_x + i % copies * all;
        size_t way = i / copies;
        tasks[i].p = p;
        tasks[i].p.A = x, tasks[i].p.B = x + a, tasks[i].p.C = x + a + b;
        tasks[i].with = way < count - LIBRARIES ? &plans[way] : NULL;
        tasks[i].library = (int)(way - (count - LIBRARIES)) - 1;
        contexts[i] = &tasks[i];
    }
    for (size_t i = 0; i < copies; i++) {
        bfloat16 *x = d_x + i * all;
        fill<<<1024, 256, 0, cudaStreamPerThread>>>(x, a, p.lda, K);
        fill<<<1024, 256, 0, cudaStreamPerThread>>>(x + a, b, p.ldb, N);
    }
    for (size_t i = 0; i < count; i++) {
        runs[i] = timed_run();
        runs[i].enqueue = enqueue;
        runs[i].contexts = &contexts[i * copies];
        runs[i].context_count = (int)copies;
        runs[i].context_bytes = all * sizeof(bfloat16);
    }
    run_options options = {};
    options.warmup = 1;
    options.repeats = SAMPLES;
    options.cold = true;
    std::vector<timing> times(count);
    time_interleaved(runs.data(), (int)count, &options, times.data());
    device_free(d_x);
    std::vector<double> us;
    for (const timing &t : times)
        us.push_back(t.median_ms * 1e3);
    return us;
}

int main(int argc, char **argv)
{
    int multiple = argc > 1 ? atoi(argv[1]) : 1;
    REQUIRE(argc <= 2 && multiple > 0, "usage: tensor_plans [MULTIPLE]");
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); // what is done stays if it fails
    device_open(0);
    const char *why = baseline_bf16_open();
    if (why) {
        printf("skip  cuBLAS: %s\n", why);
        return 0;
    }
    int near = 0, most = 0, ahead = 0;
    for (int i = 0; i < SIZES;) {
        int M = random_side(16, 8192, multiple);
        int N = random_side(16, 8192, multiple);
        int K = random_side(64, 16384, multiple);
        if ((double)M * N * K > 3e11 || ((double)M + N) * K > 4e8)
            continue;
        std::vector<double> us = time_all(M, N, K);
        gemm_bf16_problem p = {};
        p.M = M, p.N = N, p.K = K;
        double chosen = us[(size_t)(best_plan(&p) - plans)];
        double best = 1e30, library = 1e30;
        for (size_t j = 0; j < us.size(); j++) {
            double *least = j < us.size() - LIBRARIES ? &best : &library;
            *least = us[j] < *least ? us[j] : *least;
        }
        printf("%d %d %d %.2f %.2f %.2f %.3f\n", M, N, K, chosen, best, library,
               library / chosen);
        near += chosen <= 1.05 * best;
        most += library / chosen >= 0.92;
        ahead += library / chosen >= 1.0;
        i++;
    }
    printf("# of %d: %d within 5 %% of the best plan, %d at .92 of cuBLAS or "
           "more, %d at 1\n",
           SIZES, near, most, ahead);
    baseline_cublas_close();
    return 0;
}
