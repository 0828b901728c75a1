/**
 * @file scan.cu
 * @brief Scan in eight ways: y[i] is the sum, or maximum, of x[0] to x[i].
 *
 * That is the inclusive scan; the exclusive one leaves x[i] out, and begins
 * with the identity: 0 for sums, -Inf for maxima.
 *
 * Each variant is a file, numbered in the order of reading. This one holds what
 * they share: the problem, its inputs, what is right, main.
 *
 * Run:     make chapter=scan run
 *          make chapter=scan run variant=ring args="--kind exclusive --op max"
 * Measure: make chapter=scan compare
 */

#include <math.h>
#include <stdlib.h>

#include "data.h"
#include "memory.h"
#include "parallel.h"
#include "variants.h"
#include "verify.h"

/* ---- problem ------------------------------------------------------------ */

typedef enum { INCLUSIVE, EXCLUSIVE } scan_kind;
typedef enum { SUM, MAX } operation;

/** What a variant gets. */
typedef struct {
    int64_t n;                 /**< elements, n >= 0 */
    int kind;                  /**< a scan_kind */
    int op;                    /**< an operation */
    const float *x;            /**< [n], device, 16-byte aligned */
    float *y;                  /**< [n], device, 16-byte aligned */
    float *sums;               /**< [tiles], device: for hierarchical */
    unsigned long long *words; /**< [1 + tiles], device: what blocks tell each
                                    other in chained and look_back */
} scan;

static scan problem;

#include "baseline.cuh" // before short names for macros are taken

#define BLOCK 1024    /**< threads of a block, variants 1 to 4 */
#define MIN_TILE 1024 /**< elements of a tile, variants 5 to 8, at least */

static const option_spec options[] = {
    {"n", OPTION_INT64, &problem.n, 0, 1e12, "elements"},
    {"kind", OPTION_CHOICE, &problem.kind, 0, 0, "inclusive|exclusive"},
    {"op", OPTION_CHOICE, &problem.op, 0, 0, "sum|max"},
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

/* ---- the operation ------------------------------------------------------- */

/** What changes nothing: what stands before the first element. */
template <operation OP>
__device__ float identity()
{
    return OP == SUM ? 0.0f : -INFINITY;
}

/** @p a and, behind it, @p b. */
template <operation OP>
__device__ float combine(float a, float b)
{
    return OP == SUM ? a + b : fmaxf(a, b);
}

/** x[i], or the identity behind the end. */
template <operation OP>
__device__ float element(int64_t n, const float *x, int64_t i)
{
    return i < n ? x[i] : identity<OP>();
}

/* ---- variants ------------------------------------------------------------ */

#include "1_kogge_stone.cuh"
#include "2_kogge_stone_double_buffer.cuh"
#include "3_brent_kung.cuh"
#include "4_three_phase.cuh"
#include "5_hierarchical.cuh"
#include "6_chained.cuh"
#include "7_look_back.cuh"
#include "8_ring.cuh"

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

ENQUEUE(kogge_stone)
ENQUEUE(kogge_stone_double_buffer)
ENQUEUE(brent_kung)
ENQUEUE(three_phase)
ENQUEUE(hierarchical)
ENQUEUE(chained)
ENQUEUE(look_back)
ENQUEUE(ring)

static const variant variants[] = {
    {"kogge_stone", "each thread adds what stands 1, 2, 4, ... before it",
     kogge_stone},
    {"kogge_stone_double_buffer", "the same from one array into another",
     kogge_stone_double_buffer},
    {"brent_kung", "up a tree of sums and down again", brent_kung},
    {"three_phase",
     "a thread scans its own elements, then the sums are scanned", three_phase},
    {"hierarchical", "all SMs: sums of tiles, a scan of those, then the tiles",
     hierarchical},
    {"chained", "one launch: each block waits for the sum of the one before",
     chained},
    {"look_back", "who waits adds up what the blocks before have so far",
     look_back},
    {"ring", "one block an SM, bulk copies under way all the time", ring,
     ring_open},
};

/** Columns of the table in the simulator. */
static const char *const columns[] = {
    "fadd", "global_load_sectors", "shared_load_wavefronts", "barriers", NULL};

/* ---- main ---------------------------------------------------------------- */

int main(int argc, char **argv)
{
    problem.n = device_simulated() ? 1 << 16 : 1 << 28;
    experiment e = {
        .chapter = "scan",
        .about = "The sum, or maximum, of all elements up to each of n: "
                 "verified, then timed.",
        .options = options,
        .option_count = COUNT(options),
        .size_hint = "default size 65536 in the simulator; --n changes it",
        .problem = &problem,
        .problem_bytes = sizeof(problem),
        .arrays = arrays,
        .array_count = COUNT(arrays),
        .variants = variants,
        .variant_count = COUNT(variants),
        .columns = columns,
        .cases = 2,
        .exact = 1,
        .small = small,
        .shape = shape,
        .fill = fill,
        .want = want,
    };
#if !SIMULATED
    e.libraries = libraries;
    e.library_count = COUNT(libraries);
#endif
    variants_open(&e, argc, argv);
    e.exact = problem.op == SUM ? 1 : 2;
    variants_verify(&e);
    variants_time(&e);
    free(before);
    return variants_close(&e);
}
