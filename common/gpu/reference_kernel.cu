/**
 * @file reference_kernel.cu
 * @brief What a GEMM should have computed, on a GPU: plain and in float64.
 *
 * Not a lesson in speed: square tiles in shared memory, as in
 * gemm_03_shared_tile, are enough here. tests/gpu compares it with
 * reference.c.
 */
#include <cfloat>
#include <stdint.h>

#include "internal.h"

#define TILE 16 /**< edge of the tiles of A, B and C (elements) */

static __device__ double number(float x)
{
    return x;
}

static __device__ double number(bfloat16 x)
{
    return __bfloat162float(x);
}

/** What comes behind the sum: nothing, or perhaps gelu, and C is rounded. */
static __device__ void finish(const gemm_problem &, int, bool, double *,
                              double *)
{
}

static __device__ void finish(const gemm_bf16_problem &p, int col, bool exact,
                              double *want, double *bound)
{
    if (p.bias)
        reference_gelu(number(p.bias[col]), want, bound);
    reference_round(exact && !p.bias, want, bound);
}

/**
 * One thread computes one element of want and bound.
 *
 * @param p      a gemm_problem or gemm_bf16_problem, all in device memory
 * @param gamma  factor of the bound
 * @param exact  see reference_bf16()
 * @param want   [M x N], contiguous
 * @param bound  [M x N], contiguous
 *
 * Launch: block (TILE, TILE), grid (ceil(N / TILE), ceil(M / TILE)).
 */
template <class P>
static __global__ void reference_kernel(P p, double gamma, bool exact,
                                        double *want, double *bound)
{
    __shared__ double As[TILE][TILE];
    __shared__ double Bs[TILE][TILE];
    int thread_row = threadIdx.y;
    int thread_col = threadIdx.x;
    int row = blockIdx.y * TILE + thread_row;
    int col = blockIdx.x * TILE + thread_col;

    double sum = 0.0;
    double size = 0.0; // of the sum with all signs dropped
    for (int64_t k_0 = 0; k_0 < p.K; k_0 += TILE) {
        int64_t k_a = k_0 + thread_col;
        int64_t k_b = k_0 + thread_row;
        As[thread_row][thread_col] =
            row < p.M && k_a < p.K ? number(p.A[(int64_t)row * p.lda + k_a])
                                   : 0.0;
        Bs[thread_row][thread_col] =
            col < p.N && k_b < p.K ? number(p.B[k_b * p.ldb + col]) : 0.0;
        __syncthreads(); // nobody reads a tile before all of it is there
        for (int k = 0; k < TILE; k++) {
            double product = As[thread_row][k] * Bs[k][thread_col];
            sum += product;
            size += fabs(product);
        }
        __syncthreads(); // nobody overwrites a tile that others still read
    }
    if (row >= p.M || col >= p.N)
        return;

    double beta_c = 0.0; // beta == 0: C may hold NaN
    if (p.beta != 0.0f)
        beta_c = (double)p.beta * number(p.C[(int64_t)row * p.ldc + col]);
    int64_t at = (int64_t)row * p.N + col;
    want[at] = (double)p.alpha * sum + beta_c;
    bound[at] = gamma * (fabs((double)p.alpha) * size + fabs(beta_c)) + FLT_MIN;
    finish(p, col, exact, &want[at], &bound[at]);
}

/** The problem whose C is band @p b of the C of @p p. */
template <class P>
static P part_of(P part, const band &b)
{
    part.A += b.row * part.lda;
    part.B += b.col;
    part.C += b.row * part.ldc + b.col;
    part.M = (int)b.rows;
    part.N = (int)b.cols;
    return part;
}

template <class P>
static void run(const P &p, double gamma, bool exact, double *want,
                double *bound)
{
    const int most = MAX_GRID_Y * TILE; // rows of one launch
    dim3 block(TILE, TILE);
    for (int64_t row = 0; row < p.M; row += most) {
        int64_t rows = p.M - row < most ? p.M - row : most;
        P part = part_of(p, band{row, 0, rows, p.N});
        dim3 grid(ceil_div(part.N, TILE), ceil_div(part.M, TILE));
        reference_kernel<<<grid, block>>>(part, gamma, exact, want + row * p.N,
                                          bound + row * p.N);
        // Not CHECK_LAUNCH: messages name the chapter's kernel.
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}

void reference_gemm_gpu(const gemm_problem *p, double *want, double *bound)
{
    run(*p, verify_gamma(p->K + 3.0), false, want, bound);
}

void reference_bf16_gpu(const gemm_bf16_problem *p, const band *b, bool exact,
                        double *want, double *bound)
{
    gemm_bf16_problem part = part_of(*p, *b);
    if (part.bias)
        part.bias += b->col;
    run(part, verify_gamma(2.0 * p->K + 3.0), exact, want, bound);
}
