/**
 * @file product.cuh
 * @brief The second problem: C = A * B with tensor cores, halves in, float out.
 *
 * Tiles of halves are what tensor cores read from shared memory, and where
 * their fragments meet banks.
 */
#include <cuda_fp16.h>

/** C = A * B, row-major. Rows begin at multiples of 16 bytes. */
typedef struct {
    int M, N, K;     /**< each >= 1; K at most PRODUCT_K */
    int pad;         /**< elements after each row, at least */
    const __half *A; /**< [M x K], device; padding holds 0 */
    int64_t lda;     /**< from row to row (elements), a multiple of 8 */
    const __half *B; /**< [K x N], device; padding holds 0 */
    int64_t ldb;     /**< a multiple of 8 */
    float *C;        /**< [M x N], device; padding must keep its bits */
    int64_t ldc;     /**< a multiple of 4 */
} product;

static product product_problem;

#include "product_library.cuh"

/* Sums of products of whole numbers up to 4 must stay below 2^24. */
#define PRODUCT_LARGEST 4         /**< of the exact data */
#define PRODUCT_K (1 << 20)       /**< 4 * 4 * 2^20 = 2^24 */
#define PRODUCT_M (65535 * 128.0) /**< blocks in y times rows of a tile */

static const option_spec product_options[] = {
    {"M", OPTION_INT(&product_problem.M), 1, PRODUCT_M, "rows of A and C"},
    {"N", OPTION_INT(&product_problem.N), 1, 1e9, "columns of B and C"},
    {"K", OPTION_INT(&product_problem.K), 1, PRODUCT_K,
     "columns of A, rows of B"},
    {"pad", OPTION_INT(&product_problem.pad), 0, 1 << 29,
     "elements after each row"},
    {"problem", OPTION_CHOICE(&which_problem), 0, 0, "transpose|product"},
};
enum { A, B, C };
static array product_arrays[] = {
    ARRAY(product, A, IN, FLOAT16),
    ARRAY(product, B, IN, FLOAT16),
    ARRAY(product, C, OUT, FLOAT32),
};

/** Two tiles of rows, two and more of K, an edge each way. */
static void product_small(void *problem)
{
    product *p = (product *)problem;
    p->M = 131;
    p->N = 37;
    p->K = 77;
    p->pad = 0;
}

static void product_shape(void *problem, array *arrays)
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

static const char *product_fill(void *, array *arrays, int number,
                                uint64_t seed)
{
    bool exact = number == 0;
    for (int i = A; i <= B; i++) {
        if (exact)
            fill_integers(&arrays[i], -PRODUCT_LARGEST, PRODUCT_LARGEST,
                          seed + i);
        else
            fill_random(&arrays[i], seed + i);
    }
    return exact ? "small integers" : "random data";
}

/** A NaN and an Inf in both matrices, two in last rows and columns; or A is
 *  denormal, and sums are as exact as before. */
static const char *product_plant(void *problem, array *arrays, int round)
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

static double product_flop(const void *problem)
{
    const product *p = (const product *)problem;
    return 2.0 * p->M * p->N * p->K;
}

#include "product_reference.cuh"

/* ---- variants ------------------------------------------------------------ */

#include "../kernels/6_wmma.cuh"
#include "../kernels/7_wmma_padded.cuh"

static const variant product_variants[] = {
    {"wmma", "fragments from tiles without padding", wmma_plain},
    {"wmma_padded", "8 halves after each row of the tiles", wmma_padded},
};

static const char *const product_columns[] = {
    "shared_load_requests", "shared_load_wavefronts", "shared_store_wavefronts",
    "global_load_sectors", NULL};

static experiment product_experiment(void)
{
    product *p = &product_problem;
    p->M = p->N = p->K = device_simulated() ? 256 : 4096;
    experiment e = {
        .chapter = "bank_conflict_padding",
        .about = "C = A * B, float16 in, float32 out: verified, then timed.",
        .options = product_options,
        .option_count = COUNT(product_options),
        .size_count = 3,
        .size_hint = "default size 256 in the simulator; "
                     "--M, --N and --K change it",
        .problem = p,
        .problem_bytes = sizeof(*p),
        .arrays = product_arrays,
        .array_count = COUNT(product_arrays),
        .variants = product_variants,
        .variant_count = COUNT(product_variants),
        .columns = product_columns,
        .cases = 2,
        .exact = 1,
        .small = product_small,
        .shape = product_shape,
        .fill = product_fill,
        .plant = product_plant,
        .plantings = 2,
        .flop = product_flop,
        .tensor_cores = true,
    };
#if SIMULATED
    e.want = product_want;
#else
    e.want_gpu = product_want_gpu;
    e.libraries = product_libraries;
    e.library_count = COUNT(product_libraries);
#endif
    return e;
}
