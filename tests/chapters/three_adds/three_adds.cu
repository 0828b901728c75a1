/**
 * @file three_adds.cu
 * @brief Vector addition in three ways: z = x + y, n elements of float32.
 *
 * Each variant is a file: 1_plain.cuh, 2_grid_stride.cuh, 3_float4.cuh. This
 * one holds what they share: the problem, its inputs, what is right, main.
 *
 * Run:     make chapter=three_adds run
 * Measure: make chapter=three_adds profile
 *          global_load_requests falls to a quarter, the sectors stay.
 */

#include "variants.h"

/* ---- problem ------------------------------------------------------------ */

#define BLOCK 256 /**< threads of a block */

/** What a variant gets. */
typedef struct {
    int64_t n;      /**< elements of each vector, n >= 1 */
    const float *x; /**< device, 16-byte aligned */
    const float *y; /**< device, 16-byte aligned */
    float *z;       /**< device, 16-byte aligned */
} vectors;

static vectors problem;
static const option_spec options[] = {
    {"n", OPTION_INT64(&problem.n), 1, 1e12, "elements of each vector"},
};
enum { X, Y, Z };
static array arrays[] = {
    ARRAY(vectors, x, IN, FLOAT32),
    ARRAY(vectors, y, IN, FLOAT32),
    ARRAY(vectors, z, OUT, FLOAT32),
};

/** Three whole blocks and 235 elements: 7 warps, 11 lanes; 3 behind a four. */
static void small(void *problem)
{
    ((vectors *)problem)->n = 1003;
}

static void shape(void *problem, array *arrays)
{
    for (int i = X; i <= Z; i++)
        array_1d(&arrays[i], ((const vectors *)problem)->n);
}

static const char *fill(void *, array *arrays, int, uint64_t seed)
{
    fill_random(&arrays[X], seed);
    fill_random(&arrays[Y], seed + 1);
    return "random data";
}

/** One rounding of the exact sum: what every right kernel computes. */
static void want(const void *problem, const array *, const band *b,
                 double *want, double *)
{
    const vectors *v = (const vectors *)problem;
    for (int64_t i = 0; i < b->cols; i++) {
        double sum = (double)v->x[b->col + i] + v->y[b->col + i];
        want[i] = (float)sum;
    }
}

/* ---- variants ----------------------------------------------------------- */

#include "kernels/1_plain.cuh"
#include "kernels/2_grid_stride.cuh"
#include "kernels/3_float4.cuh"

static const variant variants[] = {
    {"plain", "one thread adds one element", plain},
    {"grid_stride", "a fixed grid walks through the vectors", grid_stride},
    {"float4", "one thread adds four neighbours; a launch for the rest",
     by_float4},
};

/** Columns of the table in the simulator. */
static const char *const columns[] = {"global_load_requests",
                                      "global_load_sectors",
                                      "global_store_sectors", "barriers", NULL};

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    problem.n = device_simulated() ? 1 << 20 : 1 << 28;
    experiment e = {
        .chapter = "three_adds",
        .about = "z = x + y in float32: verified, then timed.",
        .options = options,
        .option_count = COUNT(options),
        .size_hint = "default size 1048576 in the simulator; --n changes it",
        .problem = &problem,
        .problem_bytes = sizeof(problem),
        .arrays = arrays,
        .array_count = COUNT(arrays),
        .variants = variants,
        .variant_count = COUNT(variants),
        .columns = columns,
        .cases = 1,
        .exact = 1,
        .small = small,
        .shape = shape,
        .fill = fill,
        .want = want,
    };
    return variants_main(&e, argc, argv);
}
