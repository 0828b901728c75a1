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

#include "device.h"
#include "reference.h"
#include "verify.h"

#define TILE 16 /**< edge of the tiles of A, B and C (elements) */

/**
 * One thread computes one element of want and bound.
 *
 * @param p      A, B and C in device memory
 * @param gamma  factor of the bound
 * @param want   [M x N], contiguous
 * @param bound  [M x N], contiguous
 *
 * Launch: block (TILE, TILE), grid (ceil(N / TILE), ceil(M / TILE)).
 */
static __global__ void reference_kernel(gemm_problem p, double gamma,
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
            row < p.M && k_a < p.K ? p.A[(int64_t)row * p.lda + k_a] : 0.0;
        Bs[thread_row][thread_col] =
            col < p.N && k_b < p.K ? p.B[k_b * p.ldb + col] : 0.0;
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
        beta_c = (double)p.beta * p.C[(int64_t)row * p.ldc + col];
    int64_t at = (int64_t)row * p.N + col;
    want[at] = (double)p.alpha * sum + beta_c;
    bound[at] = gamma * (fabs((double)p.alpha) * size + fabs(beta_c)) + FLT_MIN;
}

void reference_gemm_gpu(const gemm_problem *p, double *want, double *bound)
{
    const int most = MAX_GRID_Y * TILE; // rows of one launch
    double gamma = verify_gamma(p->K + 3.0);
    dim3 block(TILE, TILE);
    for (int64_t row = 0; row < p->M; row += most) {
        int64_t rows = p->M - row < most ? p->M - row : most;
        band b = {row, 0, rows, p->N};
        gemm_problem part = reference_part(p, &b);
        dim3 grid(ceil_div(part.N, TILE), ceil_div(part.M, TILE));
        reference_kernel<<<grid, block>>>(part, gamma, want + row * p->N,
                                          bound + row * p->N);
        // Not CHECK_LAUNCH: messages name the chapter's kernel.
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}
