// hunt of gemm_01_naive
// Right for 32, 64 and 256, wrong for 33.
#include "gemm.h"

#define BLOCK 32 /**< edge of the tile of C of one block (elements) */

/**
 * One thread computes one element of C.
 *
 * Launch: block (BLOCK, BLOCK), a block for each tile of C.
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    int row = blockIdx.y * BLOCK + threadIdx.y;
    int col = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= M || col >= N)
        return; // beyond the edge of C

    const float *a = A + (int64_t)row * lda; // row of A, then along it
    const float *b = B + col;                // column of B, then down it
    float sum = 0.0f;
    for (int k = 0; k < K; k++)
        sum += a[k] * b[(int64_t)k * ldb];

    float *c = C + (int64_t)row * ldc + col;
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(BLOCK, BLOCK);
    // [hunt]
    dim3 grid(ceil_div(p->N, BLOCK), ceil_div(p->M, BLOCK));
    //: dim3 grid(max(p->N / BLOCK, 1), max(p->M / BLOCK, 1));
    // [end]
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * BLOCK);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_01_naive", launch);
}
