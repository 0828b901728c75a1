// hunt of gemm_06_vectorized
// A result is right, what stands beside it is not.

#include "gemm.h"

#define COLS 32 /**< threads of a row of a block, four columns of C each */
#define ROWS 8  /**< rows of C of a block */

/** Load four neighbouring floats, 16-byte aligned, by one instruction. */
static __device__ void load4(float *to, const float *from)
{
    float4 four = *(const float4 *)from;
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

/** Store four neighbouring floats, 16-byte aligned, by one instruction. */
static __device__ void store4(float *to, const float *from)
{
    *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
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
        float b[4];
        load4(b, B + (int64_t)k * ldb + col);
        for (int j = 0; j < 4; j++)
            sum[j] += a * b[j];
    }

    C += (int64_t)row * ldc + col;
    float c[4] = {0.0f};
    if (beta != 0.0f)
        load4(c, C);
    for (int j = 0; j < 4; j++)
        c[j] = alpha * sum[j] + beta * c[j];

    // Columns of C from this thread's first on.
    int valid = N - col;
    // [hunt]
    bool whole = valid >= 4; // or the last columns of C
    //: bool whole = valid >= 1; // or outside of C
    // [end]
    if (whole)
        store4(C, c);
    else
        for (int j = 0; j < valid; j++)
            C[j] = c[j];
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
    return gemm_main(argc, argv, "gemm_06_vectorized", launch);
}
