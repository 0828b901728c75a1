/**
 * @file problem.cuh
 * @brief Histogram: the problem, its inputs, what is right.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "data.h"
#include "memory.h"
#include "variants.h"

/* ---- problem ------------------------------------------------------------ */

#define LETTER_BINS 7   /**< of four letters each, the last one of two */
#define BYTE_BINS 256   /**< one for each value of a byte */
#define MOST 4294967295 /**< bytes: 2^32 - 1, the largest count */

typedef enum { TEXT, UNIFORM, CONSTANT, SKEWED, FROM_FILE } input_kind;
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

#include "baseline.cuh" // before short names for macros are taken

#define BLOCK 1024 /**< threads of a block, variants 1 to 6 */
#define PER_SM 2   /**< such blocks fill an SM: variants 4 to 6 have as many */

static const char *file; /**< --file, or NULL */
static const option_spec options[] = {
    {"n", OPTION_INT64, &problem.n, 0, MOST,
     "bytes (default the file, or 2^20 of text, on a GPU 2^28 of uniform)"},
    {"input", OPTION_CHOICE, &problem.input, 0, 0,
     "text|uniform|constant|skewed|file"},
    {"bins", OPTION_CHOICE, &problem.bins, 0, 0, "letters|bytes"},
    {"file", OPTION_TEXT, &file, 0, 0, "what --input file counts"},
};
enum { X, COPIES, COUNTS };
static array arrays[] = {
    ARRAY(histogram, x, IN, UINT8),
    ARRAY(histogram, copies, SCRATCH, UINT32),
    ARRAY(histogram, counts, OUT, UINT32),
};

static int bin_count(const histogram *h)
{
    return h->bins == LETTERS ? LETTER_BINS : BYTE_BINS;
}

/** Uniform bytes: 20 blocks, the last one not whole; 11 behind a sixteen. */
static void small(void *problem)
{
    histogram *h = (histogram *)problem;
    h->n = 20011;
    h->input = UNIFORM;
}

#include "input.cuh" // inputs, and what is right

/* ---- what the variants share -------------------------------------------- */

/** The bin of a byte; BINS and more if it has none. */
template <int BINS>
__device__ unsigned bin_of(unsigned byte)
{
    if (BINS == BYTE_BINS)
        return byte;
    unsigned letter = byte - 'a'; // before 'a': a large number
    return letter < 26 ? letter / 4 : BINS;
}

/** Set the result to 0: what every run begins with. Launch: a thread a bin. */
__global__ void clear_kernel(unsigned *counts)
{
    counts[threadIdx.x] = 0;
}

static void clear_counts(const histogram *h)
{
    clear_kernel<<<1, bin_count(h)>>>(h->counts);
    CHECK_LAUNCH(clear_kernel, 1, bin_count(h), 0);
}

/** Blocks for n bytes, as many as fill the GPU with @p per_sm on each SM. */
static unsigned full_grid(int64_t n, int bytes_per_block, int per_sm)
{
    int device, sms;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    unsigned most = (unsigned)(sms * per_sm);
    unsigned blocks = device_blocks(n, bytes_per_block);
    return blocks < most ? blocks : most;
}

/** NAME(problem) clears the result, then launches for the bins asked for. */
#define ENQUEUE(name)                                                          \
    static void name(const void *problem)                                      \
    {                                                                          \
        const histogram *h = (const histogram *)problem;                       \
        clear_counts(h);                                                       \
        if (h->bins == LETTERS)                                                \
            launch_##name<LETTER_BINS>(h);                                     \
        else                                                                   \
            launch_##name<BYTE_BINS>(h);                                       \
    }

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
