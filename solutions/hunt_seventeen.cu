// hunt of gemm_04_thread_tile_1d
// Right for K = 21, wrong for K = 17.

#include "gemm.h"

#define BM 64                  /**< rows of the tile of C of a block */
#define BN 64                  /**< columns of that tile */
#define BK 8                   /**< step along K (elements) */
#define TM 8                   /**< rows of the tile of C of a thread */
#define THREADS (BM / TM * BN) /**< threads of one block: 512 */

/**
 * One thread computes TM consecutive elements of a column of C.
 *
 * Launch: block (THREADS), grid (ceil(N / BN), ceil(M / BM)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];
    int a_row = threadIdx.x / BK, a_k = threadIdx.x % BK;
    int b_k = threadIdx.x / BN, b_col = threadIdx.x % BN;
    int tile_row = blockIdx.y * BM, tile_col = blockIdx.x * BN;
    const float *a = A + (int64_t)(tile_row + a_row) * lda + a_k;
    int row = tile_row + threadIdx.x / BN * TM; // the first of TM
    int col = tile_col + threadIdx.x % BN;

    float sum[TM] = {0.0f};
    for (int64_t first = 0; first < K; first += BK) {
        // Beyond K a product must be 0: A has zeros there, and B its last row
        // again. Beyond the edges of C anything will do.
        int b_row = (int)min(first + b_k, (int64_t)K - 1);
        int b_at = min(tile_col + b_col, N - 1);
        // [hunt]
        bool in_a = tile_row + a_row < M && first + a_k < K;
        //: bool in_a = a + first < A + (int64_t)(M - 1) * lda + K;
        // [end]
        As[a_row][a_k] = in_a ? a[first] : 0.0f;
        Bs[b_k][b_col] = B[(int64_t)b_row * ldb + b_at];
        __syncthreads(); // both tiles are complete before anybody reads them
        for (int k = 0; k < BK; k++) {
            float b = Bs[k][threadIdx.x % BN];
            for (int i = 0; i < TM; i++)
                sum[i] += As[threadIdx.x / BN * TM + i][k] * b;
        }
        __syncthreads(); // all have read the tiles before they are replaced
    }

    for (int i = 0; i < TM && row + i < M && col < N; i++) {
        float *c = C + (int64_t)(row + i) * ldc + col;
        *c = beta == 0.0f ? alpha * sum[i] : alpha * sum[i] + beta * *c;
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
