// hunt of gemm_04_thread_tile_1d
// Right for K = 29, wrong for K = 17.

#include "gemm.h"

#define EDGE 16        /**< edge of a block of threads, and step along K */
#define TM 8           /**< elements of C of a thread */
#define BM (TM * EDGE) /**< rows of the tile of C of a block: 128 */

/**
 * One thread computes TM elements of a column of C, EDGE rows apart.
 *
 * Launch: block (EDGE, EDGE), grid (ceil(N / EDGE), ceil(M / BM)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[BM][EDGE];
    __shared__ float Bs[EDGE][EDGE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * BM + y; // and EDGE further, 2 * EDGE, ...
    int col = blockIdx.x * EDGE + x;
    B += min(col, N - 1);
    float sum[TM] = {0.0f};

    for (int left = K; left > 0; left -= EDGE) {
        // Beyond K a product must be 0: A has zeros there, and B any number
        // that is finite. Beyond the edges of C anything will do.
        for (int i = 0; i < TM; i++) {
            int64_t at = (int64_t)(row + i * EDGE) * lda + K - left + x;
            // [hunt]
            bool inside = row + i * EDGE < M && x < left;
            //: bool inside = at < (int64_t)(M - 1) * lda + K;
            // [end]
            As[y + i * EDGE][x] = inside ? A[at] : 0.0f;
        }
        Bs[y][x] = y < left ? B[(int64_t)y * ldb] : 1.0f;
        B += (int64_t)EDGE * ldb;
        __syncthreads(); // both tiles are complete

        for (int k = 0; k < EDGE; k++) {
            float b = Bs[k][x];
            for (int i = 0; i < TM; i++)
                sum[i] += As[y + i * EDGE][k] * b;
        }
        __syncthreads(); // everyone has finished reading
    }

    C += (int64_t)row * ldc + col;
    for (int i = 0; i < TM; i++) {
        if (row + i * EDGE < M && col < N)
            *C = beta == 0.0f ? alpha * sum[i] : alpha * sum[i] + beta * *C;
        C += (int64_t)EDGE * ldc;
    }
}

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(EDGE, EDGE);
    dim3 grid(ceil_div(p->N, EDGE), ceil_div(p->M, BM));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * BM);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_04_thread_tile_1d", launch);
}
