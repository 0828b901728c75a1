/** @file gemm.c @see gemm.h, gemm_bf16.h */
#include "gemm_bf16.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define LARGEST 2147483639.0 /**< 2^31 - 9: the pitch of C is an int */
#define SIZE_SIMULATOR 256   /**< default M, N, K: about a second */
#define SIZE_GPU 4096        /**< default M, N, K: fills a large GPU */
#define EXACT_SUM (1 << 24)  /**< a float32 holds whole numbers up to it */

enum { A, B, C, BIAS, ARRAYS };

/** The chapter: a program is one. */
static struct {
    union {
        gemm_problem p;
        gemm_bf16_problem bf16; /**< begins with the same members */
    };
    element_type type;
    launch_fn launch;           /**< the chapter's */
    launch_bf16_fn launch_bf16; /**< the same of a chapter of tensor cores */
    bool exact;                 /**< what the arrays hold now */
    experiment e;
} gemm;

_Static_assert(offsetof(gemm_problem, pad) ==
                       offsetof(gemm_bf16_problem, pad) &&
                   offsetof(gemm_problem, C) == offsetof(gemm_bf16_problem, C),
               "what holds for one problem holds for both");

static option_spec options[] = {
    {"M", OPTION_INT(&gemm.p.M), 1, LARGEST, "rows of A and C"},
    {"N", OPTION_INT(&gemm.p.N), 1, LARGEST, "columns of B and C"},
    {"K", OPTION_INT(&gemm.p.K), 1, LARGEST, "columns of A, rows of B"},
    {"alpha", OPTION_FLOAT(&gemm.p.alpha), 0, 0, "factor of A * B"},
    {"beta", OPTION_FLOAT(&gemm.p.beta), 0, 0, "factor of C; 0: C is not read"},
    {"gelu", OPTION_INT(&gemm.bf16.gelu), 0, 1,
     "1: C = gelu(alpha * A * B + beta * C + bias)"},
    {"pad", OPTION_INT(&gemm.p.pad), 0, 1 << 30,
     "elements after each row, in whole 16 bytes; twice in C"},
};
enum { GELU = COUNT(options) - 2, PAD };

static array arrays[] = {
    [A] = ARRAY(gemm_problem, A, IN, FLOAT32),
    [B] = ARRAY(gemm_problem, B, IN, FLOAT32),
    [C] = ARRAY(gemm_problem, C, IN_OUT, FLOAT32),
    [BIAS] = ARRAY(gemm_bf16_problem, bias, IN, FLOAT32),
};

/* ---- libraries ----------------------------------------------------------- */

#if !SIMULATED

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

static void launch_gemm_ex(const void *problem)
{
    baseline_bf16_launch(problem, -1);
}

static void launch_lt_0(const void *problem)
{
    baseline_bf16_launch(problem, 0);
}

static void launch_lt_1(const void *problem)
{
    baseline_bf16_launch(problem, 1);
}

#define LIBRARY(called, how, call)                                             \
    {                                                                          \
        .name = called, .idea = how, .enqueue = call,                          \
        .open = baseline_bf16_open, .close = baseline_cublas_close             \
    }

static const variant libraries_bf16[] = {
    LIBRARY("cuBLAS", "cublasGemmEx", launch_gemm_ex),
    LIBRARY("cuBLASLt 1",
            "cublasLtMatmul, the first algorithm of its heuristic",
            launch_lt_0),
    LIBRARY("cuBLASLt 2", "the second", launch_lt_1),
    LIBRARY("cuBLAS, gelu", "cublasGemmEx, then a kernel", launch_gemm_ex),
};
#define LIBRARIES_BF16 3 /**< the first ones; with --gelu the last ones */

#endif

/* ---- what only GEMM knows ------------------------------------------------ */

static bool bf16(void)
{
    return gemm.type == ELEMENT_BFLOAT16;
}

/** --gelu, an option of chapters that say so. */
static bool gelu(void)
{
    return bf16() && gemm.bf16.gelu;
}

/** Elements in 16 bytes: pitches are multiples of it. */
static int unit(void)
{
    return bf16() ? 8 : 4;
}

/** The three pitches; see gemm.h. Refuse what is no int. */
static void set_pitches(gemm_problem *p)
{
    int pad = p->pad, step = unit();
    int64_t k = ((int64_t)p->K + step - 1) / step * step + pad;
    int64_t n = ((int64_t)p->N + step - 1) / step * step + pad;
    int64_t c = n + pad + (p->N % step ? step : 0);
    REQUIRE(k <= INT_MAX, "--K %d with --pad %d: rows of more than %d elements",
            p->K, pad, INT_MAX);
    REQUIRE(c <= INT_MAX, "--N %d with --pad %d: rows of more than %d elements",
            p->N, pad, INT_MAX);
    p->lda = (int)k;
    p->ldb = (int)n;
    p->ldc = (int)c;
}

/** With --gelu there is a bias, and no result is exact. */
static void use_gelu(void)
{
    gemm.e.array_count = ARRAYS;
    gemm.e.exact = 0;
#if !SIMULATED
    gemm.e.libraries = libraries_bf16 + 1;
#endif
}

static void shape(void *problem, array *arrays)
{
    gemm_problem *p = problem;
    if (gelu())
        use_gelu();
    REQUIRE(p->pad % unit() == 0,
            "--pad %d: allowed are multiples of %d, so that rows stay aligned "
            "to 16 bytes",
            p->pad, unit());
    REQUIRE(!bf16() || p->K <= EXACT_SUM,
            "--K %d: at most %d, so that sums of whole numbers are exact", p->K,
            EXACT_SUM);
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
    if (gelu())
        array_1d(&arrays[BIAS], p->N);
}

/** More than one tile each way, and an edge; no pitch equals another. */
static void small(void *problem)
{
    gemm_problem *p = problem;
    p->M = 131;
    p->N = bf16() ? 262 : 134;
    p->K = bf16() ? 77 : 21;
    p->pad = 0;
}

/** One tile along so large a K that stream-K shares it. */
static void beside(void *problem)
{
    gemm_problem *p = problem;
    p->M = 9;
    p->N = 5;
    p->K = 309;
    p->pad = 0;
}

/** Whole numbers of equal range in A and B, whose sums are exact. */
static void fill_whole(const gemm_problem *p, array *arrays, uint64_t seed)
{
    int most = 8;
    while (most * most > EXACT_SUM / p->K)
        most--;
    for (int i = 0; i < gemm.e.array_count; i++)
        fill_integers(&arrays[i], -most, most, seed + 4 * (uint64_t)i);
}

/**
 * The factors of exact case 1: of few bits, so that sums stay exact. What
 * bfloat16 leaves of whole numbers has room for more: of K products of at most
 * 8 * 8 times 2049 / 2^12, and a C of 8 times 257 / 2^8, all are multiples of
 * 2^-12, and 2^24 of them at most. No format of 11 or 8 bits holds these.
 */
static void set_factors(gemm_problem *p)
{
    bool fine = bf16() && p->K <= 127;
    p->alpha = fine ? 0x801p-12f : 0.5f;
    p->beta = fine ? -0x101p-8f : -1.0f;
}

/** Cases 0 and 1 are exact, with fixed factors; 2 is the user's. */
static const char *fill(void *problem, array *arrays, int number, uint64_t seed)
{
    static char name[64];
    gemm_problem *p = problem;
    bool exact = number < 2;
    gemm.exact = exact;
    if (number == 0)
        p->alpha = 1.0f, p->beta = 0.0f;
    else if (exact)
        set_factors(p);
    if (exact && bf16()) {
        fill_whole(p, arrays, seed);
    } else if (exact) {
        fill_grid_left(&arrays[A], seed);
        fill_grid_right(&arrays[B], seed + 4);
        fill_grid(&arrays[C], seed + 8);
    } else {
        fill_random(&arrays[A], seed);
        fill_random(&arrays[B], seed + 4);
        fill_random(&arrays[C], seed + 8);
        if (gelu())
            fill_random(&arrays[BIAS], seed + 12);
    }
    arrays[C].role = p->beta == 0.0f ? ARRAY_OUT : ARRAY_IN_OUT;
    snprintf(name, sizeof(name), "%s with alpha %g, beta %g",
             !exact   ? "random data"
             : bf16() ? "whole numbers"
                      : "exact data",
             p->alpha, p->beta);
    return name;
}

static void set(array *a, int64_t row, int64_t col, double x)
{
    element_write(a->type, a->host, row * a->ld + col, x);
}

/** Multiply an element by @p factor. */
static void scale(array *a, int64_t row, int64_t col, double factor)
{
    double x = element_read(a->type, a->host, row * a->ld + col);
    set(a, row, col, factor * x);
}

/**
 * NaN and Inf in each matrix, in last rows and columns, and where the other
 * matrix has zeros. And in float32 a row of A and a column of B of denormal
 * numbers, whose sums are as exact as before; where they cross all products
 * are 0, and C is denormal.
 */
static const char *plant_nan(void *problem, array *arrays)
{
    const gemm_problem *p = problem;
    array *a = &arrays[A], *b = &arrays[B], *c = &arrays[C];
    int row = 9, col = 11, M = p->M, N = p->N, K = p->K;
    for (int k = 0; k < K && !bf16(); k++) {
        scale(a, row, k, k < K / 2 ? 0x1p-126 : 0.0);
        scale(b, k, col, k < K / 2 ? 0.0 : 0x1p-126);
    }
    for (int i = 0; i < M && !bf16(); i++)
        set(c, i, col, 0.0);
    for (int j = 0; j < N && !bf16(); j++)
        set(c, row, j, 0.0);
    if (!bf16())
        set(c, row, col, 0x1p-140);
    for (int i = 8; i < 16; i++)
        set(a, i, K - 2, 0.0);
    for (int i = 0; i < 16 * 16 && bf16(); i++) // what an mma multiplies
        set(a, 16 + i / 16, 48 + i % 16, 0.0);
    if (bf16())
        set(b, 50, 40, NAN);
    set(a, M - 5, K / 2 - 1, NAN);
    set(b, K - 1, N - 3, -INFINITY);
    set(a, M - 2, K / 2, NAN);
    set(a, M / 2, K - 1, INFINITY);
    set(b, K / 3, N - 1, -INFINITY);
    set(b, K - 2, N / 2, NAN);
    set(c, 3, 5, NAN);
    set(c, M - 4, N / 3, INFINITY);
    return ", NaN and Inf";
}

/** Make all positive, @p factor times as large. */
static void raise(array *a, double factor)
{
    for (int64_t i = 0; i < a->rows; i++) {
        for (int64_t j = 0; j < a->cols; j++) {
            scale(a, i, j, factor);
            set(a, i, j, fabs(element_read(a->type, a->host, i * a->ld + j)));
        }
    }
}

/**
 * Factors that are denormal, sums of one sign that no half holds, and only the
 * first @p k of K, with the same A, B and C.
 */
static const char *plant_large(gemm_problem *p, array *arrays, int k)
{
    static char text[64];
    array *a = &arrays[A];
    raise(a, 0x1p64);
    raise(&arrays[B], 1.0);
    raise(&arrays[C], 0x1p64);
    p->alpha *= 0x1p-130f;
    p->beta *= 0x1p-130f;
    p->K = k;
    for (int64_t i = 0; i < a->rows; i++) {
        for (int64_t j = k; j < a->cols; j++)
            set(a, i, j, 0.0); // as padding is
    }
    snprintf(text, sizeof(text), ", large data, only %d of K, denormal factors",
             k);
    return text;
}

#define PLANTINGS 3 /**< of the small problem */
#define AGAIN 16    /**< of beside(), where K is another one each time */

/** K behind PLANTINGS: first fewer steps than blocks that shared a tile, and
 *  each rest of 16 behind a whole step. */
static int short_k(int again)
{
    return (bf16() ? 107 : 43) - again;
}

static const char *plant(void *problem, array *arrays, int round)
{
    gemm_problem *p = problem;
    if (round == 1)
        return plant_nan(p, arrays);
    if (round > 2)
        return plant_large(p, arrays,
                           round == 3 ? p->K : short_k(round - PLANTINGS - 1));
    *(p->beta != 0.0f ? &p->beta : &p->alpha) = NAN;
    return ", a factor NaN";
}

static double flop(const void *problem)
{
    const gemm_problem *p = problem;
    return 2.0 * p->M * p->N * p->K;
}

static void launch(const void *problem)
{
    if (bf16())
        gemm.launch_bf16(problem);
    else
        gemm.launch(problem);
}

#if SIMULATED

static void want(const void *problem, const array *a, const band *b,
                 double *want, double *bound)
{
    (void)a; // there is only C
    gemm_problem part = reference_part(problem, b);
    reference_gemm(&part, want, bound);
}

static void want_bf16(const void *problem, const array *a, const band *b,
                      double *want, double *bound)
{
    (void)a;
    const gemm_bf16_problem *p = problem;
    reference_bf16(p, b, gemm.exact, want, bound);
}

#else

static void want_gpu(const void *problem, const array *a, const band *b,
                     double *want, double *bound)
{
    (void)a; // there is only C
    gemm_problem part = reference_part(problem, b);
    reference_gemm_gpu(&part, want, bound);
}

static void want_bf16_gpu(const void *problem, const array *a, const band *b,
                          double *want, double *bound)
{
    (void)a;
    const gemm_bf16_problem *p = problem;
    reference_bf16_gpu(p, b, gemm.exact, want, bound);
}

#endif

/* ---- main ---------------------------------------------------------------- */

static const variant variants[] = {{.name = "gemm_kernel", .enqueue = launch}};

/** What variants.h must know. */
static experiment describe(const char *chapter, bool has_gelu)
{
    if (!has_gelu)
        options[GELU] = options[PAD];
    int count = COUNT(options) - !has_gelu;
    experiment e = {
        .chapter = chapter,
        .about = bf16() ? "C = alpha * A * B + beta * C in bfloat16, "
                          "row-major: verified, then timed."
                        : "C = alpha * A * B + beta * C in float32, "
                          "row-major: verified, then timed.",
        .options = options,
        .option_count = count,
        .size_count = count - 1, // all but pad
        .size_hint = "default size 256 in the simulator; "
                     "--M, --N and --K change it",
        .problem = &gemm.p,
        .problem_bytes = bf16() ? sizeof(gemm.bf16) : sizeof(gemm.p),
        .arrays = arrays,
        .array_count = BIAS, // those before it; use_gelu() adds it
        .variants = variants,
        .variant_count = COUNT(variants),
        .cases = 3,
        .exact = 2,
        .small = small,
        .shape = shape,
        .fill = fill,
        .plant = plant,
        .plantings = PLANTINGS,
        .again = AGAIN,
        .beside = beside,
        .flop = flop,
        .tensor_cores = bf16(),
    };
#if SIMULATED
    e.want = bf16() ? want_bf16 : want;
#else
    e.want_gpu = bf16() ? want_bf16_gpu : want_gpu;
    e.libraries = bf16() ? libraries_bf16 : libraries;
    e.library_count = bf16() ? LIBRARIES_BF16 : COUNT(libraries);
#endif
    return e;
}

/** Set all of gemm but who launches. */
static void set_up(const char *chapter, element_type type, bool has_gelu)
{
    int size = device_simulated() ? SIZE_SIMULATOR : SIZE_GPU;
    gemm.p = (gemm_problem){.M = size, .N = size, .K = size, .alpha = 1};
    gemm.type = type;
    for (int i = 0; i < ARRAYS; i++)
        arrays[i].type = type;
    gemm.e = describe(chapter, has_gelu);
}

int gemm_main(int argc, char **argv, const char *chapter, launch_fn launch)
{
    set_up(chapter, ELEMENT_FLOAT32, false);
    gemm.launch = launch;
    return variants_main(&gemm.e, argc, argv);
}

static int main_bf16(int argc, char **argv, const char *chapter,
                     launch_bf16_fn launch, int least, int most, bool has_gelu)
{
    set_up(chapter, ELEMENT_BFLOAT16, has_gelu);
    gemm.launch_bf16 = launch;
    gemm.e.least_capability = least;
    gemm.e.most_capability = most;
    return variants_main(&gemm.e, argc, argv);
}

int gemm_bf16_main(int argc, char **argv, const char *chapter,
                   launch_bf16_fn launch, int least, int most)
{
    return main_bf16(argc, argv, chapter, launch, least, most, false);
}

int gemm_gelu_main(int argc, char **argv, const char *chapter,
                   launch_bf16_fn launch, int least, int most)
{
    return main_bf16(argc, argv, chapter, launch, least, most, true);
}
