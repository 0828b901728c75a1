// GEMM step 4, the exercise: a thread computes 8 elements of a row of C.
#include "gemm.h"

#define BM 64                    /**< rows of the tile of C of a block */
#define BN 64                    /**< columns of that tile */
#define BK 8                     /**< step along K (elements) */
#define TN 8                     /**< elements of C of a thread, in one row */
#define THREADS (BM * (BN / TN)) /**< threads of one block: 512 */

/** Launch: block (THREADS), grid (ceil(N / BN), ceil(M / BM)). */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];
    int t = threadIdx.x;
    int tile_row = blockIdx.y * BM, tile_col = blockIdx.x * BN;
    int y = t / (BN / TN); // row of the tile that this thread computes in
    int x = t % (BN / TN); // which of the 8 threads of that row it is

    float sum[TN] = {0.0f};
    for (int64_t first = 0; first < K; first += BK) {
        // The words that this thread brings; zeros beyond the edges.
        int row = tile_row + t / BK, k_a = first + t % BK;
        int k_b = first + t / BN, col = tile_col + t % BN;
        As[t / BK][t % BK] =
            row < M && k_a < K ? A[(int64_t)row * lda + k_a] : 0.0f;
        Bs[t / BN][t % BN] =
            k_b < K && col < N ? B[(int64_t)k_b * ldb + col] : 0.0f;
        __syncthreads(); // both tiles are complete before anybody reads them
        for (int k = 0; k < BK; k++) {
            // [write 3] add this k to all sums, by TN + 1 loads
            float a = As[y][k];
            for (int j = 0; j < TN; j++)
                sum[j] += a * Bs[k][x + j * (BN / TN)];
            //: sum[0] += As[y][k] * Bs[k][x];
            // [end]
        }
        __syncthreads(); // all have read the tiles before they are replaced
    }

    for (int j = 0; j < TN; j++) {
        int row = tile_row + y;
        // [write 1] the column of C that sum[j] belongs to
        int col = tile_col + x + j * (BN / TN);
        //: int col = tile_col + x;
        // [end]
        float *c = C + (int64_t)row * ldc + col;
        if (row < M && col < N)
            *c = beta == 0.0f ? alpha * sum[j] : alpha * sum[j] + beta * *c;
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
    gemm_problem p = gemm_open(argc, argv, "gemm_04_thread_tile_1d");
    gemm_verify(&p, launch);
    gemm_time(&p, launch);
    return gemm_close(&p);
}
