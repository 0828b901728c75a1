/**
 * @file faults.cu
 * @brief Kernels with one planted fault each, and right ones of every kind.
 *
 *     faults NAME [--M ...]
 *
 * runs one of them as a chapter runs its kernel. cases.py demands that
 * every fault is refused, for the right reason, and that no right kernel is; on
 * a GPU, too.
 */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "gemm.h"

#define BLOCK 16 /**< edge of a block (threads) */
/** Launches with the small problem: they are right, so that faults are found
 *  at the size asked for. */
#define SMALL 26

/* ---- faults -------------------------------------------------------------- */

/**
 * What is wrong, then the right ones by the way in which they add.
 *
 * OUTSIDE_BOUND: one element off by twice its bound; INSIDE_BOUND: all by half
 * of theirs, which is no fault. ..._TIMED: not while verified. TF32_A: A
 * rounded to TF32; FLOAT16_SUM: summed with 11 bits. PITCHES_SWAPPED: ldb and
 * ldc; from there on up to DENORMAL_LOST also in the small problem.
 * ALPHA_FIRST: (alpha a) b is summed.
 */
#define KERNELS                                                                \
    SMALLEST_STEP, OUTSIDE_BOUND, INSIDE_BOUND, ONE_NAN, ONE_INF,              \
        ONE_UNWRITTEN, ONE_UNWRITTEN_WITH_BETA, WRITTEN_PAST, WRITTEN_BEFORE,  \
        WRITTEN_INTO_PADDING, PADDING_ZEROED_AT_LAST_ROW, INPUT_WRITTEN,       \
        ALPHA_IGNORED, BETA_IGNORED, C_READ, TRANSPOSED, LAST_ROW_SKIPPED,     \
        LAST_COL_SKIPPED, LAST_K_SKIPPED, FIRST_K_SKIPPED, ONE_K_TOO_MANY,     \
        LEFT_OVER, LEFT_OVER_TIMED, TF32_A, TF32_B, TF32_BOTH, BFLOAT16_A,     \
        BFLOAT16_B, BFLOAT16_BOTH, TF32_TIMED, FLOAT16_SUM, PITCHES_SWAPPED,   \
        NAN_LOST, INF_CUT, DENORMAL_LOST, FORWARD, BACKWARD, PAIRWISE,         \
        BLOCKED, FUSED, NOT_FUSED, ALPHA_FIRST, BEGINS_WITH_BETA_C
enum kernel { NO_FAULT = -1, KERNELS, KERNEL_COUNT };

/** @p x with @p bits significant bits: rounded to nearest, ties to even. */
static __device__ float rounded(float x, int bits)
{
    uint32_t word = __float_as_uint(x);
    int dropped = 24 - bits;
    uint32_t last = 1u << dropped; // of those that stay
    word += last / 2 - 1 + (word / last & 1);
    return __uint_as_float(word & ~(last - 1));
}

/** An element of A or B as the faulty kernel takes it: rounded if the fault is
 *  that of its matrix, or of both. */
static __device__ float taken(enum kernel fault, float x, enum kernel tf32,
                              enum kernel bfloat16)
{
    if (fault == tf32 || fault == TF32_BOTH)
        return rounded(x, 11);
    if (fault == bfloat16 || fault == BFLOAT16_BOTH)
        return rounded(x, 8);
    return x;
}

/** One thread computes one element of C, with a fault. */
__global__ void faulty_kernel(enum kernel fault, int launch, gemm_problem p)
{
    int row = blockIdx.y * BLOCK + threadIdx.y;
    int col = blockIdx.x * BLOCK + threadIdx.x;
    bool middle = row == p.M / 2 && col == p.N / 2;
    bool last = row == p.M - 1 && col == p.N - 1;
    if (row >= p.M || col >= p.N)
        return;
    if ((fault == LAST_ROW_SKIPPED && row == p.M - 1) ||
        (fault == LAST_COL_SKIPPED && col == p.N - 1) ||
        (fault == ONE_UNWRITTEN && middle) ||
        (fault == ONE_UNWRITTEN_WITH_BETA && middle && p.beta != 0.0f))
        return;

    int ldb = fault == PITCHES_SWAPPED ? p.ldc : p.ldb;
    int ldc = fault == PITCHES_SWAPPED ? p.ldb : p.ldc;
    int begin = fault == FIRST_K_SKIPPED;
    int end = p.K - (fault == LAST_K_SKIPPED) + (fault == ONE_K_TOO_MANY);
    float sum = 0.0f;
    float size = 0.0f;
    for (int k = begin; k < end; k++) {
        float a = p.A[(int64_t)row * p.lda + k];
        float b = p.B[(int64_t)k * ldb + col];
        float product = taken(fault, a, TF32_A, BFLOAT16_A) *
                        taken(fault, b, TF32_B, BFLOAT16_B);
        sum += product;
        if (fault == FLOAT16_SUM)
            sum = rounded(sum, 11);
        size += fabsf(product);
    }

    float alpha = fault == ALPHA_IGNORED ? 1.0f : p.alpha;
    float beta = fault == BETA_IGNORED ? 0.0f : p.beta;
    float *c = p.C + (int64_t)row * ldc + col;
    float result = alpha * sum;
    if (beta != 0.0f || fault == C_READ)
        result += beta * *c;

    // Launches 0 and 1 are on exact data, where the bound is 0.
    float bound = (p.K + 3) * 0x1p-24f *
                  (fabsf(alpha) * size + fabsf(beta == 0 ? 0.0f : beta * *c));
    if (fault == OUTSIDE_BOUND && middle && launch >= 2)
        result += 2.0f * bound; // its own rounding takes away at most 1
    if (fault == INSIDE_BOUND && launch >= 2)
        result += 0.5f * bound;
    if (fault == SMALLEST_STEP && middle)
        result += 1.0f / 64;
    if (fault == ONE_NAN && middle)
        result = NAN;
    if (fault == ONE_INF && middle)
        result = INFINITY;
    if (fault == NAN_LOST && isnan(result))
        result = 0.0f;
    if (fault == INF_CUT && isinf(result))
        result = copysignf(FLT_MAX, result);
    if (fault == DENORMAL_LOST && fabsf(result) < FLT_MIN)
        result = 0.0f;
    if (fault == TRANSPOSED)
        c = p.C + (int64_t)col * p.ldc + row;
    *c = result;

    if (fault == WRITTEN_PAST && last)
        p.C[(int64_t)p.M * p.ldc] = 0.0f;
    if (fault == WRITTEN_BEFORE && last)
        p.C[-1] = 0.0f;
    if (fault == WRITTEN_INTO_PADDING && last)
        p.C[p.N] = 0.0f;
    if (fault == PADDING_ZEROED_AT_LAST_ROW && last)
        p.C[(int64_t)p.M * p.ldc - 1] = 0.0f;
    if (fault == INPUT_WRITTEN && last)
        ((float *)p.B)[0] += 1.0f;
}

static enum kernel fault;

static void launch_fault(const gemm_problem *p)
{
    static int launches;
    int launch = launches++ - SMALL;
    if ((fault == LEFT_OVER && launch > 0) ||
        (fault == LEFT_OVER_TIMED && launch > 2))
        return;
    bool planted = launch >= 0 || fault >= PITCHES_SWAPPED;
    if (fault == TF32_TIMED && launch > 2)
        fault = TF32_BOTH;
    dim3 block(BLOCK, BLOCK);
    dim3 grid(ceil_div(p->N, BLOCK), ceil_div(p->M, BLOCK));
    faulty_kernel<<<grid, block>>>(planted ? fault : NO_FAULT, launch, *p);
    CHECK_LAUNCH(faulty_kernel, grid, block, 0);
}

/* ---- right kernels ------------------------------------------------------- */

/** Pairs, then pairs of pairs, and so on: a stack of sums of 2^i terms. */
static __device__ float sum_pairwise(const float *a, const float *b, int ldb,
                                     int K)
{
    float stack[32];
    int depth = 0;
    for (int k = 0; k < K; k++) {
        float sum = a[k] * b[(int64_t)k * ldb];
        for (int full = k; full & 1; full >>= 1)
            sum += stack[--depth];
        stack[depth++] = sum;
    }
    float sum = 0.0f;
    while (depth > 0)
        sum += stack[--depth];
    return sum;
}

/** Sums of 7 terms each, then the sum of those. */
static __device__ float sum_blocked(const float *a, const float *b, int ldb,
                                    int K)
{
    float sum = 0.0f;
    for (int k_0 = 0; k_0 < K; k_0 += 7) {
        float part = 0.0f;
        for (int k = k_0; k < K && k < k_0 + 7; k++)
            part += a[k] * b[(int64_t)k * ldb];
        sum += part;
    }
    return sum;
}

/** One thread computes one element of C, in the order asked for. */
__global__ void right_kernel(enum kernel order, gemm_problem p)
{
    int row = blockIdx.y * BLOCK + threadIdx.y;
    int col = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= p.M || col >= p.N)
        return;
    const float *a = p.A + (int64_t)row * p.lda;
    const float *b = p.B + col;
    float *c = p.C + (int64_t)row * p.ldc + col;
    float beta_c = p.beta == 0.0f ? 0.0f : p.beta * *c;
    float sum = order == BEGINS_WITH_BETA_C ? beta_c : 0.0f;

    if (order == PAIRWISE)
        sum = sum_pairwise(a, b, p.ldb, p.K);
    if (order == BLOCKED)
        sum = sum_blocked(a, b, p.ldb, p.K);
    for (int i = 0; i < p.K && order != PAIRWISE && order != BLOCKED; i++) {
        int k = order == BACKWARD ? p.K - 1 - i : i;
        float b_k = b[(int64_t)k * p.ldb];
        if (order == FUSED)
            sum = fmaf(a[k], b_k, sum);
        else if (order == NOT_FUSED)
            sum = __fadd_rn(sum, __fmul_rn(a[k], b_k));
        else if (order == ALPHA_FIRST || order == BEGINS_WITH_BETA_C)
            sum += p.alpha * a[k] * b_k;
        else
            sum += a[k] * b_k;
    }

    if (order == BEGINS_WITH_BETA_C)
        *c = sum;
    else if (order == ALPHA_FIRST)
        *c = sum + beta_c;
    else if (order == NOT_FUSED)
        *c = __fadd_rn(__fmul_rn(p.alpha, sum), beta_c);
    else
        *c = p.alpha * sum + beta_c;
}

static enum kernel order;

static void launch_right(const gemm_problem *p)
{
    dim3 block(BLOCK, BLOCK);
    dim3 grid(ceil_div(p->N, BLOCK), ceil_div(p->M, BLOCK));
    right_kernel<<<grid, block>>>(order, *p);
    CHECK_LAUNCH(right_kernel, grid, block, 0);
}

/* ---- main ---------------------------------------------------------------- */

#define TEXT(...) #__VA_ARGS__
#define TEXT_OF(list) TEXT(list)

/** A kernel's name, as the command line has it; never freed. */
static const char *name_of(int i)
{
    char *words = strdup(TEXT_OF(KERNELS)), *word = strtok(words, ", ");
    while (i-- > 0)
        word = strtok(NULL, ", ");
    for (char *c = word; *c; c++)
        *c = (char)tolower(*c);
    return word;
}

int main(int argc, char **argv)
{
    int kernel = 0;
    while (argc > 1 && kernel < KERNEL_COUNT &&
           strcmp(argv[1], name_of(kernel)) != 0)
        kernel++;
    REQUIRE(argc > 1 && kernel < KERNEL_COUNT, "faults: no such kernel");
    fault = order = (enum kernel)kernel;
    launch_fn launch = kernel < FORWARD ? launch_fault : launch_right;
    return gemm_main(argc - 1, argv + 1, "faults", launch);
}
