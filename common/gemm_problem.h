/**
 * @file gemm_problem.h
 * @brief What a GEMM kernel is called with.
 *
 * C = alpha * A * B + beta * C in float32, row-major:
 * A [M x K], B [K x N], C [M x N], leading dimensions lda, ldb, ldc.
 *
 * beta == 0 means that C is not read: it holds NaN before the first launch.
 * 1 <= M, N, K < 2^31 - 8, and lda * M etc. may exceed 2^31: offsets of rows
 * and tiles are 64 bits wide.
 *
 * The three pitches differ wherever a kernel could mix them up unnoticed:
 * each is the row rounded up to a multiple of 4 floats, plus `--pad`; ldc has
 * `--pad` once more, and 4 more where N is not a multiple of 4. So for N = 256
 * and no padding ldb = ldc = 256, as one would expect, and for N = 130
 * ldb = 132, ldc = 136.
 */
#ifndef GEMM_PROBLEM_H
#define GEMM_PROBLEM_H

/** One problem. A kernel takes its members. */
typedef struct {
    int M;          /**< rows of A and C */
    int N;          /**< columns of B and C */
    int K;          /**< columns of A, rows of B */
    float alpha;    /**< default 1 */
    float beta;     /**< default 0 */
    const float *A; /**< [M x K], device, 16-byte aligned rows */
    int lda;        /**< see above; padding holds 0 */
    const float *B; /**< [K x N], device, 16-byte aligned rows */
    int ldb;        /**< see above; padding holds 0 */
    float *C;       /**< [M x N], device, 16-byte aligned rows */
    int ldc;        /**< see above; the padding of C must keep its bits */
    int pad;        /**< --pad, which the three pitches hold already */
} gemm_problem;

#endif
