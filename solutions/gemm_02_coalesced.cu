// GEMM step 2, the exercise: a warp of 2 rows and 16 columns.
#include "gemm.h"

#define COLS 32               /**< columns of the tile of C of a block */
#define ROWS 8                /**< rows of that tile */
#define THREADS (COLS * ROWS) /**< threads of one block: 256 */

/** Launch: block (THREADS), grid (ceil(N / COLS), ceil(M / ROWS)). */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    // [write 4] row and col of this thread, so that each warp of the block
    // has 2 rows and 16 columns of its tile
    int warp = threadIdx.x / 32; // two of them side by side
    int lane = threadIdx.x % 32;
    int row = blockIdx.y * ROWS + warp / 2 * 2 + lane / 16;
    int col = blockIdx.x * COLS + warp % 2 * 16 + lane % 16;
    //: int row = blockIdx.y * ROWS;
    //: int col = blockIdx.x * COLS;
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

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(THREADS);
    dim3 grid(ceil_div(p->N, COLS), ceil_div(p->M, ROWS));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * ROWS);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_02_coalesced", launch);
}
