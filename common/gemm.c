/** @file gemm.c @see gemm.h */
#include "gemm.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "gpu/baseline_cublas.h"
#include "memory.h"
#include "reference.h"
#include "variants.h"

#define LARGEST 2147483639.0 /**< 2^31 - 9: the pitch of C is an int */
#define SIZE_SIMULATOR 256   /**< default M, N, K: about a second */
#define SIZE_GPU 4096        /**< default M, N, K: fills a large GPU */

enum { A, B, C, ARRAYS };

/** All of a gemm chapter. */
struct gemm_state {
    gemm_problem p;
    launch_fn launch; /**< the chapter's */
    array arrays[ARRAYS];
    option_spec options[6];
    experiment e;
};

/* ---- what only GEMM knows ------------------------------------------------ */

/** The three pitches; see gemm_problem.h. Refuse what is no int. */
static void set_pitches(gemm_problem *p)
{
    int pad = p->pad;
    int64_t k = ((int64_t)p->K + 3) / 4 * 4 + pad;
    int64_t n = ((int64_t)p->N + 3) / 4 * 4 + pad;
    int64_t c = n + pad + (p->N % 4 ? 4 : 0);
    REQUIRE(k <= INT_MAX, "--K %d with --pad %d: rows of more than %d elements",
            p->K, pad, INT_MAX);
    REQUIRE(c <= INT_MAX, "--N %d with --pad %d: rows of more than %d elements",
            p->N, pad, INT_MAX);
    p->lda = (int)k;
    p->ldb = (int)n;
    p->ldc = (int)c;
}

static void shape(void *problem, array *arrays)
{
    gemm_problem *p = problem;
    REQUIRE(p->pad % 4 == 0,
            "--pad %d: allowed are multiples of 4, so that rows stay aligned "
            "to 16 bytes",
            p->pad);
    // |A|, |B| and |C| are at most 1. A right result must not overflow.
    double largest = fabs((double)p->alpha) * p->K + fabs((double)p->beta);
    REQUIRE(largest <= FLT_MAX / 2,
            "--alpha %g --beta %g: |alpha| K + |beta| is %.2g; allowed is "
            "%.2g, half of what float32 holds",
            p->alpha, p->beta, largest, FLT_MAX / 2);
    set_pitches(p);
    array_2d(&arrays[A], p->M, p->K, p->lda);
    array_2d(&arrays[B], p->K, p->N, p->ldb);
    array_2d(&arrays[C], p->M, p->N, p->ldc);
}

/** Two tiles of 128 and an edge each way; no pitch equals another. */
static void small(void *problem)
{
    gemm_problem *p = problem;
    p->M = 131;
    p->N = 134;
    p->K = 21;
    p->pad = 0;
}

/** Cases 0 and 1 are exact, with fixed factors; 2 is the user's. */
static const char *fill(void *problem, array *arrays, int number, uint64_t seed)
{
    static char name[64];
    gemm_problem *p = problem;
    bool exact = number < 2;
    if (exact) {
        p->alpha = number == 0 ? 1.0f : 0.5f;
        p->beta = number == 0 ? 0.0f : -1.0f;
        fill_grid_left(&arrays[A], seed);
        fill_grid_right(&arrays[B], seed + 4);
        fill_grid(&arrays[C], seed + 8);
    } else {
        fill_random(&arrays[A], seed);
        fill_random(&arrays[B], seed + 4);
        fill_random(&arrays[C], seed + 8);
    }
    arrays[C].role = p->beta == 0.0f ? ARRAY_OUT : ARRAY_IN_OUT;
    snprintf(name, sizeof(name), "%s data with alpha %g, beta %g",
             exact ? "exact" : "random", p->alpha, p->beta);
    return name;
}

static double flop(const void *problem)
{
    const gemm_problem *p = problem;
    return 2.0 * p->M * p->N * p->K;
}

static void launch(const void *problem)
{
    const gemm_problem *p = problem;
    p->state->launch(p);
}

#if SIMULATED

static void want(const void *problem, const array *a, const band *b,
                 double *want, double *bound)
{
    (void)a; // there is only C
    gemm_problem part = reference_part(problem, b);
    reference_gemm(&part, want, bound);
}

#else

static void want_gpu(const void *problem, const array *a, const band *b,
                     double *want, double *bound)
{
    (void)a; // there is only C
    gemm_problem part = reference_part(problem, b);
    reference_gemm_gpu(&part, want, bound);
}

static void launch_cublas(const void *problem)
{
    baseline_cublas_launch(problem);
}

static const variant libraries[] = {
    {.name = "cuBLAS",
     .idea = "cublasSgemm, TF32 off",
     .enqueue = launch_cublas,
     .open = baseline_cublas_open,
     .close = baseline_cublas_close},
};

#endif

/* ---- the four calls of a chapter's main ---------------------------------- */

static const variant variants[] = {{.name = "gemm_kernel", .enqueue = launch}};

/** Fill in @p s, whose address the options and the experiment keep. */
static void describe(struct gemm_state *s, const char *chapter)
{
    gemm_problem *p = &s->p;
    const option_spec options[] = {
        {"M", OPTION_INT(&p->M), 1, LARGEST, "rows of A and C"},
        {"N", OPTION_INT(&p->N), 1, LARGEST, "columns of B and C"},
        {"K", OPTION_INT(&p->K), 1, LARGEST, "columns of A, rows of B"},
        {"alpha", OPTION_FLOAT(&p->alpha), 0, 0, "factor of A * B"},
        {"beta", OPTION_FLOAT(&p->beta), 0, 0, "factor of C; 0: C is not read"},
        {"pad", OPTION_INT(&p->pad), 0, 1 << 29,
         "multiple of 4, added to each row; twice to those of C"},
    };
    const array arrays[] = {
        ARRAY(gemm_problem, A, IN, FLOAT32),
        ARRAY(gemm_problem, B, IN, FLOAT32),
        ARRAY(gemm_problem, C, IN_OUT, FLOAT32),
    };
    memcpy(s->options, options, sizeof(options));
    memcpy(s->arrays, arrays, sizeof(arrays));
    s->e = (experiment){
        .chapter = chapter,
        .about = "C = alpha * A * B + beta * C in float32, row-major: "
                 "verified, then timed.",
        .options = s->options,
        .option_count = COUNT(options),
        .size_count = COUNT(options) - 1, // all but pad
        .size_hint = "default size 256 in the simulator; "
                     "--M, --N and --K change it",
        .problem = p,
        .problem_bytes = sizeof(*p),
        .arrays = s->arrays,
        .array_count = ARRAYS,
        .variants = variants,
        .variant_count = COUNT(variants),
        .cases = 3,
        .exact = 2,
        .small = small,
        .shape = shape,
        .fill = fill,
        .flop = flop,
    };
#if SIMULATED
    s->e.want = want;
#else
    s->e.want_gpu = want_gpu;
    s->e.libraries = libraries;
    s->e.library_count = COUNT(libraries);
#endif
}

gemm_problem *gemm_open(int argc, char **argv, const char *chapter)
{
    struct gemm_state *s = host_alloc(sizeof(*s));
    int size = device_simulated() ? SIZE_SIMULATOR : SIZE_GPU;
    s->p =
        (gemm_problem){.M = size, .N = size, .K = size, .alpha = 1, .state = s};
    describe(s, chapter);
    variants_open(&s->e, argc, argv);
    return &s->p;
}

void gemm_verify(gemm_problem *p, launch_fn launch)
{
    p->state->launch = launch;
    variants_verify(&p->state->e);
}

void gemm_time(gemm_problem *p, launch_fn launch)
{
    p->state->launch = launch;
    variants_time(&p->state->e);
}

int gemm_close(gemm_problem *p)
{
    int status = variants_close(&p->state->e);
    free(p->state);
    return status;
}
