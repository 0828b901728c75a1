/**
 * @file problem.cuh
 * @brief Softmax: the problem, its inputs, what is right.
 */

#include <float.h>
#include <math.h>

#include "variants.h"

/* ---- problem ------------------------------------------------------------ */

/** What a variant gets. */
typedef struct {
    int64_t rows;   /**< of x and y, at least 1 */
    int cols;       /**< of x and y, at least 1 */
    int pad;        /**< elements after each row */
    int64_t pitch;  /**< from row to row of x and y (elements): cols + pad */
    const float *x; /**< [rows x pitch], device, 16-byte aligned */
    float *y;       /**< [rows x pitch], device, 16-byte aligned */
} softmax;

static softmax problem;

#include "library.cuh"

#include "reference.cuh"

#include "../kernels/device.cuh" // what the kernels share

#define MOST_COLS (1 << 24) /**< that many ones still add up exactly */

static const option_spec options[] = {
    {"rows", OPTION_INT64(&problem.rows), 1, 1e9, "rows"},
    {"cols", OPTION_INT(&problem.cols), 1, MOST_COLS, "columns"},
    {"pad", OPTION_INT(&problem.pad), 0, 1 << 29, "elements after each row"},
};
enum { X, Y };
static array arrays[] = {
    ARRAY(softmax, x, IN, FLOAT32),
    ARRAY(softmax, y, OUT, FLOAT32),
};

/** As wide as every variant can do that can do what was asked for. Of four rows
 *  one begins at a multiple of 16 bytes. */
static void small(void *problem)
{
    softmax *s = (softmax *)problem;
    s->rows = s->cols <= 64 ? 67 : 11;
    s->cols = s->cols <= 64 ? 37 : s->cols <= 1024 ? 261 : 1531;
    s->pad = s->pad > 0 ? 2 : 0;
}

static void shape(void *problem, array *arrays)
{
    softmax *s = (softmax *)problem;
    s->pitch = (int64_t)s->cols + s->pad;
    array_2d(&arrays[X], s->rows, s->cols, s->pitch);
    array_2d(&arrays[Y], s->rows, s->cols, s->pitch);
}

/* ---- inputs -------------------------------------------------------------- */

/** Of exact data half are the largest of their row, and others so much smaller
 *  that their exponential is 0; the first number says which. */
static float exact_element(float random, int64_t row, int col, int cols)
{
    float level = (float)((row * 37 + 19) % 201 - 100) * 8;
    bool largest = random >= 0 || col == row % cols;
    return largest ? level : level - 200 + 300 * random;
}

/**
 * Case 0 is exact: exp() is 1 or 0, so a result is 0 or 1 / k, where k elements
 * are the largest. Case 1: random data, whose second half is spread more.
 */
static const char *fill(void *problem, array *arrays, int number, uint64_t seed)
{
    const softmax *s = (const softmax *)problem;
    fill_random(&arrays[X], seed);
    for (int64_t r = 0; r < s->rows; r++) {
        float *x = (float *)arrays[X].host + r * s->pitch;
        for (int c = 0; c < s->cols; c++)
            x[c] = number == 0 ? exact_element(x[c], r, c, s->cols)
                               : x[c] * (c < s->cols / 2 ? 1 : 8);
    }
    return number == 0 ? "exact data" : "random data";
}

/**
 * In rows 1 to 7 of exact data: a NaN, a +Inf; nothing but -Inf, -Inf but for
 * one element; nothing but -FLT_MAX, as masks have it; FLT_MAX among -FLT_MAX;
 * denormal numbers, which are all as large as 0 is for exp().
 */
static const char *plant(void *problem, array *arrays, int)
{
    const softmax *s = (const softmax *)problem;
    for (int64_t r = 1; r < s->rows && r < 8; r++) {
        float *x = (float *)arrays[X].host + r * s->pitch;
        float each[] = {0,         0,        0,        -INFINITY,
                        -INFINITY, -FLT_MAX, -FLT_MAX, 0x1p-140f};
        float one[] = {0,        NAN,      INFINITY, -INFINITY,
                       -1000.0f, -FLT_MAX, FLT_MAX,  0x1p-149f};
        for (int c = 0; c < s->cols && r > 2; c++)
            x[c] = each[r];
        x[s->cols * 2 / 3] = one[r];
    }
    return ", NaN, Inf and FLT_MAX";
}

/* ---- experiment ---------------------------------------------------------- */

/** What variants.h must know, with these variants. */
static experiment describe(const variant *variants, int count)
{
    problem.rows = device_simulated() ? 64 : 8192;
    problem.cols = device_simulated() ? 1024 : 8192;
    experiment e = {
        .chapter = "softmax",
        .about = "Softmax of the rows of a matrix, float32: verified, then "
                 "timed.",
        .options = options,
        .option_count = COUNT(options),
        .size_count = 2,
        .size_hint = "default size 64 x 1024 in the simulator; --rows and "
                     "--cols change it",
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
        .plantings = 1,
        .want = want,
    };
#if !SIMULATED
    e.libraries = libraries;
    e.library_count = COUNT(libraries);
#endif
    return e;
}
