// GEMM step 4, the exercise: a thread computes 8 elements of a row of C.
#include "gemm.h"

#define EDGE 16        /**< edge of a block of threads, and step along K */
#define TN 8           /**< elements of C of a thread, in one row */
#define BN (TN * EDGE) /**< columns of the tile of C of a block: 128 */

/** Launch: block (EDGE, EDGE), grid (ceil(N / BN), ceil(M / EDGE)). */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[EDGE][EDGE];
    __shared__ float Bs[EDGE][BN];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * EDGE + y;
    int first = blockIdx.x * BN; // column of the tile of C
    A += (int64_t)row * lda + x; // this thread's word of a tile of A
    B += (int64_t)y * ldb + first;
    float sum[TN] = {0.0f};

    for (int left = K; left > 0; left -= EDGE) {
        As[y][x] = row < M && x < left ? *A : 0.0f;
        for (int j = x; j < BN; j += EDGE)
            Bs[y][j] = y < left && first + j < N ? B[j] : 0.0f;
        A += EDGE;
        B += (int64_t)EDGE * ldb;
        __syncthreads(); // both tiles are complete

        for (int k = 0; k < EDGE; k++) {
            // [write 3] add this k to all sums, by TN + 1 loads
            float a = As[y][k];
            for (int j = 0; j < TN; j++)
                sum[j] += a * Bs[k][x + j * EDGE];
            //: sum[0] += As[y][k] * Bs[k][x];
            // [end]
        }
        __syncthreads(); // everyone has finished reading
    }

    for (int j = 0; j < TN; j++) {
        // [write 1] the column of C that sum[j] belongs to
        int col = first + x + j * EDGE;
        //: int col = first + x;
        // [end]
        float *c = C + (int64_t)row * ldc + col;
        if (row < M && col < N)
            *c = beta == 0.0f ? alpha * sum[j] : alpha * sum[j] + beta * *c;
    }
}

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(EDGE, EDGE);
    dim3 grid(ceil_div(p->N, BN), ceil_div(p->M, EDGE));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * EDGE);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_04_thread_tile_1d", launch);
}
