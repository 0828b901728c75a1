// hunt of gemm_06_vectorized
// A result is right, what stands beside it is not.

#include "gemm.h"

#define COLS 32 /**< threads of a row of a block, four columns of C each */
#define ROWS 8  /**< rows of C of a block */

/** c = alpha * sum + beta * c, for the first `valid` of four neighbours. */
static __device__ void update4(float *c, int valid, float alpha,
                               const float sum[4], float beta)
{
    // [hunt]
    bool whole = valid >= 4; // or the last columns of C
    //: bool whole = valid >= 1; // or outside of C
    // [end]
    if (whole) {
        float4 x = make_float4(alpha * sum[0], alpha * sum[1], alpha * sum[2],
                               alpha * sum[3]);
        if (beta != 0.0f) {
            float4 old = *(const float4 *)c;
            x.x += beta * old.x;
            x.y += beta * old.y;
            x.z += beta * old.z;
            x.w += beta * old.w;
        }
        *(float4 *)c = x;
    } else {
        for (int j = 0; j < valid; j++)
            c[j] = alpha * sum[j] + (beta == 0.0f ? 0.0f : beta * c[j]);
    }
}

/**
 * One thread computes four neighbours of a row of C, without shared memory.
 *
 * Launch: block (COLS, ROWS), grid (ceil(N / (4 * COLS)), ceil(M / ROWS)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    int row = blockIdx.y * ROWS + threadIdx.y;
    int col = (blockIdx.x * COLS + threadIdx.x) * 4;
    if (row >= M || col >= N)
        return;

    float sum[4] = {0.0f};
    for (int k = 0; k < K; k++) {
        float a = A[(int64_t)row * lda + k];
        float4 b = *(const float4 *)(B + (int64_t)k * ldb + col);
        sum[0] += a * b.x;
        sum[1] += a * b.y;
        sum[2] += a * b.z;
        sum[3] += a * b.w;
    }
    update4(C + (int64_t)row * ldc + col, N - col, alpha, sum, beta);
}

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(COLS, ROWS);
    dim3 grid(ceil_div(p->N, 4 * COLS), ceil_div(p->M, ROWS));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * ROWS);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    gemm_problem p = gemm_open(argc, argv, "gemm_06_vectorized");
    gemm_verify(&p, launch);
    gemm_time(&p, launch);
    return gemm_close(&p);
}
