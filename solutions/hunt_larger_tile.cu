// hunt of gemm_05_thread_tile_2d
// Right until a tile had 128 rows.

#include "gemm.h"

#define BM 128                        /**< rows of the tile of C of a block */
#define BN 64                         /**< columns of that tile */
#define BK 8                          /**< step along K */
#define TM 8                          /**< rows of C of a thread */
#define TN 8                          /**< columns of C of a thread */
#define THREADS (BM / TM * (BN / TN)) /**< of a block: 128 */

/**
 * One thread computes TM x TN elements of C, BM / TM rows and BN / TN columns
 * apart.
 *
 * Launch: block (BN / TN, BM / TM), grid (ceil(N / BN), ceil(M / BM)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];

    int x = threadIdx.x, y = threadIdx.y;
    int thread = y * (BN / TN) + x;
    int row = blockIdx.y * BM; // the first of the tile of C
    int col = blockIdx.x * BN;
    A += (int64_t)row * lda;
    B += col;
    float sum[TM][TN] = {{0.0f}};

    for (int left = K; left > 0; left -= BK) {
        for (int i = thread; i < BM * BK; i += THREADS) {
            int m = i / BK, k = i % BK;
            bool inside = row + m < M && k < left;
            As[m][k] = inside ? A[(int64_t)m * lda + k] : 0.0f;
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
            float a[TM], b[TN];
            // [hunt]
            for (int i = 0; i < TM; i++)
                a[i] = As[y + i * (BM / TM)][k];
            //: for (int i = 0; i < TM; i++)
            //:     a[i] = As[y + i * TM][k];
            // [end]
            for (int j = 0; j < TN; j++)
                b[j] = Bs[k][x + j * (BN / TN)];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads(); // everyone has finished reading
    }

    row += y;
    col += x;
    C += (int64_t)row * ldc + col;
    for (int i = 0; i < TM; i++) {
        for (int j = 0; j < TN; j++) {
            int right = j * (BN / TN);
            float new_c = alpha * sum[i][j];
            if (row + i * (BM / TM) < M && col + right < N)
                C[right] = beta == 0.0f ? new_c : new_c + beta * C[right];
        }
        C += (int64_t)(BM / TM) * ldc;
    }
}

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(BN / TN, BM / TM);
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
