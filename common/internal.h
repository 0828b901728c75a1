/**
 * @file internal.h
 * @brief What the files of common/ share, and no chapter includes.
 *
 * A section is what a file has for the others, from the bottom up: each needs
 * only what is above it.
 */
#ifndef INTERNAL_H
#define INTERNAL_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "attention.h"
#include "device.h"
#include "gemm_bf16.h"
#include "options.h"
#include "variants.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options.c ----------------------------------------------------------- */

/** The value of an option, "" if there is none; @p text has room for 32. */
const char *options_text(const option_spec *spec, char *text);

/** The options of every program. */
typedef struct {
    int device;          /**< CUDA device ordinal, default 0 */
    int warmup;          /**< untimed launches, default 3 */
    int repeats;         /**< timed samples, default 20, see timer.c;
                              0: verify only */
    int small;           /**< 0: only the size asked for; default 1 */
    int seed;            /**< of the input data, default 1 */
    bool cold;           /**< --l2 cold (default) or warm */
    FILE *json;          /**< opened for appending, or NULL */
    const char *command; /**< the command line, words joined by a blank */
} run_options;

/**
 * Parse the command line; `--help` and `-h` print the table and exit 0.
 *
 * A --json file is opened here, so that a long run cannot end without a place
 * for its record.
 *
 * @param argc   of main()
 * @param argv   of main()
 * @param about  one line, printed by `--help`
 * @param specs  options of this program
 * @param count  entries in @p specs
 * @return the options of every program
 */
run_options options_parse(int argc, char **argv, const char *about,
                          const option_spec *specs, int count);

/* ---- device.c, gpu/device_gpu.c or sim/device_sim.c ---------------------- */

/** What a chapter prints about a GPU or divides by; 0: unknown. */
typedef struct {
    bool simulator;         /**< no GPU: nothing here is about time */
    char name[64];          /**< product name */
    int compute_capability; /**< 90 for sm_90 */
    int sm_count;           /**< streaming multiprocessors */
    char driver[32];        /**< its version: "580.159.04" */
    int toolkit;            /**< CUDA of this program, 13000 for 13.0 */
    int sm_mhz;             /**< highest clock of the SMs (MHz) */
    int memory_mhz;         /**< highest clock of the memory (MHz) */
    size_t l2_bytes;        /**< size of the L2 cache */
    size_t free_bytes;      /**< device memory free at start */
    size_t total_bytes;     /**< device memory, that of others included */
    double peak_gbs;        /**< DRAM bandwidth on paper (GB/s) */
    double peak_gflops;     /**< float32 multiply-adds on paper (GFLOP/s) */
} device_info;

/** A kernel and its configuration, launched once or several times in a run. */
typedef struct {
    const char *kernel; /**< as written in the source */
    const void *code;   /**< its address */
    int times;          /**< launches in this configuration */
    unsigned grid[3];   /**< blocks, x y z */
    unsigned block[3];  /**< threads, x y z */
    size_t dynamic;     /**< dynamic shared memory of one block (bytes) */
    size_t shared;      /**< static and dynamic (bytes) */
    int registers;      /**< of one thread (32-bit registers) */
    int blocks_per_sm;  /**< that fit on an SM at the same time */
    double occupancy;   /**< warps of those blocks / warps that an SM holds */
} launch_info;

#define MAX_LAUNCHES 64 /**< different ones of one run */

/** One counter of a run, under the names of the simulator's table. */
typedef struct {
    const char *name; /**< "global_load_sectors" */
    double value;     /**< whole for all but the ratios */
} counter;

#define MAX_COUNTERS 64 /**< of one run */

/** Select GPU @p ordinal; exits 3 if it cannot run this program. */
device_info device_open(int ordinal);

/**
 * End with EXIT_UNSUPPORTED and one line unless the GPU's compute capability is
 * at least @p least, 90 for 9.0, and at most @p most, if that is not 0.
 */
void device_need(const device_info *info, int least, int most);

/** Of a GPU its driver, its clocks, what it can do on paper; else nothing. */
void device_read_limits(device_info *info, int ordinal);

/**
 * Begin the run that is counted: one or several launches. Their counters are
 * summed, in the simulator and by Nsight Compute (a range of the profiler).
 */
void device_run_begin(void);

/** End it; waits for the device. Says which launches have found no room. */
void device_run_end(void);

/**
 * The different launches of the latest run, in the order in which each was
 * seen first.
 *
 * @param[out] launches  MAX_LAUNCHES of them at most
 * @return how many
 */
int device_launches(launch_info *launches);

/**
 * Counters of the latest run, at most MAX_COUNTERS.
 * @return how many; 0 on a GPU and in the simulator's plain mode
 */
int device_counters(counter *counters);

/**
 * Tell the simulator what lies at @p d_x: findings then say A[128][3].
 *
 * @param d_x   first element
 * @param name  of the array
 * @param bytes of an element
 * @param cols  elements of a row
 * @param ld    from row to row (elements); 0: one dimension
 */
void device_name_array(const void *d_x, const char *name, size_t bytes,
                       int64_t cols, int64_t ld);

/** What the simulator's detectors have found so far; 0 on a GPU. */
int device_finding_count(void);

/**
 * true: the simulator checks every access against the allocations. false on
 * a GPU, in plain mode, and with SIM_SEARCH=0 or SIM_CHECKS=0.
 */
bool device_checks_accesses(void);

/** Finding @p i as text: "file:line:col: kind: message". */
const char *device_finding(int i);

/**
 * Have @p callback called about four times a second during launches in the
 * simulator, with seconds since the launch began and the share of it that is
 * done (0 to 1). Has no effect on a GPU.
 */
void device_on_progress(void (*callback)(double elapsed, double fraction));

/* ---- memory.c ------------------------------------------------------------ */

/**
 * Bits of every word of a guard zone and, as far as they fit into an element,
 * of the padding of an output.
 *
 * A signalling NaN: whoever computes with it gets a NaN, and no arithmetic
 * results in these very bits, since hardware answers with a quiet NaN.
 */
#define GUARD_WORD UINT32_C(0x7fa5a5a5)

/**
 * Refuse (exit 2, both numbers in the message) what does not fit into memory.
 *
 * @param host    bytes on the host, in all; a double holds those of any size
 * @param device  bytes on the device, in all
 * @param info    of device_open(); in the simulator all is host memory
 */
void memory_require(double host, double device, const device_info *info);

/** Zeros that take memory where they are written; release by host_release().
 *  Exits 2 if there are not so many addresses. */
void *host_reserve(size_t bytes);

/** Release memory from host_reserve(); NULL is allowed. */
void host_release(void *x, size_t bytes);

/** A copy of @p bytes bytes at @p x; release with free(). */
void *host_copy(const void *x, size_t bytes);

/**
 * host_alloc() of memory that cudaMemcpy() reads and writes without a detour:
 * its pages stay where they are ("pinned"). Release with host_free_pinned().
 */
void *host_alloc_pinned(size_t bytes);

/** Release memory from host_alloc_pinned(); NULL is allowed. */
void host_free_pinned(void *x);

/** device_alloc(), not filled: the simulator takes memory where it is used. */
void *device_reserve(size_t bytes);

/**
 * Have the guard zones around @p d_x kept their bits?
 * @return NULL, "before" or "behind": where memory was written
 */
const char *device_guard_broken(const void *d_x);

/** Give the guard zones around @p d_x their bits again. */
void device_guard_restore(const void *d_x);

/* ---- progress.c ---------------------------------------------------------- */

/* One line on a terminal that says what takes long, then vanishes. */

/**
 * Replace the line, printf-style; does nothing unless standard output is a
 * terminal that can erase it.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void progress(const char *format, ...);

/** Erase the line; before anything else is printed. */
void progress_clear(void);

/* ---- array.c ------------------------------------------------------------- */

/** Bytes from the first element to the end of the last row's padding. */
double array_bytes(const array *a);

#define ARRAY_PADDING 4096 /**< elements; see array_row() */

/**
 * Elements of a row that are filled and compared: with its padding, but of
 * more than ARRAY_PADDING elements only so many. So a long pitch costs
 * addresses, not memory, and a small matrix shows what is wrong with offsets
 * of 2^31 and more.
 */
static inline int64_t array_row(const array *a)
{
    int64_t pitch = a->ld ? a->ld : a->cols, most = a->cols + ARRAY_PADDING;
    return pitch < most ? pitch : most;
}

/** Bytes in all rows of array_row(). */
double array_filled_bytes(const array *a);

/** Does the host need a copy: of an input, or of padding? */
bool array_on_host(const array *a);

/** Where band @p b begins, as an index of element_read(). */
int64_t array_offset(const array *a, const band *b);

/**
 * Elements in memory from the beginning of band @p b to its end, padding of
 * array_row() included.
 */
int64_t array_span(const array *a, const band *b);

/**
 * The next band of at most about @p most elements, as many whole rows as
 * possible, of long pitches one; begins as {0}. @return false: there is none
 */
bool array_next_band(const array *a, int64_t most, band *b);

/**
 * Take memory on host and device, and tell the simulator the name.
 *
 * An array that is IN_OUT in some cases and OUT in others begins as IN_OUT.
 */
void array_allocate(array *a);

/** Release what array_allocate() took. */
void array_free(array *a);

/** Have member @p a of @p problem point to @p memory. */
void array_bind(const array *a, void *problem, const void *memory);

/** What member @p a of @p problem points to. */
void *array_pointer(const array *a, const void *problem);

/** Put the host's copy on the device. Padding of an output gets a pattern. */
void array_upload(array *a);

/**
 * Make the elements at @p memory, on the device, what a launch must find, by
 * work in the stream: poison, or what IN_OUT held before. Padding stays.
 */
void array_prepare(const array *a, void *memory);

/**
 * Poison the elements at @p memory; padding stays. NaN in floating types; for
 * integers a pattern that array_upload() changes from time to time, since a
 * right result may have its bits, but not again and again.
 */
void array_poison(const array *a, void *memory);

/** Copy band @p b of @p memory, on the device, to the host: array_span(). */
void array_download(const array *a, const void *memory, const band *b,
                    void *host);

/**
 * Has an input kept its bits, and the memory around every array?
 *
 * Prints what has not. @param chunk  ARRAY_CHUNK bytes to work with
 */
bool array_check_surroundings(const array *a, void *chunk);

/** Undo what a wrong launch did to an input and around every array. */
void array_repair(array *a);

/** Bytes that are compared at a time. */
#define ARRAY_CHUNK ((size_t)1 << 24)

/* ---- data.c -------------------------------------------------------------- */

/** Set the columns beyond the last one to the bits of GUARD_WORD. */
void fill_padding(const array *a);

/** Does an element of @p bytes bytes hold what fill_padding() puts there? */
bool is_padding(const void *element, size_t bytes);

/* ---- verify.c ------------------------------------------------------------ */

/*
 * Comparisons that can fail.
 *
 * An element passes if |got - want| <= bound, never "fails if it is larger":
 * every comparison with NaN is false, so NaN does not pass; neither does Inf,
 * unless equality is demanded and the reference is the same Inf. Where NaN is
 * planted in the inputs, verdict::planted, NaN passes where it is wanted.
 * The first wrong elements are printed to stderr with row, column, got, want.
 */

/** Outcome of the comparisons of one result, band after band. */
typedef struct {
    double error_of_bound; /**< largest error / its bound; passes up to 1;
                                0 / 0 counts as 0, NaN as infinite */
    long long wrong;       /**< elements that failed */
    long long beside;      /**< and words of the padding behind the rows */
    bool planted;          /**< NaN is a result where the reference is NaN,
                                unless it was never written */
} verdict;

/**
 * Demand |got - want| <= bound, element by element.
 *
 * @param[in,out] v  updated; begins as {0}
 * @param a          the array, for type, shape and messages
 * @param b          the band of it that is compared
 * @param got        of array_download()
 * @param want       [b->rows x b->cols], contiguous
 * @param bound      the same; NULL: 0, equality. For GEMM
 *                   gamma_(K+3) * (|alpha| |A| |B| + |beta| |C|) + FLT_MIN
 */
void verify_elements(verdict *v, const array *a, const band *b, const void *got,
                     const double *want, const double *bound);

/**
 * Demand that the padding behind the rows of a band has the bits of
 * fill_padding().
 *
 * @param[in,out] v  as for verify_elements()
 * @param a,b,got    as for verify_elements()
 */
void verify_padding(verdict *v, const array *a, const band *b, const void *got);

/* ---- timer.c ------------------------------------------------------------- */

/*
 * Time on the GPU: events, cold L2, batches, median.
 *
 * What one **sample** is. Two events in the stream, and between them
 *
 *   long runs (1 ms and more)  one launch
 *   short runs                 one CUDA graph of `batch` launches, about 2 ms
 *
 * The sample is the time between the events divided by the launches between
 * them. Before the first event, outside the sample, the L2 is flushed; the
 * flush keeps the GPU busy while the host enqueues the rest, so that the host
 * is not timed. Short runs are batched because a launch costs the host about
 * 5 us and a node of a graph 0.5 us: one by one, the host would be measured.
 * What takes much power rests before: docs/how_we_measure.md.
 */

/**
 * Enqueues one complete run of the operation; must not wait for it.
 *
 * A plain `<<<grid, block>>>` is enough: everything is compiled for the
 * per-thread default stream (nvcc `--default-stream per-thread`, libraries
 * get cudaStreamPerThread), and it can be captured in a graph.
 */
typedef void (*enqueue_fn)(const void *context);

/** Distribution of the time of one run (ms). */
typedef struct {
    float min_ms;    /**< fastest sample */
    float median_ms; /**< the one that rates are made of */
    float max_ms;    /**< slowest sample */
    int repeats;     /**< samples; 0: not timed */
    int batch;       /**< launches per sample; above 1 as a CUDA graph */
    bool cold;       /**< each launch found its data outside the L2 */
} timing;

/** One contender of time_interleaved(). */
typedef struct {
    enqueue_fn enqueue;    /**< the operation */
    enqueue_fn prepare;    /**< untimed, before each sample; may be NULL */
    enqueue_fn spoil;      /**< untimed, for each context before the last
                                sample: destroys the output, so that what is
                                there afterwards was timed; may be NULL */
    enqueue_fn finish;     /**< untimed, after the last sample, with the context
                                of its last launch: the output can be verified
                                before the next contender runs; may be NULL */
    const void **contexts; /**< one or more, each with data of its own; several
                                contenders may share the data */
    int context_count;     /**< entries in contexts */
    size_t context_bytes;  /**< data that a run with one context touches */
    bool rests; /**< the GPU rests before each sample, 25 ms: for runs
                     that take more power than it may have */
} timed_run;

/** Launches in one graph at most, so also contexts that are of use. */
#define MAX_BATCH 512

/** Median (of an even number: mean of the middle two), min and max. */
timing timing_from_samples(const float *ms, int count);

/**
 * Time several contenders in turn: sample 1 of each, then sample 2 of each.
 *
 * First options->warmup untimed runs of each, at least one. Then the samples
 * described above, options->repeats of each: fewer, but 5 at least, of a run so
 * slow that they would take more than 2 s (with a prepare step always all). A
 * batch takes the contexts in turn; if there are fewer than its launches, their
 * data together must exceed the L2 twice for the result to say cold. A run with
 * a prepare step is never batched: what an operation must clear it clears
 * itself. With a warm L2 only context 0 is used, and an untimed launch takes
 * the place of the flush.
 *
 * @param runs     contenders, the library's baseline among them
 * @param count    entries in @p runs and @p result
 * @param options  warmup, repeats, cold
 * @param result   one timing per contender
 */
void time_interleaved(const timed_run *runs, int count,
                      const run_options *options, timing *result);

/* ---- report.c, report_json.c --------------------------------------------- */

/*
 * What a run says: the text on the terminal and the JSON records.
 *
 * A chapter with one kernel gets a block, one with several variants a table.
 * Both fit 80 columns and go to standard output. On a terminal, unless
 * NO_COLOR is set, the verdict has a colour. Each variant has a record, one
 * line; its fields are those of docs/record.schema.json.
 */

/** What came of one variant, or of a library. */
typedef struct {
    const char *name;                   /**< NULL: the chapter's one kernel */
    bool verified;                      /**< false: no rates are printed */
    double error_of_bound;              /**< largest, over all comparisons */
    launch_info launches[MAX_LAUNCHES]; /**< of the run that was counted */
    int launch_count;                   /**< entries in launches */
    counter counters[MAX_COUNTERS];     /**< of that run, simulator only */
    int counter_count;                  /**< 0: plain mode, GPU */
    int *findings;                      /**< for report_data::finding */
    int finding_count;                  /**< entries in findings */
    timing time;                        /**< repeats 0: was not timed */
    const char *note;                   /**< a library: why it was not timed */
    bool floor;                         /**< it only moves the bytes */
} outcome;

/** All that a report is made of. */
typedef struct {
    const char *chapter;        /**< directory name */
    const char *size;           /**< for people: "M=4096 N=4096 K=4096" */
    const char *pitches;        /**< the same: "row pitch 4096 4096", or "" */
    const char *size_json;      /**< for programs: "{\"M\":4096,...}" */
    const char *size_hint;      /**< in the simulator: how to change the size */
    const char *small;          /**< the small problem that went before */
    const char *check;          /**< what was compared how, one line */
    double flop;                /**< operations of one run, 0: omit */
    bool tensor_cores;          /**< they do them: float32 sets no limit */
    double bytes;               /**< each input read, each output written */
    const char *const *columns; /**< counters of the table, at most four;
                                     ends with NULL */
    const outcome *variants;    /**< those that were run */
    int variant_count;          /**< entries in variants */
    const outcome *baselines;   /**< libraries, timed in the same process */
    int baseline_count;         /**< entries in baselines */
    int finding_count;          /**< of all variants */
    const char *(*finding)(int i); /**< each as text */
} report_data;

/** Write the block or the table. */
void report_text(FILE *out, const report_data *r, const device_info *device);

/** Write the JSON record of variant @p i, one line. */
void report_json(FILE *out, const report_data *r, int i,
                 const device_info *device, const run_options *run);

/** What a run cannot be faster than. */
typedef struct {
    const char *name; /**< "fp32", "dram", or a library that moves the bytes */
    double ms;        /**< 0: unknown */
} limit;

/** The limit that binds: arithmetic, or moving the bytes, which counts as
 *  measured where it was measured. */
limit report_limit(const report_data *r, const device_info *device);

/** Has it a time that may be shown? */
bool report_timed(const outcome *o);

/**
 * The library that ratios are made with: the fastest one, or NULL.
 * @param floor  of those that only move the bytes, not of the others
 */
const outcome *report_baseline(const report_data *r, bool floor);

/* ---- reference.c, gpu/reference_kernel.cu -------------------------------- */

/*
 * What a GEMM should have computed: float64, plain.
 *
 * Both functions compute
 *
 *     want  = alpha * A * B + beta * C
 *     bound = gamma_(K+3) * (|alpha| |A| |B| + |beta| |C|) + FLT_MIN
 *
 * where C is the matrix as it was before the launch. The bound is what a right
 * float32 kernel can be off by, in any order of summation, fused or not
 * (Higham 2002, section 3.5): K roundings of products and sums, three more of
 * alpha, beta and the last sum. FLT_MIN allows for results that underflow. The
 * error of the reference itself is smaller by a factor of 2^29.
 *
 * Products and sums of exact data are exact in float64, too.
 *
 * For bfloat16 the inputs are taken as they are. A tensor core sums in float32,
 * but it cuts off where other units round (Fasi, Higham, Mikaitis, Pranesh
 * 2021, Numerical behavior of NVIDIA tensor cores): each of the K sums may be
 * off by twice as much, so gamma_(2K+3) stands for gamma_(K+3). Then C is
 * rounded:
 *
 *     bound = bound + 2^-8 * (|want| + bound) + FLT_MIN
 *
 * and of exact data want is what the exact sum rounds to. Before, a bias may be
 * added and gelu taken, whose slope is at most 1.13 and which a kernel computes
 * in float32, by whatever exponential:
 *
 *     bound = 1.13 * (bound + 2^-23 |x|) + 2^-16 |gelu(x)|,  x = want + bias
 */

/** The problem whose C is band @p b of the C of @p p. */
gemm_problem reference_part(const gemm_problem *p, const band *b);

/**
 * On the calling thread.
 *
 * @param p      A, B and C in host memory
 * @param want   [M x N], contiguous, host
 * @param bound  [M x N], contiguous, host
 */
void reference_gemm(const gemm_problem *p, double *want, double *bound);

/**
 * The same on a GPU, by a plain kernel; waits until it is done.
 *
 * @param p      A, B and C in device memory
 * @param want   [M x N], contiguous, device
 * @param bound  [M x N], contiguous, device
 */
void reference_gemm_gpu(const gemm_problem *p, double *want, double *bound);

/**
 * The same for band @p b of the C of a problem in bfloat16.
 *
 * @param p      A, B and C in host memory
 * @param exact  the data are whole numbers whose sums are exact
 * @param want   [b->rows x b->cols], contiguous, host
 * @param bound  [b->rows x b->cols], contiguous, host
 */
void reference_bf16(const gemm_bf16_problem *p, const band *b, bool exact,
                    double *want, double *bound);

/** The same on a GPU, all pointers on the device; waits until it is done. */
void reference_bf16_gpu(const gemm_bf16_problem *p, const band *b, bool exact,
                        double *want, double *bound);

/** C = gelu(C + bias): what that does to @p want and @p bound. */
static inline HOST_DEVICE void reference_gelu(double bias, double *want,
                                              double *bound)
{
    double x = *want + bias;
    double u = 0.79788456080286536 * (x + 0.044715 * x * x * x); // sqrt(2/pi)
    *want = 0.5 * x * (1.0 + tanh(u));
    *bound = 1.13 * (*bound + 0x1p-23 * fabs(x)) + 0x1p-16 * fabs(*want);
}

/** Round C to bfloat16: what that does to @p want and @p bound. */
static inline HOST_DEVICE void reference_round(bool exact, double *want,
                                               double *bound)
{
    *bound += 0x1p-8 * (fabs(*want) + *bound) + FLT_MIN;
    if (!exact)
        return;
    float x = (float)*want; // exact, too
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    bits += 0x7fff + (bits >> 16 & 1); // to nearest, ties to even
    bits &= 0xffff0000;
    memcpy(&x, &bits, sizeof(x));
    *want = x;
}

/* ---- reference.c, gpu/attention_kernels.cu ------------------------------- */

/*
 * What attention should have computed, in float64: of a row with scores z, one
 * for each of the n keys that it sees,
 *
 *     want = sum p v / sum p,  p = exp(z - max z)
 *
 * A right kernel may be off by these parts of sum p |v| / sum p:
 *
 *     exp(e) - 1  twice, above and below: z is off by gamma_2D |q| |k| /
 *                 sqrt(D) (Cauchy and Schwarz), and by 16 u |z| where it is
 *                 scaled, a maximum subtracted, and old sums corrected for a
 *                 new one: these factors' exponents add up to 2 |z| at most
 *     2^-20       twice: the hardware's exponential
 *     gamma_4n+16 2n roundings above, since tensor cores cut off, n below, and
 *                 corrections, of which a tile of 16 keys has one at most
 *     2^-8        p is rounded to bfloat16, above alone
 *
 * Then O is rounded: reference_round().
 */

/** Make want and bound of an element of O; of no key @p weights is 0. */
static inline HOST_DEVICE void reference_mean(const attention_problem *p,
                                              double largest, double norms,
                                              double weights, double sum,
                                              double size, bool exact,
                                              double *want, double *bound)
{
    double z = verify_gamma(2.0 * p->D) * norms + 16 * 0x1p-24 * largest;
    double off =
        2 * (expm1(z) + 0x1p-20) + verify_gamma(4.0 * p->keys + 16) + 0x1p-8;
    *want = weights == 0.0 ? 0.0 : sum / weights;
    *bound = weights == 0.0 ? 0.0 : size / weights * off / (1.0 - off);
    reference_round(exact, want, bound);
}

/**
 * Columns [col, col + cols) of a row of O; on the calling thread.
 *
 * @param p      Q, K and V in host memory
 * @param head   counted through all batches
 * @param exact  the data are whole numbers: want is rounded
 * @param want   [cols]
 * @param bound  [cols]
 */
void reference_attention(const attention_problem *p, int64_t head, int row,
                         int col, int cols, bool exact, double *want,
                         double *bound);

/**
 * A band of O, of whole heads, on a GPU, all pointers on the device; waits
 * until it is done.
 *
 * @param want   [b->rows x b->cols], contiguous
 * @param bound  the same
 */
void reference_attention_gpu(const attention_problem *p, const band *b,
                             bool exact, double *want, double *bound);

/* ---- gpu/baseline_cublas.c ----------------------------------------------- */

/*
 * What a user would call instead: cublasSgemm, for bfloat16 cublasGemmEx
 * or cublasLt. GPU builds only.
 */

/** @return NULL if cuBLAS can be used now, else why not, for the report. */
const char *baseline_cublas_open(void);

/** The same product, leading dimensions and C, by cublasSgemm. */
void baseline_cublas_launch(const gemm_problem *p);

/** As baseline_cublas_open(), for baseline_bf16_launch(); not for both. */
const char *baseline_bf16_open(void);

/**
 * The same product, leading dimensions and C, with float32 sums.
 *
 * @param which  -1: cublasGemmEx; 0 or 1: cublasLtMatmul by the first or second
 *               algorithm that its heuristic names; by cublasGemmEx if it names
 *               no such one. With a bias cublasLtMatmul fuses it and gelu;
 *               behind cublasGemmEx a kernel comes
 */
void baseline_bf16_launch(const gemm_bf16_problem *p, int which);

/** C = gelu(C + bias), enqueued behind a product. */
void baseline_gelu(const gemm_bf16_problem *p);

/** Release what the last of several opens took; once for each of them. */
void baseline_cublas_close(void);

/** As baseline_bf16_open(), with memory for all scores of @p p. */
const char *baseline_attention_open(const attention_problem *p);

/** Attention by two products in cuBLAS, baseline_softmax() between them. */
void baseline_attention_launch(const attention_problem *p);

/** Release what baseline_attention_open() took. */
void baseline_attention_close(void);

/** weights = softmax(scores) of one batch, [H, S, keys] in rows of @p pitch. */
void baseline_softmax(const attention_problem *p, int pitch,
                      const float *scores, bfloat16 *weights);

/* ---- variants.c ---------------------------------------------------------- */

#define BAND ((int64_t)1 << 22) /**< elements that are verified at a time */
#define TEXT 256                /**< bytes of a line about the size */

/** A problem of one size, and the memory to run and verify it. */
typedef struct {
    void *plain;         /**< as the chapter made it */
    void *problem;       /**< as the current case has changed it */
    array *arrays;       /**< what lies behind its pointers */
    const char *name;    /**< of the current case */
    char size[TEXT];     /**< of the small problem, for messages; or "" */
    bool exact;          /**< demands the current case equality? */
    int round;           /**< of experiment::plant; 0: nothing is planted */
    const char *planted; /**< what it has planted, or "" */

    void *got;       /**< a band, or ARRAY_CHUNK bytes of an input */
    double *want;    /**< a band of the reference */
    double *bound;   /**< a band of its bound */
    double *d_want;  /**< the same on a GPU, for want_gpu() */
    double *d_bound; /**< the same on a GPU, for want_gpu() */
} instance;

/**
 * Who answers main and carries out runs: this program, or for the grader two
 * processes, see grade/protocol.h.
 */
typedef struct {
    void (*open)(experiment *e, int argc, char **argv); /**< see variants.h */
    void (*verify)(experiment *e);                      /**< see variants.h */
    void (*time)(experiment *e);                        /**< see variants.h */
    int (*close)(experiment *e);                        /**< see variants.h */

    /**
     * Run @p v with the problem of @p in and wait until it is done.
     * @param counted  receives launches and counters of the run; NULL: none
     */
    void (*run)(const experiment *e, const instance *in, const variant *v,
                outcome *counted);
    int (*finding_count)(void);    /**< of all runs so far */
    const char *(*finding)(int i); /**< each as text */
} runner;

/** The one that answers; the grader's programs set it before main() begins. */
extern const runner *variants_runner;

/** What is not the chapter's business. */
struct variants_state {
    const runner *runner; /**< variants_runner */
    run_options run;
    device_info device;
    const variant **selected; /**< by --variant, or all */
    outcome *outcomes;        /**< of those */
    int count;                /**< entries in both */
    outcome *libraries;       /**< of experiment::libraries */
    int findings_seen;        /**< that belong to an outcome already */
    instance asked;           /**< the size asked for */
    char small[TEXT];         /**< the size that went before */
    char pitches[TEXT];       /**< of the size asked for */
};

/* ---- variants_instance.c ------------------------------------------------- */

/** Refuse a problem that does not fit into memory, before any is taken. */
void variants_require_memory(const experiment *e);

/** Of the problem asked for what @p make makes; it has no memory yet. */
instance variants_small(const experiment *e, void (*make)(void *problem));

/** Take memory for the arrays; the pointers of the problem lead there. */
void variants_open_arrays(const experiment *e, instance *in);

/** The same, and what it takes to verify. */
void variants_open_instance(const experiment *e, instance *in);

/** Release what variants_open_instance() took. */
void variants_close_instance(const experiment *e, instance *in);

/* ---- variants_verify.c --------------------------------------------------- */

/** variants_verify() where nobody else answers it. */
void variants_verify_all(experiment *e);

/** Make the inputs of case @p number. */
void variants_begin_case(const experiment *e, instance *in, int number);

/**
 * Run each variant that is right so far once more, from poisoned outputs to
 * their check. @param when  " after ...", for messages; or ""
 */
void variants_run_right(const experiment *e, const instance *in,
                        const char *when);

/**
 * Check a run that has ended: every element of its outputs, and all that it
 * had to leave. Says what is wrong, and keeps in @p o that it is.
 *
 * @param v        what has run
 * @param problem  in->problem, or a copy whose arrays lie elsewhere
 */
void variants_check_run(const experiment *e, const instance *in,
                        const variant *v, const void *problem, const char *when,
                        outcome *o);

/* ---- variants_time.c ----------------------------------------------------- */

/** variants_time() where nobody else answers it. */
void variants_time_all(experiment *e);

/* ---- variants_report.c --------------------------------------------------- */

/**
 * "M=256 N=256 K=256", and the factors behind it if @p factors: what the
 * variables of the options hold.
 */
void variants_size_text(const experiment *e, bool factors, char *text);

/** "row pitch 256 256 256", or "" if no array has two dimensions. */
void variants_pitch_text(const experiment *e, const array *arrays, char *text);

/** Report and records. */
void variants_report(const experiment *e);

#ifdef __cplusplus
}
#endif

#endif
