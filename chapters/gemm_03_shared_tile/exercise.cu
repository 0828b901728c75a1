// GEMM step 3, the exercise: the two barriers around a tile's use.
#include "gemm.h"

#define TILE 32 /**< edge of the tiles of A, B and C of a block (elements) */

__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (int64_t start = 0; start < K; start += TILE) {
        // Zeros outside of A and B: all threads meet at all barriers.
        int k_of_a = start + threadIdx.x;
        int k_of_b = start + threadIdx.y;
        bool in_a = row < M && k_of_a < K;
        bool in_b = k_of_b < K && col < N;
        As[threadIdx.y][threadIdx.x] =
            in_a ? A[(int64_t)row * lda + k_of_a] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] =
            in_b ? B[(int64_t)k_of_b * ldb + col] : 0.0f;
        // TODO, 1 line: nobody may read the tiles before they are complete

        for (int k = 0; k < TILE; k++)
            sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        // TODO, 1 line: nobody may replace the tiles before all have read them
    }

    if (row >= M || col >= N)
        return;
    float *c = C + (int64_t)row * ldc + col;
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

static void launch(const gemm_problem *p)
{
    dim3 block(TILE, TILE);
    dim3 grid(ceil_div(p->N, TILE), ceil_div(p->M, TILE));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * TILE);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    gemm_problem p = gemm_open(argc, argv, "gemm_03_shared_tile");
    gemm_verify(&p, launch);
    gemm_time(&p, launch);
    return gemm_close(&p);
}
