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

#define BM 64                      /**< rows of the tile of C of a block */
#define BN 64                      /**< columns of that tile */
#define BK 4                       /**< step along K (elements) */
#define TM 16                      /**< rows of the tile of C of a thread */
#define THREADS (BM / TM * BN)     /**< threads of one block: 256 */
#define A_PART (BM * BK / THREADS) /**< elements of A a thread brings: 1 */
#define B_PART (BK * BN / THREADS) /**< elements of B a thread brings: 1 */

static_assert(BM % TM == 0, "a tile is whole threads high");
static_assert(BM * BK % THREADS == 0, "all bring the same share of A");
static_assert(BK * BN % THREADS == 0, "all bring the same share of B");

/* ---- kernel ------------------------------------------------------------- */

/** Number of element i of a tile that this thread brings, row by row. */
static __device__ int element(int i)
{
    return i * THREADS + threadIdx.x; // a warp brings neighbours
}

/**
 * Load this thread's part of the tiles at A and B: zeros beyond `left` steps
 * of K; beyond `rows` and `cols` the last again, whose sums are not stored.
 */
static __device__ void fetch(float a[A_PART], float b[B_PART], const float *A,
                             int lda, const float *B, int ldb, int rows,
                             int cols, int left)
{
#pragma unroll
    for (int i = 0; i < A_PART; i++) {
        int row = min(element(i) / BK, rows - 1);
        int k = element(i) % BK;
        a[i] = 0.0f;
        if (k < left)
            a[i] = A[(int64_t)row * lda + k];
    }
#pragma unroll
    for (int i = 0; i < B_PART; i++) {
        int k = element(i) / BN;
        int col = min(element(i) % BN, cols - 1);
        b[i] = 0.0f;
        if (k < left)
            b[i] = B[(int64_t)k * ldb + col];
    }
}

/** Store what fetch() brought to the tiles in shared memory. */
static __device__ void put(const float a[A_PART], const float b[B_PART],
                           float As[BM][BK], float Bs[BK][BN])
{
#pragma unroll
    for (int i = 0; i < A_PART; i++) {
        int row = element(i) / BK;
        int k = element(i) % BK;
        As[row][k] = a[i];
    }
#pragma unroll
    for (int i = 0; i < B_PART; i++)
        Bs[element(i) / BN][element(i) % BN] = b[i];
}

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
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(int M, int N, int K, float alpha, const float *A, int lda,
                const float *B, int ldb, float beta, float *C, int ldc)
{
    // Aligned, so that nvcc may plan with 16 bytes at a time; 1 KiB each.
    __shared__ __align__(16) float As[BM][BK];
    __shared__ __align__(16) float Bs[BK][BN];

    // The tile of C of this block. From here on rows and columns are counted
    // from its corner; those from `rows` and `cols` on lie outside of C.
    int tile_row = blockIdx.y * BM;
    int tile_col = blockIdx.x * BN;
    int rows = M - tile_row;
    int cols = N - tile_col;
    A += (int64_t)tile_row * lda;
    B += tile_col;
    C += (int64_t)tile_row * ldc + tile_col;

    // [column]
    // The elements of C that this thread computes: rows
    // `thread_row` to `thread_row + TM - 1` of column `thread_col`.
    int thread_row = threadIdx.x / BN * TM; // the same in a warp
    int thread_col = threadIdx.x % BN;      // consecutive in a warp
    float sum[TM] = {0.0f};
    // [column]

    for (int left = K; left > 0; left -= BK) {
        float a_next[A_PART], b_next[B_PART];
        fetch(a_next, b_next, A, lda, B, ldb, rows, cols, left);
        put(a_next, b_next, As, Bs);
        A += BK;
        B += (int64_t)BK * ldb;
        __syncthreads(); // both tiles are complete before anybody reads them

        // [compute]
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float b = Bs[k][thread_col]; // one load for TM multiply-adds
#pragma unroll
            for (int i = 0; i < TM; i++)
                sum[i] += As[thread_row + i][k] * b;
        }
        // [compute]
        __syncthreads(); // all have read the tiles before they are replaced
    }

    // [result]
#pragma unroll
    for (int i = 0; i < TM; i++) {
        int row = thread_row + i;
        float *c = C + (int64_t)row * ldc + thread_col;
        float x = alpha * sum[i];
        if (row < rows && thread_col < cols)
            *c = beta == 0.0f ? x : x + beta * *c;
    }
    // [result]
}

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
