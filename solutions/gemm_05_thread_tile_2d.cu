// GEMM step 5, the exercise: 4 x 4 elements of C a thread, no bank conflict.
#include "gemm.h"

#define BM 64                         /**< rows of the tile of C of a block */
#define BN 64                         /**< columns of that tile */
#define BK 8                          /**< step along K */
#define TM 4                          /**< rows of C of a thread */
#define TN 4                          /**< columns of C of a thread */
#define THREADS (BM / TM * (BN / TN)) /**< of a block: 256 */

/** Launch: block (THREADS), grid (ceil(N / BN), ceil(M / BM)). */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[BK][BM]; // transposed: the rows of a k are neighbours
    __shared__ float Bs[BK][BN];

    int thread = threadIdx.x;
    int row = blockIdx.y * BM; // the first of the tile of C
    int col = blockIdx.x * BN;
    A += (int64_t)row * lda;
    B += col;
    // [write 4] the first row and column of the TM x TN neighbours that
    // this thread computes, counted from the corner of the tile
    int warp = thread / 32; // 4 rows of 2 warps
    int lane = thread % 32; // 4 rows of 8 lanes
    int thread_row = (warp / 2 * 4 + lane / 8) * TM;
    int thread_col = (warp % 2 * 8 + lane % 8) * TN;
    //: int thread_row = 0;
    //: int thread_col = 0;
    // [end]
    float sum[TM][TN] = {{0.0f}};

    for (int left = K; left > 0; left -= BK) {
        for (int i = thread; i < BM * BK; i += THREADS) {
            int m = i / BK, k = i % BK;
            bool inside = row + m < M && k < left;
            As[k][m] = inside ? A[(int64_t)m * lda + k] : 0.0f;
        }
        for (int i = thread; i < BK * BN; i += THREADS) {
            int k = i / BN, n = i % BN;
            bool inside = k < left && col + n < N;
            Bs[k][n] = inside ? B[(int64_t)k * ldb + n] : 0.0f;
        }
        A += BK;                // the next tile of A is to the right
        B += (int64_t)BK * ldb; // the next tile of B is below
        __syncthreads();        // both tiles are complete

        for (int k = 0; k < BK; k++) {
            // [write 8] add this k to all sums, by TM + TN loads
            float a[TM], b[TN];
            for (int i = 0; i < TM; i++)
                a[i] = As[k][thread_row + i];
            for (int j = 0; j < TN; j++)
                b[j] = Bs[k][thread_col + j];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    sum[i][j] += a[i] * b[j];
            //: sum[0][0] += As[k][thread_row] * Bs[k][thread_col];
            // [end]
        }
        __syncthreads(); // everyone has finished reading
    }

    row += thread_row;
    col += thread_col;
    C += (int64_t)row * ldc + col;
    for (int i = 0; i < TM; i++) {
        for (int j = 0; j < TN; j++) {
            float new_c = alpha * sum[i][j];
            if (row + i < M && col + j < N)
                C[j] = beta == 0.0f ? new_c : new_c + beta * C[j];
        }
        C += ldc;
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
    return gemm_main(argc, argv, "gemm_05_thread_tile_2d", launch);
}
