// hunt of gemm_03_shared_tile
// Right for K = 64, wrong for K = 65.

#include "gemm.h"

#define EDGE 32 /**< edge of a block of threads and of its tiles (elements) */

/**
 * One thread computes one element of C.
 *
 * Launch: block (EDGE, EDGE), grid (ceil(N / EDGE), ceil(M / EDGE)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[EDGE][EDGE];
    __shared__ float Bs[EDGE][EDGE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * EDGE + y;
    int col = blockIdx.x * EDGE + x;
    // Beyond the edges of C the last row and column again: nobody stores them.
    A += (int64_t)min(row, M - 1) * lda + x;
    B += (int64_t)y * ldb + min(col, N - 1);
    float sum = 0.0f;

    for (int left = K; left > 0; left -= EDGE) {
        // [hunt]
        As[y][x] = x < left ? *A : 0.0f;
        Bs[y][x] = y < left ? *B : 0.0f;
        //: if (x < left)
        //:     As[y][x] = *A;
        //: if (y < left)
        //:     Bs[y][x] = *B;
        // [end]
        A += EDGE;
        B += (int64_t)EDGE * ldb;
        __syncthreads(); // both tiles are complete

        for (int k = 0; k < EDGE; k++)
            sum += As[y][k] * Bs[k][x];
        __syncthreads(); // everyone has finished reading
    }

    if (row < M && col < N) {
        float *c = C + (int64_t)row * ldc + col;
        *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
    }
}

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(EDGE, EDGE);
    dim3 grid(ceil_div(p->N, EDGE), ceil_div(p->M, EDGE));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * EDGE);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_03_shared_tile", launch);
}
