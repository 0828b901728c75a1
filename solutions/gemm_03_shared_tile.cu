// GEMM step 3, the exercise: steps of 64 along K, half the barriers.
#include "gemm.h"

#define EDGE 32 /**< edge of a block of threads and of its tile of C */
#define STEP 64 /**< step along K: a thread carries two words of each tile */

/** Launch: block (EDGE, EDGE), grid (ceil(N / EDGE), ceil(M / EDGE)). */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[EDGE][STEP];
    __shared__ float Bs[STEP][EDGE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * EDGE + y;
    int col = blockIdx.x * EDGE + x;
    A += (int64_t)row * lda + x; // this thread's first word of a tile of A
    B += (int64_t)y * ldb + col; // and of B
    float sum = 0.0f;

    for (int left = K; left > 0; left -= STEP) {
        As[y][x] = row < M && x < left ? *A : 0.0f;
        Bs[y][x] = y < left && col < N ? *B : 0.0f;
        // [write 5] the second word of each tile, and a barrier
        int after = left - EDGE; // what is left of K from there on
        As[y][x + EDGE] = row < M && x < after ? A[EDGE] : 0.0f;
        const float *below = B + (int64_t)EDGE * ldb;
        Bs[y + EDGE][x] = y < after && col < N ? *below : 0.0f;
        __syncthreads(); // both tiles are complete
        // [end]

        for (int k = 0; k < STEP; k++)
            sum += As[y][k] * Bs[k][x];
        // [write 1] what else must happen before the next step?
        __syncthreads(); // everyone has finished reading
        // [end]

        A += STEP;
        B += (int64_t)STEP * ldb;
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
