/**
 * @file gemm_04_thread_tile_1d.cu
 * @brief GEMM step 4: one thread computes 8 elements of a column of C.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  a thread computes TM = 8 elements of C, EDGE rows apart, and the
 *          tile of A is TM times as high. EDGE is 16: blocks of 256 threads
 *          leave each more registers.
 * Reason:  the elements of a column share their element of B, which waits in a
 *          register. Shared loads for one multiply-add: gemm_03 2, here (1 +
 *          TM) / TM = 1.125.
 * Run:     make chapter=gemm_04 run
 * Measure: make chapter=gemm_04 profile
 *          At 256 shared_load_requests falls from 1,048,576 to 589,824.
 * Limit:   a longer column does not help: each element of A is still loaded
 *          for one multiply-add alone. See gemm_05.
 */

#include "gemm.h"

/* ---- parameters --------------------------------------------------------- */

#define EDGE 16        /**< edge of a block of threads, and step along K */
#define TM 8           /**< elements of C of a thread */
#define BM (TM * EDGE) /**< rows of the tile of C of a block: 128 */
#define BN EDGE        /**< columns of that tile */

/* ---- kernel ------------------------------------------------------------- */

/**
 * One thread computes TM elements of a column of C, EDGE rows apart.
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
 *         grid (ceil(N / EDGE), ceil(M / BM)).
 */
// [kernel]
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[BM][EDGE];
    __shared__ float Bs[EDGE][BN];

    // [word]
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * BM + y; // and EDGE further, 2 * EDGE, ...
    int col = blockIdx.x * BN + x;
    A += (int64_t)row * lda + x; // this thread's first word of a tile of A
    B += (int64_t)y * ldb + col; // and its word of B
    float sum[TM] = {0.0f};
    // [word]

    for (int left = K; left > 0; left -= EDGE) {
        // [load]
        for (int i = 0; i < TM; i++) {
            bool inside = row + i * EDGE < M && x < left;
            As[y + i * EDGE][x] = inside ? A[(int64_t)i * EDGE * lda] : 0.0f;
        }
        Bs[y][x] = y < left && col < N ? *B : 0.0f;
        // [load]
        A += EDGE;                // the next tile of A is to the right
        B += (int64_t)EDGE * ldb; // the next tile of B is below
        __syncthreads();          // both tiles are complete

        // [multiply]
        for (int k = 0; k < EDGE; k++) {
            float b = Bs[k][x];
            for (int i = 0; i < TM; i++)
                sum[i] += As[y + i * EDGE][k] * b;
        }
        // [multiply]
        __syncthreads(); // everyone has finished reading
    }

    // [store]
    C += (int64_t)row * ldc + col;
    for (int i = 0; i < TM; i++) {
        if (row + i * EDGE < M && col < N)
            *C = beta == 0.0f ? alpha * sum[i] : alpha * sum[i] + beta * *C;
        C += (int64_t)EDGE * ldc;
    }
    // [store]
}
// [kernel]

/* ---- launch ------------------------------------------------------------- */

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(EDGE, EDGE);
    dim3 grid(ceil_div(p->N, BN), ceil_div(p->M, BM));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * BM);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    // options, A B C, verify, time beside cuBLAS, report
    return gemm_main(argc, argv, "gemm_04_thread_tile_1d", launch);
}
