/**
 * @file problem.cuh
 * @brief Transposition: the problem, its inputs, what is right.
 */

#include <math.h>
#include <string.h>

#include "variants.h"

/* ---- problem ------------------------------------------------------------- */

/** out = in transposed, row-major, float32. */
typedef struct {
    int64_t rows, cols; /**< of in, each >= 1; out has cols x rows */
    int pad;            /**< elements after each row, at least */
    const float *in;    /**< [rows x cols], device */
    int64_t ld_in;      /**< from row to row (elements), a multiple of 4 */
    float *out;         /**< [cols x rows], device */
    int64_t ld_out;     /**< from row to row (elements), a multiple of 4 */
} transposition;

static transposition problem;

#include "library.cuh"

#include "../kernels/device.cuh" // what the kernels share

static const option_spec options[] = {
    {"rows", OPTION_INT64(&problem.rows), 1, 1e9, "rows of the input"},
    {"cols", OPTION_INT64(&problem.cols), 1, 1e9, "columns of the input"},
    {"pad", OPTION_INT(&problem.pad), 0, 1 << 29, "elements after each row"},
};
enum { IN, OUT };
static array arrays[] = {
    ARRAY(transposition, in, IN, FLOAT32),
    ARRAY(transposition, out, OUT, FLOAT32),
};

/** Two tiles of 64 and 19 rows; one and 37 columns. */
static void small(void *problem)
{
    transposition *t = (transposition *)problem;
    t->rows = 147;
    t->cols = 101;
    t->pad = 0;
}

/** Rows begin at multiples of 16 bytes. */
static void shape(void *problem, array *arrays)
{
    transposition *t = (transposition *)problem;
    t->ld_in = (t->cols + t->pad + 3) / 4 * 4;
    t->ld_out = (t->rows + t->pad + 3) / 4 * 4;
    array_2d(&arrays[IN], t->rows, t->cols, t->ld_in);
    array_2d(&arrays[OUT], t->cols, t->rows, t->ld_out);
}

static const char *fill(void *, array *arrays, int, uint64_t seed)
{
    fill_random(&arrays[IN], seed);
    return "random data";
}

/**
 * Nothing; or any bits, among them -0, Inf and NaN of either sign, one of each
 * in any column of a float4, and denormal numbers. As numbers two NaN are
 * alike, and 0 and -0: so that no bit may change, they are compared as
 * integers.
 */
static const char *plant(void *problem, array *arrays, int round)
{
    static const uint32_t bits[] = {0x80000000, 0x7f800000, 0xff800000,
                                    0x7fc01234, 0xff801234, 1,
                                    0x807fffff};
    const transposition *t = (const transposition *)problem;
    if (round == 1)
        return "";
    arrays[IN].type = arrays[OUT].type = ELEMENT_UINT32;
    fill_random(&arrays[IN], 1);
    for (int64_t i = 0; i < t->rows * t->cols; i += 5) {
        uint32_t *row = (uint32_t *)arrays[IN].host + i / t->cols * t->ld_in;
        row[i % t->cols] = bits[i % COUNT(bits)];
    }
    return ", then any bits";
}

/** Each input element is read once, its neighbours with it. */
static void want(const void *problem, const array *a, const band *b,
                 double *want, double *)
{
    const transposition *t = (const transposition *)problem;
    for (int64_t col = 0; col < b->cols; col++) { // a row of the input
        const float *in = t->in + (b->col + col) * t->ld_in + b->row;
        for (int64_t row = 0; row < b->rows; row++)
            want[row * b->cols + col] = element_read(a->type, in, row);
    }
}

/* ---- experiment ---------------------------------------------------------- */

/** What variants.h must know, with these variants. */
static experiment describe(const variant *variants, int count)
{
    problem.rows = problem.cols = device_simulated() ? 512 : 8192;
    experiment e = {
        .chapter = "bank_conflict_padding",
        .about = "out = in transposed, float32: verified, then timed.",
        .options = options,
        .option_count = COUNT(options),
        .size_count = 2,
        .size_hint = "default size 512 in the simulator; "
                     "--rows and --cols change it",
        .problem = &problem,
        .problem_bytes = sizeof(problem),
        .arrays = arrays,
        .array_count = COUNT(arrays),
        .variants = variants,
        .variant_count = count,
        .cases = 1,
        .exact = 1,
        .small = small,
        .shape = shape,
        .fill = fill,
        .plant = plant,
        .plantings = 2,
        .want = want,
    };
#if !SIMULATED
    e.libraries = libraries;
    e.library_count = COUNT(libraries);
#endif
    return e;
}
