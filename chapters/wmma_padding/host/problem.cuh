/**
 * @file problem.cuh
 * @brief C = A * B with tensor cores: the problem and its inputs.
 */

#include <math.h>

#include <cuda_fp16.h>

#include "variants.h"

/* ---- problem ------------------------------------------------------------- */

/** C = A * B, row-major, halves in, float32 out. Rows begin at multiples of
 *  16 bytes. */
typedef struct {
    int M, N, K;     /**< each >= 1; K at most MOST_K */
    int pad;         /**< elements after each row, at least */
    const __half *A; /**< [M x K], device; padding holds 0 */
    int64_t lda;     /**< from row to row (elements), a multiple of 8 */
    const __half *B; /**< [K x N], device; padding holds 0 */
    int64_t ldb;     /**< a multiple of 8 */
    float *C;        /**< [M x N], device; padding must keep its bits */
    int64_t ldc;     /**< a multiple of 4 */
} product;

static product problem;

#include "library.cuh"

/* Sums of products of whole numbers up to 4 must stay below 2^24. */
#define LARGEST 4              /**< of the exact data */
#define MOST_K (1 << 20)       /**< 4 * 4 * 2^20 = 2^24 */
#define MOST_M (65535 * 128.0) /**< blocks in y times rows of a tile */

static const option_spec options[] = {
    {"M", OPTION_INT(&problem.M), 1, MOST_M, "rows of A and C"},
    {"N", OPTION_INT(&problem.N), 1, 1e9, "columns of B and C"},
    {"K", OPTION_INT(&problem.K), 1, MOST_K, "columns of A, rows of B"},
    {"pad", OPTION_INT(&problem.pad), 0, 1 << 29, "elements after each row"},
};
enum { A, B, C };
static array arrays[] = {
    ARRAY(product, A, IN, FLOAT16),
    ARRAY(product, B, IN, FLOAT16),
    ARRAY(product, C, OUT, FLOAT32),
};

/** Two tiles of rows, two and more of K, an edge each way. */
static void small(void *problem)
{
    product *p = (product *)problem;
    p->M = 131;
    p->N = 37;
    p->K = 77;
    p->pad = 0;
}

static void shape(void *problem, array *arrays)
{
    product *p = (product *)problem;
    int64_t pad = p->pad;
    p->lda = (p->K + pad + 7) / 8 * 8;
    p->ldb = (p->N + pad + 7) / 8 * 8;
    p->ldc = (p->N + pad + 3) / 4 * 4;
    array_2d(&arrays[A], p->M, p->K, p->lda);
    array_2d(&arrays[B], p->K, p->N, p->ldb);
    array_2d(&arrays[C], p->M, p->N, p->ldc);
}

static const char *fill(void *, array *arrays, int number, uint64_t seed)
{
    bool exact = number == 0;
    for (int i = A; i <= B; i++) {
        if (exact)
            fill_integers(&arrays[i], -LARGEST, LARGEST, seed + i);
        else
            fill_random(&arrays[i], seed + i);
    }
    return exact ? "small integers" : "random data";
}

/** A NaN and an Inf in both matrices, two in last rows and columns; or A is
 *  denormal, and sums are as exact as before. */
static const char *plant(void *problem, array *arrays, int round)
{
    const product *p = (const product *)problem;
    array *a = &arrays[A], *b = &arrays[B];
    if (round == 1) {
        element_write(a->type, a->host, 3 * p->lda + p->K / 2, NAN);
        element_write(a->type, a->host, p->M * p->lda - p->lda + 1, INFINITY);
        element_write(b->type, b->host, p->K / 3 * p->ldb + 5, NAN);
        element_write(b->type, b->host, (p->K - 1) * p->ldb + p->N - 1,
                      -INFINITY);
        return ", NaN and Inf";
    }
    for (int64_t i = 0; i < p->M * p->lda; i++)
        element_write(a->type, a->host, i,
                      0x1p-24 * element_read(a->type, a->host, i));
    return ", denormal";
}

static double flop(const void *problem)
{
    const product *p = (const product *)problem;
    return 2.0 * p->M * p->N * p->K;
}

#include "reference.cuh"

/* ---- experiment ---------------------------------------------------------- */

/** What variants.h must know, with these variants. */
static experiment describe(const variant *variants, int count)
{
    problem.M = problem.N = problem.K = device_simulated() ? 256 : 4096;
    experiment e = {
        .chapter = "wmma_padding",
        .about = "C = A * B, float16 in, float32 out: verified, then timed.",
        .options = options,
        .option_count = COUNT(options),
        .size_count = 3,
        .size_hint = "default size 256 in the simulator; "
                     "--M, --N and --K change it",
        .problem = &problem,
        .problem_bytes = sizeof(problem),
        .arrays = arrays,
        .array_count = COUNT(arrays),
        .variants = variants,
        .variant_count = count,
        .cases = 2,
        .exact = 1,
        .small = small,
        .shape = shape,
        .fill = fill,
        .plant = plant,
        .plantings = 2,
        .flop = flop,
        .tensor_cores = true,
    };
#if SIMULATED
    e.want = want;
#else
    e.want_gpu = want_gpu;
    e.libraries = libraries;
    e.library_count = COUNT(libraries);
#endif
    return e;
}
