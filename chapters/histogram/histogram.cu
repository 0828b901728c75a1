/**
 * @file histogram.cu
 * @brief A histogram in seven ways: how often each value occurs in n bytes.
 *
 * Each variant is a file, numbered in the order of reading. This one holds what
 * they share: the problem, its inputs, what is right, main.
 *
 * Run:     make chapter=histogram run
 *          make chapter=histogram run args="--file README.md --bins letters"
 * Measure: make chapter=histogram compare args="--input uniform"
 *
 * Two kinds of bins. letters: seven bins of four letters, a-d, e-h, ... y-z;
 * bytes that are not a small letter fall into none. bytes: a bin for each of
 * the 256 values of a byte.
 *
 * A count is 32 bits wide. No bin can hold more than all n bytes, and n is at
 * most 2^32 - 1: no count overflows, whatever the input is.
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
     "bytes; if not said, the whole file, or 2^20 (on a GPU 2^28)"},
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

/* ---- variants ----------------------------------------------------------- */

#include "1_global_atomic.cuh"
#include "2_private_global.cuh"
#include "3_private_shared.cuh"
#include "4_coarsened_contiguous.cuh"
#include "5_coarsened_interleaved.cuh"
#include "6_aggregated.cuh"
#include "7_bank_private.cuh"

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

ENQUEUE(global_atomic)
ENQUEUE(private_global)
ENQUEUE(private_shared)
ENQUEUE(coarsened_contiguous)
ENQUEUE(coarsened_interleaved)
ENQUEUE(aggregated)
ENQUEUE(bank_private)

static const variant variants[] = {
    {"global_atomic", "one thread a byte, one atomic in global memory",
     global_atomic},
    {"private_global", "each block counts in a copy of its own",
     private_global},
    {"private_shared", "the copy is in shared memory", private_shared},
    {"coarsened_contiguous", "few blocks; a thread takes neighbouring bytes",
     coarsened_contiguous},
    {"coarsened_interleaved", "a warp takes neighbouring bytes",
     coarsened_interleaved},
    {"aggregated", "a run of equal values is one add", aggregated},
    {"bank_private", "each lane has a copy in a bank of its own", bank_private},
};

/** Columns of the table in the simulator. */
static const char *const columns[] = {
    "global_load_sectors_per_request", "global_atomic_sectors",
    "shared_atomic_requests", "shared_atomic_wavefronts", NULL};

#include "bars.cuh" // print_bars()

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    unsigned counts[BYTE_BINS];
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
#if !SIMULATED
    e.libraries = libraries;
    e.library_count = COUNT(libraries);
#endif
    variants_open(&e, argc, argv);
    variants_verify(&e);
    variants_time(&e);
    CUDA_CHECK(cudaMemcpy(counts, problem.counts,
                          (size_t)bin_count(&problem) * sizeof(unsigned),
                          cudaMemcpyDeviceToHost));
    int status = variants_close(&e);
    if (file && status == EXIT_VERIFIED)
        print_bars(&problem, counts);
    return status;
}
