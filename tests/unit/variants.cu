/**
 * @file variants.cu
 * @brief A chapter with every role and several types of arrays, for tests.
 *
 *     variants [--fault NUMBER] [--rows ...]
 *
 * A run reads x, changes y, and tells which of it is positive; the variant
 * two_launches keeps what is between its launches in scratch memory. On a GPU
 * (SIMULATED=0) there are two libraries to compare with. The order of all runs
 * is printed at the end: t, f for the variants, a, b for the libraries.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "variants.h"

#define BLOCK 64

/** What is wrong with two_launches; cases.py says what is expected. */
enum fault {
    NO_FAULT,
    FLAG_UNWRITTEN,
    SCRATCH_READ_FIRST, /**< expects 0 there */
    INPUT_WRITTEN,
    PADDING_WRITTEN,
    BEHIND_FLAGS,
    BEHIND_SCRATCH,
    SMALL_ONLY,    /**< wrong where the small problem ends */
    LAST_RUN_EMPTY /**< right in the verification, then does nothing */
};

typedef struct {
    int64_t rows;
    int64_t cols;
    const float *x; /**< [rows x cols], one row after the other */
    float *y;       /**< [rows x cols], from row to row ld */
    int64_t ld;
    float *scratch;
    uint8_t *positive; /**< [rows * cols] */
} sizes;

static sizes problem = {7, 9, NULL, NULL, 0, NULL, NULL};
static int fault;
static int small_cols = 13;
static const option_spec options[] = {
    {"rows", OPTION_INT64(&problem.rows), 0, 1e15, "rows of x and y"},
    {"cols", OPTION_INT64(&problem.cols), 1, 1e9, "columns of x and y"},
    {"fault", OPTION_INT(&fault), 0, LAST_RUN_EMPTY, "what is wrong"},
    {"small", OPTION_INT(&small_cols), 1, 1e9, "columns of the small problem"},
};
enum { X, Y, SCRATCH, POSITIVE };
static array arrays[] = {
    ARRAY(sizes, x, IN, FLOAT32),
    ARRAY(sizes, y, IN_OUT, FLOAT32),
    ARRAY(sizes, scratch, SCRATCH, FLOAT32),
    ARRAY(sizes, positive, OUT, UINT8),
};

/* ---- kernels ------------------------------------------------------------- */

/** scratch = 2 y + x. */
__global__ void first_kernel(sizes s, int fault)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= s.rows * s.cols)
        return;
    float y = s.y[i / s.cols * s.ld + i % s.cols];
    float zero = fault == SCRATCH_READ_FIRST ? s.scratch[i] : 0.0f;
    s.scratch[i] = 2.0f * y + s.x[i] + zero;
    if (fault == BEHIND_SCRATCH && i == 0)
        s.scratch[s.rows * s.cols] = 0.0f;
    if (fault == INPUT_WRITTEN && i == 0)
        ((float *)s.x)[i] = 3.0f;
}

/** y = scratch, and is it positive? */
__global__ void second_kernel(sizes s, int fault)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    int64_t n = s.rows * s.cols;
    if (i >= n || (fault == FLAG_UNWRITTEN && i == 3))
        return;
    s.y[i / s.cols * s.ld + i % s.cols] = s.scratch[i];
    s.positive[i] = s.scratch[i] > 0.0f;
    if (fault == PADDING_WRITTEN && i == 0)
        s.y[s.cols] = 0.0f;
    if (fault == BEHIND_FLAGS && i == 0)
        s.positive[n] = 1;
}

/** Both at once. */
__global__ void fused_kernel(sizes s)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= s.rows * s.cols)
        return;
    float *y = &s.y[i / s.cols * s.ld + i % s.cols];
    *y = 2.0f * *y + s.x[i];
    s.positive[i] = *y > 0.0f;
}

/* ---- variants and libraries ---------------------------------------------- */

static char order[4096];

static void note(char what)
{
    size_t length = strlen(order);
    if (length < sizeof(order) - 1)
        order[length] = what;
}

static void fuse(const sizes *s)
{
    dim3 grid(device_blocks(s->rows * s->cols, BLOCK));
    fused_kernel<<<grid, BLOCK>>>(*s);
    CHECK_LAUNCH(fused_kernel, grid, BLOCK, 0);
}

static void two_launches(const void *problem)
{
    const sizes *s = (const sizes *)problem;
    static int runs;
    bool is_small = s->rows == 5;
    int now = fault;
    note('t');
    runs += !is_small;
    if (now == LAST_RUN_EMPTY && runs > 2)
        return;
    if (now == SMALL_ONLY)
        now = is_small ? FLAG_UNWRITTEN : NO_FAULT;
    else if (is_small)
        now = NO_FAULT;
    dim3 grid(device_blocks(s->rows * s->cols, BLOCK));
    first_kernel<<<grid, BLOCK>>>(*s, now);
    CHECK_LAUNCH(first_kernel, grid, BLOCK, 0);
    second_kernel<<<grid, BLOCK>>>(*s, now);
    CHECK_LAUNCH(second_kernel, grid, BLOCK, 0);
}

static void fused(const void *problem)
{
    note('f');
    fuse((const sizes *)problem);
}

static const variant variants[] = {
    {"two_launches", "by way of scratch memory", two_launches},
    {"fused", "both at once", fused},
};

static const char *open_b()
{
    return getenv("LIBRARY") ? "it is not installed" : NULL;
}

static void close_library()
{
    note('.');
}

/** The first element of y it computes in another way. */
static void library_a(const void *problem)
{
    const sizes *s = (const sizes *)problem;
    note('a');
    fuse(s);
    if (s->rows * s->cols > 0)
        CUDA_CHECK(
            cudaMemsetAsync(s->y, 0, sizeof(float), cudaStreamPerThread));
}

static void undefined(const void *, const array *a, const band *b,
                      double *bound)
{
    if (strcmp(a->name, "y") == 0 && b->row == 0 && b->col == 0)
        bound[0] = DBL_MAX;
}

/** A library that is wrong. */
static void library_b(const void *)
{
    note('b');
}

static const char *open_m()
{
    return getenv("FLOOR") ? NULL : "it is not asked for";
}

/** A floor: it has no result. */
static void library_m(const void *)
{
    note('m');
}

static const variant libraries[] = {
    {"library_b", "", library_b, open_b, close_library},
    {.name = "library_a",
     .idea = "",
     .enqueue = library_a,
     .close = close_library,
     .undefined = undefined},
    {"moves", "", library_m, open_m, close_library, true},
};

/* ---- the rest ------------------------------------------------------------ */

static void small(void *problem)
{
    sizes *s = (sizes *)problem;
    s->rows = 5;
    s->cols = small_cols;
}

static void shape(void *problem, array *arrays)
{
    sizes *s = (sizes *)problem;
    s->ld = (s->cols + 3) / 4 * 4 + 4;
    array_1d(&arrays[X], s->rows * s->cols);
    array_2d(&arrays[Y], s->rows, s->cols, s->ld);
    array_1d(&arrays[SCRATCH], s->rows * s->cols);
    array_1d(&arrays[POSITIVE], s->rows * s->cols);
}

/** Case 0 is exact, case 1 rounds once. */
static const char *fill(void *, array *arrays, int number, uint64_t seed)
{
    if (number == 0) {
        fill_integers(&arrays[X], -8, 8, seed);
        fill_integers(&arrays[Y], -8, 8, seed + 1);
    } else {
        fill_random(&arrays[X], seed);
        fill_random(&arrays[Y], seed + 1);
    }
    return number == 0 ? "integers" : "random data";
}

static void want(const void *problem, const array *a, const band *b,
                 double *want, double *bound)
{
    const sizes *s = (const sizes *)problem;
    bool flags = strcmp(a->name, "positive") == 0;
    for (int64_t i = 0; i < b->rows * b->cols; i++) {
        int64_t row = b->row + i / b->cols;
        int64_t col = b->col + i % b->cols;
        if (flags) { // one dimension
            row = col / s->cols;
            col = col % s->cols;
        }
        double y = 2.0 * s->y[row * s->ld + col] + s->x[row * s->cols + col];
        want[i] = flags ? y > 0 : y;
        bound[i] = flags ? 0 : fabs(y) * 0x1p-24;
    }
}

static double flop(const void *problem)
{
    const sizes *s = (const sizes *)problem;
    return 2.0 * (double)(s->rows * s->cols);
}

int main(int argc, char **argv)
{
    experiment e = {
        .chapter = "variants",
        .about = "y = 2 y + x, and which of it is positive.",
        .options = options,
        .option_count = COUNT(options),
        .size_count = 2,
        .problem = &problem,
        .problem_bytes = sizeof(problem),
        .arrays = arrays,
        .array_count = COUNT(arrays),
        .variants = variants,
        .variant_count = COUNT(variants),
        .libraries = libraries,
        .library_count = COUNT(libraries),
        .cases = 2,
        .exact = 1,
        .small = small,
        .shape = shape,
        .fill = fill,
        .want = want,
        .flop = flop,
    };
    variants_open(&e, argc, argv);
    variants_verify(&e);
    memset(order, 0, sizeof(order));
    variants_time(&e);
    int status = variants_close(&e);
    printf("order %s\n", order);
    return status;
}
