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

#include "text.cuh" // text[]

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

/* ---- inputs and reference ----------------------------------------------- */

/** Bytes that are repeated until there are n. */
typedef struct {
    const uint8_t *bytes;
    size_t count; /**< 1 or more */
} pattern;

/** All of --file, or a refusal; a regular file is one whose size is known. */
static pattern read_file(void)
{
    struct stat about;
    FILE *in = fopen(file, "rb");
    REQUIRE(in && fstat(fileno(in), &about) == 0, "--file %s: %s", file,
            strerror(errno));
    REQUIRE(S_ISREG(about.st_mode),
            "--file %s: not a regular file; allowed are files of 1 to %lld "
            "bytes",
            file, (long long)MOST);
    REQUIRE(about.st_size >= 1 && about.st_size <= MOST,
            "--file %s: %lld bytes; allowed are files of 1 to %lld bytes", file,
            (long long)about.st_size, (long long)MOST);
    size_t count = (size_t)about.st_size;
    uint8_t *bytes = (uint8_t *)host_alloc(count);
    size_t got = fread(bytes, 1, count, in);
    REQUIRE(got == count, "--file %s: only %zu of its %zu bytes can be read",
            file, got, count);
    fclose(in);
    return (pattern){bytes, count};
}

/** The file, read once, or the text that comes with the chapter. */
static pattern to_repeat(void)
{
    static pattern whole;
    if (!file)
        return (pattern){(const uint8_t *)text, sizeof(text) - 1};
    if (!whole.count)
        whole = read_file();
    return whole;
}

/** What the command line leaves open; refuse what contradicts itself. */
static void complete(histogram *h)
{
    if (h->input < 0)
        h->input = file ? FROM_FILE : TEXT;
    REQUIRE(file || h->input != FROM_FILE,
            "--input file: --file must say which");
    REQUIRE(!file || h->input == FROM_FILE,
            "--file %s: only with --input file, or without --input", file);
    if (h->n < 0 && file)
        h->n = (int64_t)to_repeat().count;
    if (h->n < 0)
        h->n = device_simulated() ? 1 << 20 : 1 << 28;
}

static void shape(void *sizes, array *arrays)
{
    histogram *h = (histogram *)sizes;
    if (h == &problem)
        complete(h);
    array_1d(&arrays[X], h->n);
    array_1d(&arrays[COPIES],
             (int64_t)device_blocks(h->n, BLOCK) * bin_count(h));
    array_1d(&arrays[COUNTS], bin_count(h));
}

static void repeat(uint8_t *x, size_t n, pattern p)
{
    for (size_t i = 0; i < n; i += p.count)
        memcpy(x + i, p.bytes, n - i < p.count ? n - i : p.count);
}

/**
 * Letters, drawn one by one: of a uniform byte v letter 26 (v / 256)^2. The
 * first ones are the most frequent: a in 51 of 256, z in 5.
 */
static void skew(uint8_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (uint8_t)('a' + 26 * x[i] * x[i] / 65536);
}

/** The bin of a byte on the host; bin_count() if it has none. */
static int host_bin(const histogram *h, int byte)
{
    if (h->bins == BYTES)
        return byte;
    return byte < 'a' || byte > 'z' ? LETTER_BINS : (byte - 'a') / 4;
}

/** Count on the host: one loop, one thread, nothing that can race. */
static void set_reference(histogram *h, const uint8_t *x)
{
    memset(h->want, 0, sizeof(h->want));
    for (int64_t i = 0; i < h->n; i++) {
        int bin = host_bin(h, x[i]);
        if (bin < bin_count(h))
            h->want[bin]++;
    }
}

static const char *fill(void *problem, array *arrays, int, uint64_t seed)
{
    static const char *const names[] = {"text", "uniform bytes", "one value",
                                        "skewed letters", "the file"};
    histogram *h = (histogram *)problem;
    uint8_t *x = (uint8_t *)arrays[X].host;
    if (h->input == UNIFORM || h->input == SKEWED)
        fill_random(&arrays[X], seed);
    if (h->input == SKEWED)
        skew(x, h->n);
    if (h->input == CONSTANT)
        memset(x, 'e', (size_t)h->n);
    if (h->input == TEXT || h->input == FROM_FILE)
        repeat(x, (size_t)h->n, to_repeat());
    set_reference(h, x);
    return names[h->input];
}

static void want(const void *problem, const array *, const band *b,
                 double *want, double *)
{
    for (int64_t i = 0; i < b->cols; i++)
        want[i] = ((const histogram *)problem)->want[b->col + i];
}

/* ---- what the variants share -------------------------------------------- */

/** The bin of a byte; BINS and more if it has none. */
// [bin]
template <int BINS>
__device__ unsigned bin_of(unsigned byte)
{
    if (BINS == BYTE_BINS)
        return byte;
    unsigned letter = byte - 'a'; // before 'a': a large number
    return letter < 26 ? letter / 4 : BINS;
}
// [bin]

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

/* ---- bars --------------------------------------------------------------- */

#define BAR 50 /**< characters of the longest bar */

/** A line: a name, how often, and a bar that is to BAR as @p count to most. */
static void print_bar(const char *name, unsigned count, unsigned most)
{
    int length = most ? (int)((double)count / most * BAR + 0.5) : 0;
    printf("  %-4s%12u  %.*s\n", name, count, length,
           "##################################################");
}

/** The result as bars: seven bins of letters, or a bar for each letter. */
static void print_bars(const histogram *h, const unsigned *counts)
{
    bool letters = h->bins == LETTERS;
    int bars = letters ? LETTER_BINS : 26;
    const unsigned *first = letters ? counts : counts + 'a';
    unsigned most = 0;
    for (int i = 0; i < bars; i++)
        most = first[i] > most ? first[i] : most;
    printf("\n%s, %lld bytes\n", file, (long long)h->n);
    for (int i = 0; i < bars; i++) {
        int begin = letters ? 'a' + 4 * i : 'a' + i;
        int end = letters && begin + 3 < 'z' ? begin + 3 : 'z';
        char name[4] = {(char)begin, '-', (char)end, '\0'};
        name[1] = letters ? '-' : '\0';
        print_bar(name, first[i], most);
    }
    options_flush();
}

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
