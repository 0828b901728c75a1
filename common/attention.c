/** @file attention.c @see attention.h */
#include "attention.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "internal.h"

#define MOST 1048576 /**< rows and keys; the bound grows with the keys */

enum { Q, K, V, O, SCORES, ARRAYS };
enum { BHSD, BSHD }; /**< --layout: what is outside comes first */

/** The kinds of random data; the last one is timed. */
enum { EXACT, PEAKED, RISING, FALLING, NORMAL, CASES };

/** The chapter: a program is one. */
static struct {
    attention_problem p;
    launch_attention_fn launch; /**< the chapter's */
    bool exact;                 /**< what the arrays hold now */
} attention;

static const option_spec options[] = {
    {"b", OPTION_INT(&attention.p.B), 1, MAX_GRID_Y, "batches"},
    {"h", OPTION_INT(&attention.p.H), 1, MAX_GRID_Y, "heads of a batch"},
    {"s", OPTION_INT(&attention.p.S), 1, MOST, "rows of Q and O of a head"},
    {"keys", OPTION_INT(&attention.p.keys), 0, MOST,
     "rows of K and V; 0: as many as --s"},
    {"d", OPTION_INT(&attention.p.D), 64, 128, "columns: 64 or 128"},
    {"causal", OPTION_INT(&attention.p.causal), 0, 1,
     "1: no row sees keys behind its place from the end"},
    {"layout", OPTION_CHOICE(&attention.p.layout), 0, 0, "bhsd|bshd"},
    {"pad", OPTION_INT(&attention.p.pad), 0, 1 << 28,
     "elements after a row of Q; 2, 3, 4 times of K, V, O"},
};

static int array_count = ARRAYS;
static array arrays[] = {
    [Q] = ARRAY(attention_problem, Q, IN, BFLOAT16),
    [K] = ARRAY(attention_problem, K, IN, BFLOAT16),
    [V] = ARRAY(attention_problem, V, IN, BFLOAT16),
    [O] = ARRAY(attention_problem, O, OUT, BFLOAT16),
    [SCORES] = ARRAY(attention_problem, scores, SCRATCH, FLOAT32),
};

/* ---- shape --------------------------------------------------------------- */

/** Give Q, K, V or O its shape, with so many rows a head, and its strides. */
static strides lay_out(const attention_problem *p, array *a, int rows, int pads)
{
    bool inside = p->layout == BSHD; // heads lie inside a row
    int64_t cols = inside ? (int64_t)p->H * p->D : p->D;
    int64_t pitch = cols + (int64_t)pads * p->pad;
    REQUIRE(pitch <= INT_MAX, "--pad %d: a row of more than %d elements",
            p->pad, INT_MAX);
    array_2d(a, (int64_t)p->B * rows * (inside ? 1 : p->H), cols, pitch);
    return (strides){.batch = rows * pitch * (inside ? 1 : p->H),
                     .head = inside ? p->D : rows * pitch,
                     .row = (int)pitch};
}

static void shape(void *problem, array *arrays)
{
    attention_problem *p = problem;
    p->keys = p->keys ? p->keys : p->S;
    REQUIRE(p->D % 64 == 0, "--d %d: allowed are 64 and 128", p->D);
    REQUIRE(p->pad % 8 == 0,
            "--pad %d: allowed are multiples of 8, so that rows stay aligned "
            "to 16 bytes",
            p->pad);
    p->q = lay_out(p, &arrays[Q], p->S, 1);
    p->k = lay_out(p, &arrays[K], p->keys, 2);
    p->v = lay_out(p, &arrays[V], p->keys, 3);
    p->o = lay_out(p, &arrays[O], p->S, 4);
    p->pitch = (p->keys + 3) / 4 * 4;
    array_1d(&arrays[SCORES], (int64_t)p->B * p->H * p->S * p->pitch);
}

/** Edges in every tile, four pitches, the other layout; with --causal rows that
 *  see no key. */
static void small(void *problem)
{
    attention_problem *p = problem;
    p->B = 2;
    p->H = 3;
    p->S = 197;
    p->keys = 150;
    p->pad = 8;
    p->layout = 1 - p->layout;
}

/* ---- inputs -------------------------------------------------------------- */

/** What the values of an array are made of. */
typedef struct {
    const attention_problem *p;
    int number;    /**< of the case */
    int array;     /**< Q, K or V */
    uint64_t seed; /**< of what Q and K share */
} inputs;

/** Where an element is; batches and heads are counted as one. */
typedef struct {
    int64_t head;
    int row, col;
} place;

/** The same of an array with so many rows a head. */
static place place_of(const attention_problem *p, int rows, int64_t row,
                      int64_t col)
{
    int64_t outer = row / rows; // of all heads, or of all batches
    return (place){
        .head = p->layout == BSHD ? outer * p->H + col / p->D : outer,
        .row = (int)(row % rows),
        .col = (int)(col % p->D),
    };
}

/**
 * K has a row of 1 and -1 for each group of up to four keys: for group g they
 * are g, g + groups, g + 2 groups and so on. Each row of Q is 16 times that of
 * a group that it sees, by turns of all. Scores of other keys are so much
 * smaller that all their weights together are nothing to bfloat16. So a row of
 * O is the mean of one to four rows of V. These are 12 times 1 to 20, of one
 * sign a column: the mean is a whole number below 256, which bfloat16 holds,
 * and not 0.
 */
static double exact_value(const inputs *in, place at, uint64_t bits)
{
    const attention_problem *p = in->p;
    int groups = ceil_div(p->keys, 4), many = groups;
    if (in->array == Q && seen_keys(p, at.row) < many)
        many = seen_keys(p, at.row);
    int group = in->array == V || many == 0 ? 0 : at.row % many;
    uint64_t row = (uint64_t)at.head * (uint64_t)groups + (uint64_t)group;
    uint64_t code = row * (uint64_t)p->D + (uint64_t)at.col;
    double sign = random_bits(in->seed, code) >> 63 ? 1.0 : -1.0;
    return in->array == K   ? sign
           : in->array == Q ? sign * 16
                            : sign * 12 * (double)(1 + bits % 20);
}

/** 24 random bits and a sign, of variance 1: so are scores, but where they are
 *  peaked, or grow or fall along the keys. */
static double value(const void *context, int64_t row, int64_t col,
                    uint64_t bits)
{
    const inputs *in = context;
    int rows = in->array == Q ? in->p->S : in->p->keys;
    place at = place_of(in->p, rows, row, col);
    if (in->number == EXACT)
        return exact_value(in, at, bits);
    double x = sqrt(3.0) * 0x1p-24 * ((int)(bits >> 39) - (1 << 24));
    if (in->array == Q && in->number == PEAKED)
        x *= 6.0;
    if (in->array == K && in->number == RISING)
        x *= 0.1 + 8.0 * at.row / rows;
    if (in->array == K && in->number == FALLING)
        x *= 8.1 - 8.0 * at.row / rows;
    return x;
}

static const char *fill(void *problem, array *arrays, int number, uint64_t seed)
{
    static const char *const names[] = {"whole numbers", "peaked data",
                                        "rising data", "falling data",
                                        "random data"};
    attention.exact = number == EXACT;
    for (int i = Q; i <= V; i++)
        fill_values(&arrays[i], value, &(inputs){problem, number, i, seed},
                    seed + 4 * (uint64_t)i);
    return names[number];
}

/** Make an element of a head of the small problem NaN. */
static void set_nan(const array *a, strides s, int batch, int head, int row,
                    int col)
{
    element_write(a->type, a->host,
                  batch * s.batch + head * s.head + (int64_t)row * s.row + col,
                  NAN);
}

/** NaN in a row of Q, in a key that with --causal some rows do not see, and in
 * V where all see it: a weight 0 does not keep it away. */
static const char *plant(void *problem, array *arrays, int round)
{
    (void)round;
    const attention_problem *p = problem;
    set_nan(&arrays[Q], p->q, 1, 2, 100, 3);
    set_nan(&arrays[K], p->k, 0, 1, 70, p->D - 1);
    if (!p->causal)
        set_nan(&arrays[V], p->v, 1, 0, 0, 5);
    return ", NaN";
}

/* ---- what is right ------------------------------------------------------- */

#if SIMULATED

static void want(const void *problem, const array *a, const band *b,
                 double *want, double *bound)
{
    (void)a; // there is only O
    const attention_problem *p = problem;
    for (int64_t i = 0; i < b->rows * b->cols;) {
        int64_t row = b->row + i / b->cols, col = b->col + i % b->cols;
        place at = place_of(p, p->S, row, col);
        int64_t rest = b->cols - i % b->cols; // of the row of the band
        int cols = p->D - at.col < rest ? p->D - at.col : (int)rest;
        reference_attention(p, at.head, at.row, at.col, cols, attention.exact,
                            want + i, bound + i);
        i += cols;
    }
}

#else

static void want_gpu(const void *problem, const array *a, const band *b,
                     double *want, double *bound)
{
    (void)a; // there is only O
    reference_attention_gpu(problem, b, attention.exact, want, bound);
}

static const char *open_library(void)
{
    return baseline_attention_open(&attention.p);
}

static void launch_library(const void *problem)
{
    baseline_attention_launch(problem);
}

static const variant libraries[] = {
    {.name = "cuBLAS, softmax",
     .idea = "two cublasGemmStridedBatchedEx, a kernel between them",
     .enqueue = launch_library,
     .open = open_library,
     .close = baseline_attention_close},
};

#endif

/** Two products of D multiply-adds for each pair of a row and a key it sees. */
static double flop(const void *problem)
{
    const attention_problem *p = problem;
    double pairs = 0;
    for (int row = 0; row < p->S; row++)
        pairs += seen_keys(p, row);
    return 4.0 * p->D * p->B * p->H * pairs;
}

static void launch(const void *problem)
{
    attention.launch(problem);
}

/* ---- main ---------------------------------------------------------------- */

static const variant variants[] = {
    {.name = "attention_kernel", .enqueue = launch}};

int attention_scores_main(int argc, char **argv, const char *chapter,
                          launch_attention_fn launch_kernel, int least,
                          int most)
{
    bool simulated = device_simulated();
    attention.p.B = simulated ? 1 : 4;
    attention.p.H = simulated ? 2 : 16;
    attention.p.S = simulated ? 256 : 4096;
    attention.p.D = simulated ? 64 : 128;
    attention.launch = launch_kernel;
    experiment e = {
        .chapter = chapter,
        .about = "O = softmax(Q K^T / sqrt(D)) V in bfloat16 for each head: "
                 "verified, then timed.",
        .options = options,
        .option_count = COUNT(options),
        .size_count = COUNT(options) - 1, // all but pad
        .size_hint = "default size 256 in the simulator; --s, --keys, --h and "
                     "--d change it",
        .least_capability = least,
        .most_capability = most,
        .problem = &attention.p,
        .problem_bytes = sizeof(attention.p),
        .arrays = arrays,
        .array_count = array_count,
        .variants = variants,
        .variant_count = COUNT(variants),
        .cases = CASES,
        .exact = 1,
        .small = small,
        .shape = shape,
        .fill = fill,
        .plant = plant,
        .plantings = 1,
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
    return variants_main(&e, argc, argv);
}

int attention_main(int argc, char **argv, const char *chapter,
                   launch_attention_fn launch_kernel, int least, int most)
{
    array_count = SCORES; // those before it
    return attention_scores_main(argc, argv, chapter, launch_kernel, least,
                                 most);
}
