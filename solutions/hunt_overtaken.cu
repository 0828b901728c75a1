// hunt of gemm_08_double_buffer
// order: warp:1
// One barrier a tile is enough. Is it?

#include "gemm.h"

#define TILE 16 /**< edge of all tiles (elements) */

/**
 * One thread computes one element of C.
 *
 * Launch: block (TILE, TILE), grid (ceil(N / TILE), ceil(M / TILE)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[2][TILE][TILE];
    __shared__ float Bs[2][TILE][TILE];
    __shared__ int now; // the buffer that is read
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int col = blockIdx.x * TILE + x;
    A += (int64_t)row * lda + x; // this thread's word of the first tile of A
    B += (int64_t)y * ldb + col; // and of B

    As[0][y][x] = row < M && x < K ? *A : 0.0f;
    Bs[0][y][x] = col < N && y < K ? *B : 0.0f;
    if (x + y == 0)
        now = 0;
    __syncthreads(); // the first tiles are complete

    float sum = 0.0f;
    for (int left = K; left > 0; left -= TILE) {
        A += TILE;                // the next tile of A is to the right
        B += (int64_t)TILE * ldb; // the next tile of B is below
        float a_next = row < M && TILE + x < left ? *A : 0.0f;
        float b_next = col < N && TILE + y < left ? *B : 0.0f;
        int own = now;
        As[own ^ 1][y][x] = a_next;
        Bs[own ^ 1][y][x] = b_next;
        for (int k = 0; k < TILE; k++)
            sum += As[own][y][k] * Bs[own][k][x];
        __syncthreads(); // the next tiles are complete, these read by all
        if (x + y == 0)
            now = own ^ 1;
        // [hunt]
        __syncthreads(); // now is the next buffer, for all
        // [end]
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
    return gemm_main(argc, argv, "gemm_08_double_buffer", launch);
}
