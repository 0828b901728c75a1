/**
 * @file gemm_03_shared_tile.cu
 * @brief GEMM step 3: tiles of A and B in shared memory.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  a block copies a tile of A and a tile of B into shared memory, and
 *          all its threads read them there.
 * Reason:  the 32 threads of a row of the block want the same row of A, the 32
 *          of a column the same column of B.
 * Run:     make chapter=gemm_03 run
 * Measure: make chapter=gemm_03 profile
 *          At 256 global_load_sectors falls from 2,621,440 to 131,072.
 * Limit:   still two loads for each multiply-add; they go to shared memory
 *          now. See gemm_04.
 */

#include "gemm.h"

/* ---- parameters --------------------------------------------------------- */

#define EDGE 32 /**< edge of a block of threads and of its tiles (elements) */

/* ---- kernel ------------------------------------------------------------- */

/**
 * One thread computes one element of C.
 *
 * @param M,N,K        sizes, each >= 1
 * @param alpha        factor of A * B
 * @param A,lda        [M x K]
 * @param B,ldb        [K x N]
 * @param beta         factor of C; 0: C is not read
 * @param[in,out] C    [M x N]
 * @param ldc          leading dimension of C
 *
 * Launch: block (EDGE, EDGE),
 *         grid (ceil(N / EDGE), ceil(M / EDGE)).
 */
// [kernel]
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    // [tiles]
    __shared__ float As[EDGE][EDGE]; // one pair for each block
    __shared__ float Bs[EDGE][EDGE];
    // [tiles]

    // [word]
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * EDGE + y; // the same in a warp
    int col = blockIdx.x * EDGE + x; // consecutive in a warp
    A += (int64_t)row * lda + x;     // this thread's word of a tile of A
    B += (int64_t)y * ldb + col;     // and of B
    float sum = 0.0f;
    // [word]

    // [loop]
    for (int left = K; left > 0; left -= EDGE) {
        As[y][x] = row < M && x < left ? *A : 0.0f;
        Bs[y][x] = y < left && col < N ? *B : 0.0f;
        A += EDGE;                // the next tile of A is to the right
        B += (int64_t)EDGE * ldb; // the next tile of B is below
        __syncthreads();          // both tiles are complete

        for (int k = 0; k < EDGE; k++)
            sum += As[y][k] * Bs[k][x];
        __syncthreads(); // everyone has finished reading
    }
    // [loop]

    if (row < M && col < N) {
        float *c = C + (int64_t)row * ldc + col;
        *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
    }
}
// [kernel]

/* ---- launch ------------------------------------------------------------- */

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

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    // options, A B C, verify, time beside cuBLAS, report
    return gemm_main(argc, argv, "gemm_03_shared_tile", launch);
}
