// GEMM step 1, the exercise: which element of C belongs to which thread?
#include "gemm.h"

#define BLOCK 32 /**< edge of the tile of C of one block (elements) */

__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    // [write 2] the row and the column of C that this thread computes;
    // x selects the row, as in the lesson
    int row = blockIdx.x * BLOCK + threadIdx.x;
    int col = blockIdx.y * BLOCK + threadIdx.y;
    //: int row = 0;
    //: int col = 0;
    // [end]
    if (row >= M || col >= N)
        return;

    const float *a = A + (int64_t)row * lda; // row of A, then along it
    const float *b = B + col;                // column of B, then down it
    float sum = 0.0f;
    for (int k = 0; k < K; k++)
        sum += a[k] * b[(int64_t)k * ldb];

    float *c = C + (int64_t)row * ldc + col;
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

static void launch(const gemm_problem *p)
{
    dim3 block(BLOCK, BLOCK);
    dim3 grid(ceil_div(p->M, BLOCK), ceil_div(p->N, BLOCK));
    REQUIRE(grid.y <= MAX_GRID_Y, "--N %d: this kernel takes at most %d", p->N,
            MAX_GRID_Y * BLOCK);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_01_naive", launch);
}
