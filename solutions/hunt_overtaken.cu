// hunt of gemm_08_double_buffer
// One barrier a tile is enough. Where?

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
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int col = blockIdx.x * TILE + x;
    A += (int64_t)row * lda + x; // this thread's word of the first tile of A
    B += (int64_t)y * ldb + col; // and of B

    As[0][y][x] = row < M && x < K ? *A : 0.0f;
    Bs[0][y][x] = col < N && y < K ? *B : 0.0f;
    __syncthreads(); // the first tiles are complete

    float sum = 0.0f;
    int now = 0; // the buffer that is read
    for (int left = K; left > 0; left -= TILE) {
        A += TILE;                // the next tile of A is to the right
        B += (int64_t)TILE * ldb; // the next tile of B is below
        float a_next = row < M && TILE + x < left ? *A : 0.0f;
        float b_next = col < N && TILE + y < left ? *B : 0.0f;
        // [hunt]
        As[now ^ 1][y][x] = a_next;
        Bs[now ^ 1][y][x] = b_next;
        for (int k = 0; k < TILE; k++)
            sum += As[now][y][k] * Bs[now][k][x];
        __syncthreads(); // the next tiles are complete, these read by all
        now ^= 1;
        //: As[now ^ 1][y][x] = a_next;
        //: Bs[now ^ 1][y][x] = b_next;
        //: __syncthreads(); // the next tiles are complete
        //: for (int k = 0; k < TILE; k++)
        //:     sum += As[now][y][k] * Bs[now][k][x];
        //: now ^= 1;
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
