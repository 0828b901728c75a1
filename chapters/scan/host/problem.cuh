/**
 * @file problem.cuh
 * @brief Scan: the problem, its inputs, what is right.
 */

#include <math.h>
#include <stdlib.h>

#include "variants.h"

/* ---- problem ------------------------------------------------------------ */

typedef enum { INCLUSIVE, EXCLUSIVE } scan_kind;
typedef enum { SUM, MAX } operation;

/** What a variant gets. */
typedef struct {
    int64_t n;                 /**< elements, n >= 0 */
    int kind;                  /**< a scan_kind */
    int op;                    /**< an operation */
    int blocks;                /**< of ring, at most; 0: one an SM */
    const float *x;            /**< [n], device, 16-byte aligned */
    float *y;                  /**< [n], device, 16-byte aligned */
    float *sums;               /**< [tiles], device: one for each block */
    unsigned long long *words; /**< [1 + tiles], device: what blocks tell each
                                    other in chained and look_back */
} scan;

static scan problem;

#include "library.cuh" // before short names for macros are taken

#include "../kernels/device.cuh" // what the kernels share

#define BLOCK 1024    /**< threads of a block, variants 1 to 6 */
#define MIN_TILE 1024 /**< elements of a block's tile, at least */

static const option_spec options[] = {
    {"n", OPTION_INT64(&problem.n), 0, 1e12, "elements"},
    {"kind", OPTION_CHOICE(&problem.kind), 0, 0, "inclusive|exclusive"},
    {"op", OPTION_CHOICE(&problem.op), 0, 0, "sum|max"},
    {"blocks", OPTION_INT(&problem.blocks), 1, 1e6,
     "of ring, at most; if not said, one an SM"},
};
enum { X, Y, SUMS, WORDS };
static array arrays[] = {
    ARRAY(scan, x, IN, FLOAT32),
    ARRAY(scan, y, OUT, FLOAT32),
    ARRAY(scan, sums, SCRATCH, FLOAT32),
    ARRAY(scan, words, SCRATCH, UINT32),
};

/** Some sections or tiles of every variant; 11 elements of 1024, 3 of 4. */
static void small(void *problem)
{
    ((scan *)problem)->n = 33803;
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static void shape(void *problem, array *arrays)
{
    int64_t n = ((const scan *)problem)->n;
    array_1d(&arrays[X], n);
    array_1d(&arrays[Y], n);
    array_1d(&arrays[SUMS], quotient_up(n, MIN_TILE));
    array_1d(&arrays[WORDS], 2 + 2 * quotient_up(n, MIN_TILE));
}

#include "reference.cuh" // inputs, and what is right

/* ---- experiment ---------------------------------------------------------- */

/** NAME(problem) calls launch_NAME for the operation and kind asked for. */
#define ENQUEUE(name)                                                          \
    static void name(const void *problem)                                      \
    {                                                                          \
        const scan *s = (const scan *)problem;                                 \
        if (s->n == 0)                                                         \
            return;                                                            \
        if (s->op == SUM && s->kind == INCLUSIVE)                              \
            launch_##name<SUM, INCLUSIVE>(s);                                  \
        else if (s->op == SUM)                                                 \
            launch_##name<SUM, EXCLUSIVE>(s);                                  \
        else if (s->kind == INCLUSIVE)                                         \
            launch_##name<MAX, INCLUSIVE>(s);                                  \
        else                                                                   \
            launch_##name<MAX, EXCLUSIVE>(s);                                  \
    }

/** What variants.h must know, with these variants. */
static experiment describe(const variant *variants, int count)
{
    problem.n = device_simulated() ? 1 << 16 : 1 << 28;
    experiment e = {
        .chapter = "scan",
        .about = "The sum, or maximum, of all elements up to each of n: "
                 "verified, then timed.",
        .options = options,
        .option_count = COUNT(options),
        .size_count = 3,
        .size_hint = "default size 65536 in the simulator; --n changes it",
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
        .expect = set_reference,
        .want = want,
    };
#if !SIMULATED
    e.libraries = libraries;
    e.library_count = COUNT(libraries);
#endif
    return e;
}
