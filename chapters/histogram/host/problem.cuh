/**
 * @file problem.cuh
 * @brief Histogram: the problem, its inputs, what is right.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "variants.h"

/* ---- problem ------------------------------------------------------------ */

#define LETTER_BINS 7   /**< of four letters each, the last one of two */
#define BYTE_BINS 256   /**< one for each value of a byte */
#define MOST 4294967295 /**< bytes: 2^32 - 1, the largest count */

typedef enum { TEXT, UNIFORM, CONSTANT, SKEWED, RUNS, FROM_FILE } input_kind;
typedef enum { LETTERS, BYTES } bin_kind;

/** What a variant gets. */
typedef struct {
    int64_t n;                /**< bytes, 0 <= n <= MOST */
    int input;                /**< an input_kind */
    int bins;                 /**< a bin_kind */
    const uint8_t *x;         /**< [n], device, 16-byte aligned */
    unsigned *copies;         /**< device: for private_global */
    unsigned *counts;         /**< [bin_count()], device: the result */
    unsigned want[BYTE_BINS]; /**< what the host has counted */
} histogram;

static histogram problem;

static int bin_count(const histogram *h)
{
    return h->bins == LETTERS ? LETTER_BINS : BYTE_BINS;
}

#include "library.cuh" // before short names for macros are taken

#include "../kernels/device.cuh" // what the kernels share

static const char *file; /**< --file, or NULL */
static const option_spec options[] = {
    {"n", OPTION_INT64(&problem.n), 0, MOST,
     "bytes (default the file, or 2^20 of text, on a GPU 2^28 of uniform)"},
    {"input", OPTION_CHOICE(&problem.input), 0, 0,
     "text|uniform|constant|skewed|runs|file"},
    {"bins", OPTION_CHOICE(&problem.bins), 0, 0, "letters|bytes"},
    {"file", OPTION_TEXT(&file), 0, 0, "what --input file counts"},
};
enum { X, COPIES, COUNTS };
static array arrays[] = {
    ARRAY(histogram, x, IN, UINT8),
    ARRAY(histogram, copies, SCRATCH, UINT32),
    ARRAY(histogram, counts, OUT, UINT32),
};

/** Uniform bytes: 20 blocks, the last one not whole; 11 after a piece. */
static void small(void *problem)
{
    histogram *h = (histogram *)problem;
    h->n = 20011;
    h->input = UNIFORM;
}

#include "inputs.cuh" // inputs, and what is right

/* ---- experiment ---------------------------------------------------------- */

/** What variants.h must know, with these variants. */
static experiment describe(const variant *variants, int count)
{
    problem.n = problem.input = -1; // not said
    problem.bins = BYTES;
    experiment e = {
        .chapter = "histogram",
        .about = "How often each value occurs in n bytes: verified, then "
                 "timed.",
        .options = options,
        .option_count = COUNT(options),
        .size_count = 3,
        .size_hint = "default size 1048576 in the simulator; --n changes it",
        .problem = &problem,
        .problem_bytes = sizeof(problem),
        .hidden = offsetof(histogram, want),
        .arrays = arrays,
        .array_count = COUNT(arrays),
        .variants = variants,
        .variant_count = count,
        .cases = 1,
        .exact = 1,
        .small = small,
        .shape = shape,
        .fill = fill,
        .expect = set_reference,
        .want = want,
    };
#if !SIMULATED
    e.libraries = libraries;
    e.library_count = COUNT(libraries);
#endif
    return e;
}
