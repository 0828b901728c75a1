/**
 * @file problem.cuh
 * @brief Reduction: the problem, its inputs, what is right.
 */

#include <math.h>

#include "variants.h"

/* ---- problem ------------------------------------------------------------ */

typedef enum { SUM, MIN, MAX } operation;

/** What a variant gets. */
typedef struct {
    int64_t n;      /**< elements, n >= 0 */
    int op;         /**< an operation */
    const float *x; /**< [n], device, 16-byte aligned */
    float *work;    /**< [SECTION], device: for divergent and convergent */
    float *result;  /**< [1], device */
    double want;    /**< the host's: what it should be ... */
    double bound;   /**< ... and by how much it may be off */
} reduction;

static reduction problem;

#include "library.cuh" // before short names for macros are taken

#include "../kernels/device.cuh" // what the kernels share

static const option_spec options[] = {
    {"n", OPTION_INT64(&problem.n), 0, 1e12, "elements"},
    {"op", OPTION_CHOICE(&problem.op), 0, 0, "sum|min|max"},
};
enum { X, WORK, RESULT };
static array arrays[] = {
    ARRAY(reduction, x, IN, FLOAT32),
    ARRAY(reduction, work, SCRATCH, FLOAT32),
    ARRAY(reduction, result, OUT, FLOAT32),
};

/** 19 sections and 555 elements; 5002 fours and 3 elements. */
static void small(void *problem)
{
    ((reduction *)problem)->n = 20011;
}

static void shape(void *problem, array *arrays)
{
    array_1d(&arrays[X], ((const reduction *)problem)->n);
    array_1d(&arrays[WORK], SECTION);
    array_1d(&arrays[RESULT], 1);
}

/* ---- inputs and reference ------------------------------------------------ */

/** All of one sign: for MIN and MAX so that a 0 from somewhere would win. */
static void set_sign(const reduction *r, float *x)
{
    for (int64_t i = 0; i < r->n; i++)
        x[i] = r->op == MAX ? -fabsf(x[i]) : fabsf(x[i]);
}

/** The first half is NaN; the last element is the only right result. */
static void hide_extreme(const reduction *r, float *x)
{
    for (int64_t i = 0; i < r->n / 2; i++)
        x[i] = NAN;
    if (r->n > 0)
        x[r->n - 1] = r->op == MAX ? -0.25f : 0.25f;
}

/**
 * Set what is right, in float64, and the bound for a sum of random data.
 *
 * A sum is off by at most gamma_h times the sum of the magnitudes, if no
 * element goes through more than h additions (Higham 2002, section 4.2). The
 * longest way is that of the first section in variants 1 to 4: 10 levels of the
 * tree and n / SECTION sums after it. In variants 5 to 9 a thread adds its
 * share, then come the tree and the other blocks: fewer, but for a constant
 * that 64 covers. The elements are positive, so the bound is a
 * share of the sum itself.
 */
static void set_reference(void *problem, const array *arrays)
{
    reduction *r = (reduction *)problem;
    const float *x = (const float *)arrays[X].host;
    double sum = 0, least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < r->n; i++) {
        sum += x[i];
        least = x[i] < least ? x[i] : least; // not if it is NaN
        most = x[i] > most ? x[i] : most;
    }
    r->want = r->op == SUM ? sum : r->op == MIN ? least : most;
    r->bound = verify_gamma((double)(r->n / SECTION) + 64) * fabs(sum);
}

/** Case 0 is exact for all operations, case 1 for min and max. */
static const char *fill(void *problem, array *arrays, int number, uint64_t seed)
{
    reduction *r = (reduction *)problem;
    float *x = (float *)arrays[X].host;
    arrays[RESULT].type = ELEMENT_FLOAT32;
    if (number == 1)
        fill_random(&arrays[X], seed);
    else if (r->op == SUM)
        fill_sum(&arrays[X], seed);
    else
        fill_grid(&arrays[X], seed);
    if ((r->op == SUM) == (number == 1))
        set_sign(r, x);
    if (r->op != SUM && number == 0)
        hide_extreme(r, x);
    return number == 1 ? "random data" : "exact data";
}

/** -1 at the beginning, then nothing but -0. */
static void hide_below_zero(const reduction *r, array *arrays)
{
    float *x = (float *)arrays[X].host;
    for (int64_t i = 0; i < r->n; i++)
        x[i] = i == 0 ? -1.0f : -0.0f;
    if (r->op != SUM) // a sum may begin with 0
        arrays[RESULT].type = ELEMENT_UINT32;
}

/**
 * The small problem as it is; then two sections and 3 elements, with an Inf,
 * with a NaN, denormal, but for sums: atomicAdd takes denormal numbers for 0. A
 * minimum of nothing but Inf is Inf, that of nothing but NaN the identity.
 *
 * Last the small problem again: -1, and sections of nothing but -0, which are
 * larger. As numbers 0 and -0 are alike, so results are compared as integers.
 */
static const char *plant(void *problem, array *arrays, int round)
{
    static const char *const names[] = {"", ", Inf", ", NaN", ", denormal",
                                        ", -0"};
    reduction *r = (reduction *)problem;
    float *x = (float *)arrays[X].host;
    float other = round == 3 ? NAN : r->op == MAX ? -INFINITY : INFINITY;
    if (round == 5)
        hide_below_zero(r, arrays);
    if (round == 1 || round == 5)
        return names[round - 1];
    r->n = 2 * SECTION + 3;
    for (int64_t i = 0; i < r->n; i++) {
        if (round == 4)
            x[i] *= r->op == SUM ? 1.0f : 0x1p-126f;
        else if (r->op != SUM || i == r->n / 3)
            x[i] = other;
    }
    return names[round - 1];
}

static void want(const void *problem, const array *a, const band *,
                 double *want, double *bound)
{
    float exact = (float)((const reduction *)problem)->want;
    *want = a->type == ELEMENT_FLOAT32 ? ((const reduction *)problem)->want
                                       : element_read(a->type, &exact, 0);
    *bound = ((const reduction *)problem)->bound;
}

/* ---- experiment ---------------------------------------------------------- */

/** What variants.h must know, with these variants. */
static experiment describe(const variant *variants, int count)
{
    problem.n = device_simulated() ? 1 << 18 : 1 << 28;
    experiment e = {
        .chapter = "reduction",
        .about = "The sum, minimum or maximum of n float32 numbers: verified, "
                 "then timed.",
        .options = options,
        .option_count = COUNT(options),
        .size_hint = "default size 262144 in the simulator; --n changes it",
        .problem = &problem,
        .problem_bytes = sizeof(problem),
        .hidden = offsetof(reduction, want),
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
        .plantings = 5,
        .expect = set_reference,
        .want = want,
    };
#if !SIMULATED
    e.libraries = libraries;
    e.library_count = COUNT(libraries);
#endif
    return e;
}
