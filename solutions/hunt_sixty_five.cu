// hunt of gemm_03_shared_tile
// Right for K = 64, wrong for K = 65.

#include "gemm.h"

#define TILE 32 /**< edge of all tiles (elements) */

/**
 * One thread computes one element of C.
 *
 * Launch: block (TILE, TILE), grid (ceil(N / TILE), ceil(M / TILE)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int col = blockIdx.x * TILE + x;
    // Beyond the edges of C the last row and column again: nobody stores them.
    const float *a = A + (int64_t)min(row, M - 1) * lda + x;
    const float *b = B + (int64_t)y * ldb + min(col, N - 1);

    float sum = 0.0f;
    for (int64_t first = 0; first < K; first += TILE) {
        // [hunt]
        As[y][x] = first + x < K ? a[first] : 0.0f;
        Bs[y][x] = first + y < K ? b[first * ldb] : 0.0f;
        //: if (first + x < K)
        //:     As[y][x] = a[first];
        //: if (first + y < K)
        //:     Bs[y][x] = b[first * ldb];
        // [end]
        __syncthreads(); // both tiles are complete before anybody reads them
        for (int k = 0; k < TILE; k++)
            sum += As[y][k] * Bs[k][x];
        __syncthreads(); // all have read the tiles before they are replaced
    }

    if (row >= M || col >= N)
        return;
    float *c = C + (int64_t)row * ldc + col;
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

/** Enqueue one GEMM: a block for each tile of C. */
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
