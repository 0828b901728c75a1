/**
 * @file gemm_04_thread_tile_1d.cu
 * @brief GEMM step 4: one thread computes 16 elements of a column of C.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  a thread computes TM = 16 elements of C, one above the other,
 *          instead of one.
 * Reason:  gemm_03 is held up by its shared memory loads: 2 for each
 *          multiply-add. The 16 elements of a column share their element of
 *          B, which waits in a register:
 *                      shared loads per FMA     global loads per element of C
 *            gemm_03   2                        2K / 32 = K / 16
 *            gemm_04   (1 + TM) / TM = 1.0625   2K / 64 = K / 32
 * Run:     make chapter=gemm_04 run
 * Measure: make chapter=gemm_04 profile
 *          shared_load_requests / (ffma / 32) falls from 2 to 1.0625.
 * Limit:   a longer column does not help: (1 + TM) / TM never gets below 1,
 *          because each element of A is still used once. See gemm_05.
 */

#include "gemm.h"

/* ---- parameters --------------------------------------------------------- */

#define BM 64                  /**< rows of the tile of C of one block */
#define BN 64                  /**< columns of that tile */
#define BK 4                   /**< step along K (elements) */
#define TM 16                  /**< rows of the tile of C of one thread */
#define THREADS (BM / TM * BN) /**< threads of one block: 256 */

static_assert(BM * BK == THREADS, "one element of A for each thread");
static_assert(BK * BN == THREADS, "one element of B for each thread");

/* ---- kernel ------------------------------------------------------------- */

/**
 * One thread computes TM consecutive elements of a column of C.
 *
 * @param M,N,K        sizes, each >= 1
 * @param alpha        factor of A * B
 * @param A,lda        [M x K]
 * @param B,ldb        [K x N]
 * @param beta         factor of C; 0: C is not read
 * @param[in,out] C    [M x N]
 * @param ldc          leading dimension of C
 *
 * Launch: block (THREADS), grid (ceil(N / BN), ceil(M / BM)).
 */
// [kernel]
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(int M, int N, int K, float alpha, const float *A, int lda,
                const float *B, int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];

    // The tile of C of this block. From here on rows and columns are counted
    // from its corner; those from `rows` and `cols` on lie outside of C.
    int tile_row = blockIdx.y * BM;
    int tile_col = blockIdx.x * BN;
    int rows = M - tile_row, cols = N - tile_col;

    // The elements of A and B that this thread brings.
    int a_row = threadIdx.x / BK;
    int a_k = threadIdx.x % BK;
    int b_k = threadIdx.x / BN;
    int b_col = threadIdx.x % BN;
    const float *a_next = A + (int64_t)(tile_row + a_row) * lda + a_k;
    const float *b_next = B + (int64_t)b_k * ldb + tile_col + b_col;

    // The elements of C that it computes: rows
    // `thread_row` to `thread_row + TM - 1` of column `thread_col`.
    int thread_row = threadIdx.x / BN * TM;
    int thread_col = threadIdx.x % BN; // consecutive in a warp
    float sum[TM] = {0.0f};

    for (int left = K; left > 0; left -= BK) {
        // [load]
        As[a_row][a_k] = a_row < rows && a_k < left ? *a_next : 0.0f;
        Bs[b_k][b_col] = b_k < left && b_col < cols ? *b_next : 0.0f;
        a_next += BK;
        b_next += (int64_t)BK * ldb;
        // [load]
        __syncthreads(); // both tiles are complete before anybody reads them

        // [compute]
        for (int k = 0; k < BK; k++) {
            float b = Bs[k][thread_col]; // one load for TM multiply-adds
#pragma unroll
            for (int i = 0; i < TM; i++)
                sum[i] += As[thread_row + i][k] * b;
        }
        // [compute]
        __syncthreads(); // all have read the tiles before they are replaced
    }

    float *c =
        C + (int64_t)(tile_row + thread_row) * ldc + tile_col + thread_col;
#pragma unroll
    for (int i = 0; i < TM; i++, c += ldc) {
        if (thread_row + i < rows && thread_col < cols) {
            *c = beta == 0.0f ? alpha * sum[i] : alpha * sum[i] + beta * *c;
        }
    }
}
// [kernel]

/* ---- launch ------------------------------------------------------------- */

/** Enqueue one GEMM: a block for each BM x BN tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(THREADS);
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
    gemm_problem p = gemm_open(argc, argv, "gemm_04_thread_tile_1d");
    gemm_verify(&p, launch);
    gemm_time(&p, launch);
    return gemm_close(&p);
}
