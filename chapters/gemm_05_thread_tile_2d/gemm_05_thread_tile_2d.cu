/**
 * @file gemm_05_thread_tile_2d.cu
 * @brief GEMM step 5: one thread computes an 8 x 8 tile of C in registers.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  a thread computes TM x TN = 8 x 8 elements of C instead of 16 x 1:
 *          for each k the outer product of 8 elements of A and 8 of B, all 16
 *          in registers.
 * Reason:  now both operands are used 8 times once they are loaded:
 *                      shared loads per FMA        FLOP per byte from global
 *            gemm_04   (TM + 1) / TM = 1.0625      64*64 / (2*128) = 16
 *            gemm_05   (TM + TN) / (TM*TN) = 1/4   128*128 / (2*256) = 32
 * Run:     make chapter=gemm_05 run
 * Measure: make chapter=gemm_05 profile
 *          shared_load_requests / (ffma / 32) falls from 1.0625 to 0.25.
 * Limit:   global memory moves in words of 4 bytes: 16 loads a tile and thread;
 *          the columns of a warp's stores to C lie 32 bytes apart, so that each
 *          store touches 32 sectors. See gemm_06.
 */

#include "gemm.h"

/* ---- parameters --------------------------------------------------------- */

#define BM 128                        /**< rows of the tile of C of a block */
#define BN 128                        /**< columns of that tile */
#define BK 16                         /**< step along K (elements) */
#define TM 8                          /**< rows of the tile of C of a thread */
#define TN 8                          /**< columns of that tile */
#define THREADS (BM / TM * (BN / TN)) /**< threads of one block: 256 */
#define A_PART (BM * BK / THREADS)    /**< elements of A a thread brings: 8 */
#define B_PART (BK * BN / THREADS)    /**< elements of B a thread brings: 8 */

static_assert(BM % TM == 0, "a tile is whole threads high");
static_assert(BN % TN == 0, "and whole threads wide");
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

// [fragments]
/** Load for one k TM elements of As, BK apart, and TN neighbours of Bs. */
static __device__ void fragments(float a[TM], float b[TN], const float *As,
                                 const float *Bs)
{
#pragma unroll
    for (int i = 0; i < TM; i++)
        a[i] = As[i * BK];
#pragma unroll
    for (int j = 0; j < TN; j++)
        b[j] = Bs[j];
}
// [fragments]

/**
 * One thread computes TM x TN neighbouring elements of C.
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
    // Aligned, so that nvcc may plan with 16 bytes at a time; 8 KiB each.
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

    // [square]
    // The elements of C that this thread computes begin here.
    int thread_row = threadIdx.x / (BN / TN) * TM;
    int thread_col = threadIdx.x % (BN / TN) * TN;
    float sum[TM][TN] = {{0.0f}};
    // [square]

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
            float a[TM], b[TN];
            fragments(a, b, &As[thread_row][k], &Bs[k][thread_col]);
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] += a[i] * b[j];
        }
        // [compute]
        __syncthreads(); // all have read the tiles before they are replaced
    }

    // [result]
#pragma unroll
    for (int i = 0; i < TM; i++) {
        int row = thread_row + i;
#pragma unroll
        for (int j = 0; j < TN; j++) {
            int col = thread_col + j;
            float *c = C + (int64_t)row * ldc + col;
            float x = alpha * sum[i][j];
            if (row < rows && col < cols)
                *c = beta == 0.0f ? x : x + beta * *c;
        }
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
    gemm_problem p = gemm_open(argc, argv, "gemm_05_thread_tile_2d");
    gemm_verify(&p, launch);
    gemm_time(&p, launch);
    return gemm_close(&p);
}
