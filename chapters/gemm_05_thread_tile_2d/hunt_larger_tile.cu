// hunt of gemm_05_thread_tile_2d
// Right until a tile had 128 rows.

#include "gemm.h"

#define BM 128                        /**< rows of the tile of C of a block */
#define BN 64                         /**< columns of that tile */
#define BK 8                          /**< step along K (elements) */
#define TM 8                          /**< rows of the tile of C of a thread */
#define TN 8                          /**< columns of that tile */
#define THREADS (BM / TM * (BN / TN)) /**< threads of one block: 128 */

/**
 * One thread computes TM x TN elements of C: every (BM / TM)-th row and every
 * (BN / TN)-th column of the tile, so that a warp has neighbours of both.
 *
 * Launch: block (THREADS), grid (ceil(N / BN), ceil(M / BM)).
 */
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(int M, int N, int K, float alpha, const float *A, int lda,
                const float *B, int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];
    int tile_row = blockIdx.y * BM, tile_col = blockIdx.x * BN;
    int thread_row = threadIdx.x / (BN / TN);
    int thread_col = threadIdx.x % (BN / TN);

    float sum[TM][TN] = {{0.0f}};
    for (int64_t first = 0; first < K; first += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += THREADS) {
            int row = tile_row + i / BK, k = first + i % BK;
            As[i / BK][i % BK] =
                row < M && k < K ? A[(int64_t)row * lda + k] : 0.0f;
        }
        for (int i = threadIdx.x; i < BK * BN; i += THREADS) {
            int k = first + i / BN, col = tile_col + i % BN;
            Bs[i / BN][i % BN] =
                k < K && col < N ? B[(int64_t)k * ldb + col] : 0.0f;
        }
        __syncthreads(); // both tiles are complete before anybody reads them
        for (int k = 0; k < BK; k++) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; i++)
                a[i] = As[thread_row + i * TM][k];
            for (int j = 0; j < TN; j++)
                b[j] = Bs[k][thread_col + j * (BN / TN)];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads(); // all have read the tiles before they are replaced
    }

    for (int i = 0; i < TM; i++) {
        int row = tile_row + thread_row + i * (BM / TM);
        for (int j = 0; j < TN; j++) {
            int col = tile_col + thread_col + j * (BN / TN);
            float *c = C + (int64_t)row * ldc + col;
            float x = alpha * sum[i][j];
            if (row < M && col < N)
                *c = beta == 0.0f ? x : x + beta * *c;
        }
    }
}

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(THREADS);
    dim3 grid(ceil_div(p->N, BN), ceil_div(p->M, BM));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * BM);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    gemm_problem p = gemm_open(argc, argv, "gemm_05_thread_tile_2d");
    gemm_verify(&p, launch);
    gemm_time(&p, launch);
    return gemm_close(&p);
}
