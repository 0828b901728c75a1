/**
 * @file gemm_03_shared_tile.cu
 * @brief GEMM step 3: tiles of A and B in shared memory.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  a block fetches each word that it needs once, into shared memory,
 *          and its threads read it there.
 * Reason:  the 32 threads of a row of the block want the same row of A, the
 *          32 of a column the same column of B. Loads from global memory for
 *          one element of C: gemm_02 2 * K, here 2 * K / 32.
 * Run:     make chapter=gemm_03 run
 * Measure: make chapter=gemm_03 profile
 *          At 256 global_load_sectors falls from 2,621,440 to 131,072.
 * Limit:   the 2 * K loads go to shared memory now: two for each
 *          multiply-add, as before. See gemm_04.
 */

#include "gemm.h"

/* ---- parameters --------------------------------------------------------- */

#define TILE 32 /**< edge of a block's tiles of A, B and C (elements) */

/* ---- kernel ------------------------------------------------------------- */

/**
 * One thread computes one element of C, and loads one element of each tile.
 *
 * @param M,N,K        sizes, each >= 1
 * @param alpha        factor of A * B
 * @param A,lda        [M x K]
 * @param B,ldb        [K x N]
 * @param beta         factor of C; 0: C is not read
 * @param[in,out] C    [M x N]
 * @param ldc          leading dimension of C
 *
 * Launch: block (TILE, TILE), grid (ceil(N / TILE), ceil(M / TILE)).
 */
// [kernel]
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[TILE][TILE]; // 4 KiB each
    __shared__ float Bs[TILE][TILE];
    int thread_row = threadIdx.y; // the same in a warp
    int thread_col = threadIdx.x; // consecutive in a warp
    int row = blockIdx.y * TILE + thread_row;
    int col = blockIdx.x * TILE + thread_col;

    const float *a = A + (int64_t)row * lda; // row of A, then along it
    const float *b = B + col;                // column of B, then down it
    float sum = 0.0f;
    int tiles = ceil_div(K, TILE);
    for (int tile = 0; tile < tiles; tile++) {
        // Load. Zeros outside of A and B add nothing to the sum.
        int k_a = tile * TILE + thread_col;
        int k_b = tile * TILE + thread_row;
        As[thread_row][thread_col] = row < M && k_a < K ? a[k_a] : 0.0f;
        Bs[thread_row][thread_col] =
            col < N && k_b < K ? b[(int64_t)k_b * ldb] : 0.0f;
        // Read after write: no thread may read what another has yet to store.
        __syncthreads();

        // Compute.
        for (int k = 0; k < TILE; k++)
            sum += As[thread_row][k] * Bs[k][thread_col]; // broadcast * row
        // Write after read: no thread may store the next tile while another
        // still reads this one.
        __syncthreads();
    }

    // Only here: up to the last barrier every thread is needed.
    if (row >= M || col >= N)
        return;
    float *c = C + (int64_t)row * ldc + col;
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}
// [kernel]

/* ---- launch ------------------------------------------------------------- */

/** Enqueue one GEMM: a block for each tile of C, a thread for each element. */
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

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    gemm_problem p = gemm_open(argc, argv, "gemm_03_shared_tile");
    gemm_verify(&p, launch);
    gemm_time(&p, launch);
    return gemm_close(&p);
}
