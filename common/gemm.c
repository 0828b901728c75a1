/**
 * @file gemm.c
 * @brief The GEMM problem, shared by every gemm chapter.
 */
#include "gemm.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "gpu/baseline_cublas.h"
#include "progress.h"
#include "reference.h"
#include "report.h"
#include "timer.h"
#include "verify.h"

#define LARGEST 2147483643.0    /**< 2^31 - 5: rounded up to 4 it is an int */
#define SIZE_SIMULATOR 256      /**< default M, N, K: about a second */
#define SIZE_GPU 4096           /**< default M, N, K: fills a large GPU */
#define BAND (1 << 22)          /**< elements that are verified at a time */
#define CHUNK ((size_t)1 << 24) /**< bytes that are compared at a time */
#define LAUNCHES 4              /**< in the simulator: two grids, two random */
#define LONG_S 10.0             /**< longer simulations say so first */

/** What is not the kernel's business. */
struct gemm_state {
    const char *chapter;
    run_options run;
    device_info device;

    size_t A_bytes; /**< M * lda floats, and so on */
    size_t B_bytes;
    size_t C_bytes;
    float *h_A; /**< what d_A must hold */
    float *h_B;
    float *h_C; /**< C before the launch */
    float *d_A;
    float *d_B;
    float *d_C;
    float *d_C_before; /**< on a GPU: C before the launch */

    int band_rows;   /**< rows that are verified at a time */
    float *h_got;    /**< a band of C, or a chunk of A or B */
    double *h_want;  /**< a band of the reference */
    double *h_bound; /**< a band of its bound */
    double *d_want;  /**< the same on a GPU */
    double *d_bound;

    bool verified;
    double error_of_bound;
    launch_info launch;
    counter counters[MAX_COUNTERS];
    int counter_count;
    timing time;
    timing baseline;
    const char *baseline_note;
};

/* ---- open ---------------------------------------------------------------- */

/** Round up to a multiple of 4 and add @p pad; refuse what is no int. */
static int leading_dimension(const char *option, int columns, int pad)
{
    int64_t ld = ((int64_t)columns + 3) / 4 * 4 + pad;
    REQUIRE(ld <= INT_MAX,
            "--%s %d with --pad %d: rows of more than %d elements", option,
            columns, pad, INT_MAX);
    return (int)ld;
}

/** Refuse a problem that does not fit into memory, before any is taken. */
static void require_memory(const gemm_problem *p)
{
    const struct gemm_state *s = p->state;
    byte_count A = (byte_count)p->M * (byte_count)p->lda * sizeof(float);
    byte_count B = (byte_count)p->K * (byte_count)p->ldb * sizeof(float);
    byte_count C = (byte_count)p->M * (byte_count)p->ldc * sizeof(float);
    byte_count band =
        (byte_count)s->band_rows * (byte_count)p->N * 2 * sizeof(double);
    byte_count got = (byte_count)s->band_rows * (byte_count)p->ldc * 4 + CHUNK;
    // The timer takes twice the L2 for its flush and as much for copies of
    // the inputs, cuBLAS a C and a workspace.
    byte_count timer = C + 6 * s->device.l2_bytes + ((byte_count)64 << 20);
    if (s->device.simulator)
        memory_require(A + B + C + band + got, A + B + C, &s->device);
    else
        memory_require(A + B + C + band + got, A + B + 2 * C + band + timer,
                       &s->device);
}

static void allocate(gemm_problem *p)
{
    struct gemm_state *s = p->state;
    size_t row = (size_t)s->band_rows * sizeof(double) * (size_t)p->N;
    size_t got = (size_t)s->band_rows * sizeof(float) * (size_t)p->ldc;
    s->A_bytes = (size_t)p->M * (size_t)p->lda * sizeof(float);
    s->B_bytes = (size_t)p->K * (size_t)p->ldb * sizeof(float);
    s->C_bytes = (size_t)p->M * (size_t)p->ldc * sizeof(float);
    s->h_A = host_alloc(s->A_bytes);
    s->h_B = host_alloc(s->B_bytes);
    s->h_C = host_alloc(s->C_bytes);
    s->h_got = host_alloc(got > CHUNK ? got : CHUNK);
    s->h_want = host_alloc(row);
    s->h_bound = host_alloc(row);
    s->d_A = device_alloc(s->A_bytes);
    s->d_B = device_alloc(s->B_bytes);
    s->d_C = device_alloc(s->C_bytes);
    if (!s->device.simulator) {
        s->d_C_before = device_alloc(s->C_bytes);
        s->d_want = device_alloc(row);
        s->d_bound = device_alloc(row);
    }
    p->A = s->d_A;
    p->B = s->d_B;
    p->C = s->d_C;
}

gemm_problem gemm_open(int argc, char **argv, const char *chapter)
{
    struct gemm_state *s = host_alloc(sizeof(*s));
    memset(s, 0, sizeof(*s));
    int size = device_simulated() ? SIZE_SIMULATOR : SIZE_GPU;
    int pad = 0;
    gemm_problem p = {.M = size, .N = size, .K = size, .alpha = 1, .state = s};
    const option_spec specs[] = {
        {"M", OPTION_INT, &p.M, 1, LARGEST, "rows of A and C"},
        {"N", OPTION_INT, &p.N, 1, LARGEST, "columns of B and C"},
        {"K", OPTION_INT, &p.K, 1, LARGEST, "columns of A, rows of B"},
        {"alpha", OPTION_FLOAT, &p.alpha, 0, 0, "factor of A * B"},
        {"beta", OPTION_FLOAT, &p.beta, 0, 0, "factor of C; 0: C is not read"},
        {"pad", OPTION_INT, &pad, 0, 1 << 30,
         "elements added to each row; a multiple of 4"},
    };
    s->chapter = chapter;
    s->run = options_parse(argc, argv,
                           "C = alpha * A * B + beta * C in float32, "
                           "row-major: verified, then timed.",
                           specs, sizeof(specs) / sizeof(specs[0]));
    REQUIRE(pad % 4 == 0,
            "--pad %d: allowed are multiples of 4, so that rows stay aligned "
            "to 16 bytes",
            pad);
    // |A|, |B| and |C| are at most 1. A right result must not overflow.
    double largest = fabs((double)p.alpha) * p.K + fabs((double)p.beta);
    REQUIRE(largest <= FLT_MAX / 2,
            "--alpha %g --beta %g: |alpha| K + |beta| is %.2g; allowed is "
            "%.2g, half of what float32 holds",
            p.alpha, p.beta, largest, FLT_MAX / 2);
    p.lda = leading_dimension("K", p.K, pad);
    p.ldb = leading_dimension("N", p.N, pad);
    p.ldc = p.ldb;

    s->device = device_open(s->run.device);
    int rows = p.N < BAND ? BAND / p.N : 1;
    s->band_rows = rows > 1 << 19 ? 1 << 19 : rows; // 65535 blocks of 16 rows
    if (s->band_rows > p.M)
        s->band_rows = p.M;
    require_memory(&p);
    allocate(&p);
    return p;
}

/* ---- long simulations ---------------------------------------------------- */

static const char *phase = ""; /**< what the current launch is for */
static int launches_begun;

/** Say once, during the first launch, how long all will take. */
static void on_progress(double elapsed, double fraction)
{
    static bool announced;
    if (fraction <= 0)
        return;
    double launch_s = elapsed / fraction;
    if (launches_begun == 1 && elapsed > 0.5 && !announced) {
        announced = true;
        if (launch_s * LAUNCHES > LONG_S) {
            progress_clear();
            printf("this takes about %.0f s: %d launches of %.0f s each in "
                   "the simulator\n",
                   launch_s * LAUNCHES, LAUNCHES, launch_s);
            fflush(stdout);
        }
    }
    progress("%s: launch %d of %d, %.0f %%, about %.0f s to go", phase,
             launches_begun, LAUNCHES, 100 * fraction,
             launch_s * (1 - fraction + LAUNCHES - launches_begun));
}

/* ---- verify -------------------------------------------------------------- */

/** One kind of input, and what is demanded of the output. */
typedef struct {
    const char *name;
    bool exact; /**< grid data and equality; else random data and the bound */
    float alpha;
    float beta;
} verify_case;

/** Set all of [M x N] to NaN; the padding keeps its bits. */
static void poison(const gemm_problem *p)
{
    const size_t width = (size_t)p->N * sizeof(float);
    const size_t pitch = (size_t)p->ldc * sizeof(float);
    if (pitch <= INT_MAX) { // more is not allowed there
        CUDA_CHECK(cudaMemset2DAsync(p->C, pitch, 0xff, width, (size_t)p->M,
                                     cudaStreamPerThread));
        return;
    }
    for (int row = 0; row < p->M; row++)
        CUDA_CHECK(cudaMemsetAsync(p->C + (int64_t)row * p->ldc, 0xff, width,
                                   cudaStreamPerThread));
}

static void upload(float *d_x, const float *h_x, size_t bytes)
{
    CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
}

/** Make the inputs of case @p number, and C as it is before the launch. */
static void make_inputs(const gemm_problem *p, const verify_case *c, int number)
{
    struct gemm_state *s = p->state;
    uint64_t seed = (uint64_t)s->run.seed * 16 + (uint64_t)number;
    if (c->exact) {
        fill_grid_left(s->h_A, p->M, p->K, p->lda, seed);
        fill_grid_right(s->h_B, p->K, p->N, p->ldb, seed + 4);
        fill_grid(s->h_C, p->M, p->N, p->ldc, seed + 8);
    } else {
        fill_random(s->h_A, p->M, p->K, p->lda, seed);
        fill_random(s->h_B, p->K, p->N, p->ldb, seed + 4);
        fill_random(s->h_C, p->M, p->N, p->ldc, seed + 8);
    }
    fill_padding(s->h_C, p->M, p->N, p->ldc);
    upload(s->d_A, s->h_A, s->A_bytes);
    upload(s->d_B, s->h_B, s->B_bytes);
    upload(s->d_C, s->h_C, s->C_bytes);
    if (s->d_C_before)
        upload(s->d_C_before, s->h_C, s->C_bytes);
    if (p->beta == 0.0f)
        poison(p);
}

/** Reference and bound of a band, in s->h_want and s->h_bound. */
static void make_reference(const gemm_problem *p, int row, int rows, bool exact)
{
    struct gemm_state *s = p->state;
    gemm_problem q = *p;
#if SIMULATED
    (void)exact;
    q.A = s->h_A;
    q.B = s->h_B;
    q.C = s->h_C;
    reference_gemm(&q, row, rows, s->h_want, s->h_bound);
#else
    size_t bytes = (size_t)rows * (size_t)p->N * sizeof(double);
    q.A = s->d_A;
    q.B = s->d_B;
    q.C = s->d_C_before;
    reference_gemm_gpu(&q, row, rows, s->d_want, s->d_bound);
    CUDA_CHECK(cudaMemcpy(s->h_want, s->d_want, bytes, cudaMemcpyDeviceToHost));
    if (!exact)
        CUDA_CHECK(
            cudaMemcpy(s->h_bound, s->d_bound, bytes, cudaMemcpyDeviceToHost));
#endif
}

/** Has an input kept its bits, and a matrix its guard zones? */
static bool check_surroundings(struct gemm_state *s, const char *name,
                               const float *d_x, const float *h_x, size_t bytes)
{
    bool ok = true;
    const char *side = device_guard_broken(d_x);
    if (side) {
        fprintf(stderr, "  %s: memory %s it was written\n", name, side);
        ok = false;
    }
    for (size_t at = 0; h_x && ok && at < bytes; at += CHUNK) {
        size_t part = bytes - at < CHUNK ? bytes - at : CHUNK;
        CUDA_CHECK(cudaMemcpy(s->h_got, (const char *)d_x + at, part,
                              cudaMemcpyDeviceToHost));
        if (memcmp(s->h_got, (const char *)h_x + at, part) != 0) {
            fprintf(stderr, "  %s: an input was written\n", name);
            ok = false;
        }
    }
    return ok;
}

/** Compare every element of p->C; print what is wrong. */
static verdict check_elements(const gemm_problem *p, bool exact)
{
    struct gemm_state *s = p->state;
    verdict v = {0};
    for (int row = 0; row < p->M; row += s->band_rows) {
        int rows = p->M - row < s->band_rows ? p->M - row : s->band_rows;
        if ((double)p->M * p->N * p->K > 1e9)
            progress("%s: comparing, %.0f %%", phase, 100.0 * row / p->M);
        make_reference(p, row, rows, exact);
        CUDA_CHECK(cudaMemcpy(s->h_got, p->C + (int64_t)row * p->ldc,
                              (size_t)rows * (size_t)p->ldc * sizeof(float),
                              cudaMemcpyDeviceToHost));
        verify_elements(&v, "C", row, s->h_got, s->h_want,
                        exact ? NULL : s->h_bound, rows, p->N, p->ldc);
        verify_padding(&v, "C", row, s->h_got, rows, p->N, p->ldc);
    }
    progress_clear();
    return v;
}

/** The output of a launch that has ended, and all that it had to leave. */
static void check_result(const gemm_problem *p, bool exact)
{
    struct gemm_state *s = p->state;
    verdict v = check_elements(p, exact);
    s->error_of_bound = fmax(s->error_of_bound, v.error_of_bound);
    bool ok = v.wrong == 0;
    ok &= check_surroundings(s, "A", s->d_A, s->h_A, s->A_bytes);
    ok &= check_surroundings(s, "B", s->d_B, s->h_B, s->B_bytes);
    ok &= check_surroundings(s, "C", s->d_C, NULL, 0);
    if (ok)
        return;
    s->verified = false;
    fprintf(stderr, "%s: wrong on %s with alpha %g, beta %g", s->chapter, phase,
            p->alpha, p->beta);
    if (v.wrong > 0)
        fprintf(stderr, ": %lld of %.0f elements", v.wrong,
                (double)p->M * p->N);
    fputc('\n', stderr);
}

/** Launch, wait. */
static void run_launch(const gemm_problem *p, launch_fn launch)
{
    launches_begun++;
    if (!p->state->device.simulator)
        progress("%s", phase);
    launch(p);
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    progress_clear();
}

void gemm_verify(gemm_problem *p, launch_fn launch)
{
    struct gemm_state *s = p->state;
    const verify_case cases[] = {
        {"grid data", true, 1.0f, 0.0f},
        {"grid data", true, 0.5f, -1.0f},
        {"random data", false, p->alpha, p->beta},
    };
    int count = sizeof(cases) / sizeof(cases[0]);
    device_on_progress(on_progress);
    s->verified = true;
    for (int i = 0; i < count && s->verified; i++) {
        gemm_problem q = *p;
        q.alpha = cases[i].alpha;
        q.beta = cases[i].beta;
        phase = cases[i].name;
        make_inputs(&q, &cases[i], i);
        run_launch(&q, launch);
        if (i == 0) {
            s->launch = *device_launch();
            s->counter_count = device_counters(s->counters);
        }
        check_result(&q, cases[i].exact);
    }
}

/* ---- time ---------------------------------------------------------------- */

#if SIMULATED

void gemm_time(gemm_problem *p, launch_fn launch)
{
    if (!p->state->verified)
        return;
    phase = "random data in the last launch";
    if (p->beta == 0.0f)
        poison(p);
    else
        upload(p->C, p->state->h_C, p->state->C_bytes);
    run_launch(p, launch);
    check_result(p, false);
}

#else

/** A problem with data of its own, as the timer hands it around. */
typedef struct {
    gemm_problem p;
    launch_fn launch;
} gemm_copy;

static void enqueue(const void *context)
{
    const gemm_copy *copy = context;
    copy->launch(&copy->p);
}

static void copy_on_device(void *to, const void *from, size_t bytes)
{
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                               cudaStreamPerThread));
}

/** beta != 0: each launch needs the C that the reference starts from. */
static void restore(const void *context)
{
    const gemm_problem *p = &((const gemm_copy *)context)->p;
    copy_on_device(p->C, p->state->d_C_before, p->state->C_bytes);
}

/** beta == 0: nothing that an earlier launch left may look like a result. */
static void spoil(const void *context)
{
    poison(&((const gemm_copy *)context)->p);
}

/** Bytes as they are laid out side by side, 256-byte aligned. */
static size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/** How many copies of the inputs exceed the L2 twice; 1 if they do alone. */
static int count_copies(const struct gemm_state *s)
{
    size_t bytes = s->A_bytes + s->B_bytes + s->C_bytes;
    size_t copies = s->run.cold ? 2 * s->device.l2_bytes / bytes + 1 : 1;
    return copies < MAX_BATCH ? (int)copies : MAX_BATCH;
}

/**
 * Fill ours[i] and theirs[i]: the same inputs, outputs of their own.
 *
 * Copy 0 is the problem itself. @p d_more has room for A, B and C of the
 * others, @p d_theirs for the library's C of all.
 */
static void make_copies(const gemm_problem *p, launch_fn launch, int copies,
                        char *d_more, char *d_theirs, gemm_copy *ours,
                        gemm_copy *theirs)
{
    const struct gemm_state *s = p->state;
    for (int i = 0; i < copies; i++) {
        gemm_problem q = *p;
        if (i > 0) {
            copy_on_device(d_more, s->d_A, s->A_bytes);
            q.A = (float *)d_more;
            d_more += aligned(s->A_bytes);
            copy_on_device(d_more, s->d_B, s->B_bytes);
            q.B = (float *)d_more;
            d_more += aligned(s->B_bytes);
            q.C = (float *)d_more;
            d_more += aligned(s->C_bytes);
        }
        ours[i] = (gemm_copy){q, launch};
        restore(&ours[i]); // for the padding; beta == 0: then poisoned
        q.C = (float *)d_theirs;
        d_theirs += aligned(s->C_bytes);
        theirs[i] = (gemm_copy){q, baseline_cublas_launch};
        restore(&theirs[i]);
        if (p->beta == 0.0f) {
            spoil(&ours[i]);
            spoil(&theirs[i]);
        }
    }
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}

/** Verify what the last timed launch of each contender left. */
static void check_timed(const gemm_copy *ours, const gemm_copy *theirs)
{
    struct gemm_state *s = ours->p.state;
    check_result(&ours[s->time.last].p, false);
    if (s->baseline_note)
        return;
    if (check_elements(&theirs[s->baseline.last].p, false).wrong > 0) {
        s->baseline.repeats = 0;
        s->baseline_note = "its result is outside the bound (see stderr)";
    }
}

void gemm_time(gemm_problem *p, launch_fn launch)
{
    struct gemm_state *s = p->state;
    if (!s->verified)
        return;
    s->baseline_note = baseline_cublas_open();

    size_t copies = (size_t)count_copies(s);
    size_t more =
        aligned(s->A_bytes) + aligned(s->B_bytes) + aligned(s->C_bytes);
    char *d_more = copies > 1 ? device_alloc((copies - 1) * more) : NULL;
    char *d_theirs = device_alloc(copies * aligned(s->C_bytes));
    gemm_copy *ours = host_alloc(copies * sizeof(*ours));
    gemm_copy *theirs = host_alloc(copies * sizeof(*theirs));
    make_copies(p, launch, (int)copies, d_more, d_theirs, ours, theirs);

    const void **contexts = host_alloc(2 * copies * sizeof(*contexts));
    for (size_t i = 0; i < copies; i++) {
        contexts[i] = &ours[i];
        contexts[copies + i] = &theirs[i];
    }
    timed_run runs[2];
    for (int i = 0; i < 2; i++) {
        runs[i] = (timed_run){
            .enqueue = enqueue,
            .prepare = p->beta != 0.0f ? restore : NULL,
            .spoil = p->beta != 0.0f ? NULL : spoil,
            .contexts = contexts + (size_t)i * copies,
            .context_count = (int)copies,
            .context_bytes = s->A_bytes + s->B_bytes + s->C_bytes,
        };
    }
    timing result[2] = {0};
    time_interleaved(runs, s->baseline_note ? 1 : 2, &s->run, result);
    s->time = result[0];
    s->baseline = result[1];
    phase = "random data in the last launch";
    check_timed(ours, theirs);

    if (!s->baseline_note)
        baseline_cublas_close();
    free(contexts);
    free(ours);
    free(theirs);
    device_free(d_theirs);
    device_free(d_more);
}

#endif

/* ---- close --------------------------------------------------------------- */

static void report_gemm(const gemm_problem *p)
{
    const struct gemm_state *s = p->state;
    char size[256], size_json[256], check[128];
    snprintf(size, sizeof(size),
             "M=%d N=%d K=%d, alpha=%g beta=%g, row pitch "
             "%d %d %d",
             p->M, p->N, p->K, p->alpha, p->beta, p->lda, p->ldb, p->ldc);
    snprintf(size_json, sizeof(size_json),
             "{\"M\":%d,\"N\":%d,\"K\":%d,\"alpha\":%.9g,\"beta\":%.9g,"
             "\"lda\":%d,\"ldb\":%d,\"ldc\":%d}",
             p->M, p->N, p->K, p->alpha, p->beta, p->lda, p->ldb, p->ldc);
    snprintf(check, sizeof(check),
             "every element: grid data equal, random data at %.3f of the bound",
             s->error_of_bound);
    double M = p->M, N = p->N, K = p->K;
    double C_traffic = p->beta == 0.0f ? 1 : 2; // written, or read as well
    report_entry entry = {
        .chapter = s->chapter,
        .size = size,
        .size_json = size_json,
        .default_size = "default size 256 in the simulator; "
                        "--M, --N and --K change it",
        .verified = s->verified,
        .error_of_bound = s->error_of_bound,
        .check = check,
        .launch = s->launch,
        .counters = s->counters,
        .counter_count = s->counter_count,
        .time = s->time,
        .flop = 2 * M * N * K,
        .bytes = sizeof(float) * (M * K + K * N + C_traffic * M * N),
        .baseline_name = s->device.simulator ? NULL : "cuBLAS",
        .baseline_note = s->baseline_note,
        .baseline = s->baseline,
    };
    report(&entry, &s->device, &s->run);
}

int gemm_close(gemm_problem *p)
{
    struct gemm_state *s = p->state;
    report_gemm(p);
    int status = !s->verified                 ? EXIT_WRONG
                 : device_finding_count() > 0 ? EXIT_FINDING
                                              : EXIT_VERIFIED;
    device_free(s->d_A);
    device_free(s->d_B);
    device_free(s->d_C);
    device_free(s->d_C_before);
    device_free(s->d_want);
    device_free(s->d_bound);
    free(s->h_A);
    free(s->h_B);
    free(s->h_C);
    free(s->h_got);
    free(s->h_want);
    free(s->h_bound);
    if (s->run.json)
        fclose(s->run.json);
    free(s);
    p->state = NULL;
    return status;
}
