/**
 * @file gemm_bf16.h
 * @brief The GEMM problem of the tensor-core chapters: bfloat16 in and out.
 *
 * C = alpha * A * B + beta * C, row-major, as in gemm.h: A, B and C are
 * bfloat16, sums are float32, and each element of C is rounded once, to
 * nearest.
 *
 * Each pitch is a multiple of 8 elements, 16 bytes, as the copy engine demands;
 * ldc has 8 more where N is not a multiple of 8.
 *
 * Verified are whole numbers, whose sums are exact: C must be equal to what the
 * exact sum rounds to, with factors of 12 and 9 bits where K is at most 127;
 * then random data, within the bound of internal.h. With --gelu no result is
 * exact, and the bound holds for both.
 */
#ifndef GEMM_BF16_H
#define GEMM_BF16_H

#include "gemm.h"

#ifdef __CUDACC__
#include <cuda_bf16.h>
typedef __nv_bfloat16 bfloat16; /**< the upper half of a float32 */
#else
typedef uint16_t bfloat16; /**< the same, its bits */
#endif

/** One problem; begins member by member as gemm_problem. */
typedef struct {
    int M;                /**< rows of A and C */
    int N;                /**< columns of B and C */
    int K;                /**< columns of A, rows of B; at most 2^24 */
    float alpha;          /**< default 1 */
    float beta;           /**< default 0: C is not read, it holds NaN */
    const bfloat16 *A;    /**< [M x K], device, 16-byte aligned rows */
    int lda;              /**< see above; padding holds 0 */
    const bfloat16 *B;    /**< [K x N], device, 16-byte aligned rows */
    int ldb;              /**< see above; padding holds 0 */
    bfloat16 *C;          /**< [M x N], device, 16-byte aligned rows */
    int ldc;              /**< see above; the padding of C must keep its bits */
    int pad;              /**< --pad, which the three pitches hold already */
    int gelu;             /**< 1: C = gelu(alpha * A * B + beta * C + bias) */
    const bfloat16 *bias; /**< [N], device; NULL: no gelu */
} gemm_bf16_problem;

#ifdef __cplusplus
extern "C" {
#endif

/** Enqueues one GEMM on the device; must not wait for it. */
typedef void (*launch_bf16_fn)(const gemm_bf16_problem *p);

/**
 * As gemm_main(), timed beside cublasGemmEx and two algorithms of cublasLt.
 *
 * @param least,most  compute capabilities on which the chapter runs, 90 for
 *                    9.0, 0: any newer one; on another GPU it ends with
 *                    EXIT_UNSUPPORTED
 */
int gemm_bf16_main(int argc, char **argv, const char *chapter,
                   launch_bf16_fn launch, int least, int most);

/** The same with the option --gelu: the problem may have a bias. */
int gemm_gelu_main(int argc, char **argv, const char *chapter,
                   launch_bf16_fn launch, int least, int most);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
/**
 * x / 2 (1 + tanh(u / 2)), the Gaussian error linear unit in its usual form
 * (Hendrycks and Gimpel 2016), as the quotient x / (1 + 2^v), v = -u / log 2.
 *
 * The two instructions are exact to 2^-22 and take tiny numbers for 0 (.ftz);
 * __expf and __fdividef take care of these by more instructions. PTX ISA: ex2,
 * rcp.
 */
static __device__ inline float gelu(float x)
{
    float v = x * (-2.3022082f - 0.10294324f * x * x), power, quotient;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(v));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(quotient) : "f"(1.0f + power));
    return x * quotient;
}

/**
 * Two neighbours of a row of C, alpha * sum + beta * C, rounded once.
 *
 * @param C     the first of them; not read if beta is 0
 * @param left  elements of the row from there on
 * @param bias  of these columns, for gelu(... + bias); NULL: no gelu
 */
static __device__ inline __nv_bfloat162 pair_of(const bfloat16 *C, float alpha,
                                                const float sum[2], float beta,
                                                int left,
                                                const bfloat16 *bias = NULL)
{
    float c[2] = {alpha * sum[0], alpha * sum[1]};
    for (int i = 0; i < 2; i++) {
        if (beta != 0.0f && i < left)
            c[i] += beta * __bfloat162float(C[i]);
        if (bias && i < left)
            c[i] = gelu(c[i] + __bfloat162float(bias[i]));
    }
    return __floats2bfloat162_rn(c[0], c[1]);
}

/** Store a pair, 4-byte aligned; of one beyond the edge only what is not. */
static __device__ inline void put_pair(bfloat16 *C, __nv_bfloat162 pair,
                                       int left)
{
    if (left > 1)
        *(__nv_bfloat162 *)C = pair;
    else if (left == 1)
        *C = pair.x;
}

/** Both: what most chapters do with their sums. */
static __device__ inline void
store_pair(bfloat16 *C, float alpha, const float sum[2], float beta, int left)
{
    put_pair(C, pair_of(C, alpha, sum, beta, left), left);
}
#endif

#endif
