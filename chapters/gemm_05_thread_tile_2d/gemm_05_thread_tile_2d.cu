/**
 * @file gemm_05_thread_tile_2d.cu
 * @brief GEMM step 5: one thread computes 8 x 8 elements of C.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  a thread computes TN = 8 columns of TM = 8 elements, EDGE columns
 *          apart, and the tile of B is TN times as wide: for each k the outer
 *          product of 8 elements of A and 8 of B, all 16 in registers.
 * Reason:  each element is used 8 times once it is loaded. Shared loads for
 *          one multiply-add: gemm_04 1.125, here (TM + TN) / (TM * TN) = 0.25.
 * Run:     make chapter=gemm_05 run
 * Measure: make chapter=gemm_05 profile
 *          At 256 shared_load_requests falls from 589,824 to 131,072.
 * Limit:   every load brings 4 bytes: 16 loads for 64 multiply-adds, each an
 *          instruction. See gemm_06.
 */

#include "gemm.h"

/* ---- parameters --------------------------------------------------------- */

#define EDGE 16 /**< edge of a block of threads */
#define BK 16   /**< step along K: EDGE, so that a thread brings a word */
#define TM 8    /**< rows of elements of C of a thread */
#define TN 8    /**< columns of them */
#define BM (TM * EDGE) /**< rows of the tile of C of a block: 128 */
#define BN (TN * EDGE) /**< columns of that tile: 128 */

/* ---- kernel ------------------------------------------------------------- */

/**
 * One thread computes TM x TN elements of C, EDGE rows and columns apart.
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
 *         grid (ceil(N / BN), ceil(M / BM)).
 */
// [kernel]
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];

    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * BM + y; // and EDGE further, 2 * EDGE, ...
    int col = blockIdx.x * BN + x; // likewise
    A += (int64_t)row * lda + x;   // this thread's first word of a tile of A
    B += (int64_t)y * ldb + col;   // and of B
    float sum[TM][TN] = {{0.0f}};

    for (int left = K; left > 0; left -= BK) {
        // [load]
        for (int i = 0; i < TM; i++) {
            bool inside = row + i * EDGE < M && x < left;
            As[y + i * EDGE][x] = inside ? A[(int64_t)i * EDGE * lda] : 0.0f;
        }
        for (int j = 0; j < TN; j++) {
            bool inside = y < left && col + j * EDGE < N;
            Bs[y][x + j * EDGE] = inside ? B[j * EDGE] : 0.0f;
        }
        // [load]
        A += BK;                // the next tile of A is to the right
        B += (int64_t)BK * ldb; // the next tile of B is below
        __syncthreads();        // both tiles are complete

        // [multiply]
        for (int k = 0; k < BK; k++) {
            float a[TM], b[TN];
            for (int j = 0; j < TN; j++)
                b[j] = Bs[k][x + j * EDGE];
            for (int i = 0; i < TM; i++)
                a[i] = As[y + i * EDGE][k];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    sum[i][j] += a[i] * b[j];
        }
        // [multiply]
        __syncthreads(); // everyone has finished reading
    }

    // [store]
    C += (int64_t)row * ldc + col;
    for (int i = 0; i < TM; i++) {
        for (int j = 0; j < TN; j++) {
            int right = j * EDGE;
            float new_c = alpha * sum[i][j];
            if (row + i * EDGE < M && col + right < N)
                C[right] = beta == 0.0f ? new_c : new_c + beta * C[right];
        }
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
    return gemm_main(argc, argv, "gemm_05_thread_tile_2d", launch);
}
