/**
 * @file gemm_09_autotune.cu
 * @brief GEMM step 9: every number a parameter, found by measurement.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  tile sizes, the step of the put and the order of the blocks are
 *          parameters, chosen by measurement. So are four things that change no
 *          count of work: a thread has pointers of its own into A and B, loads
 *          after the put and fragments of B first, and multiplies odd rows from
 *          right to left.
 * Reason:  for one k, 128 x 256 results need 384 words as one tile, but 512 as
 *          two. At 8192 the 132 blocks at work share 5 strips of A and 32 of B
 *          if they go row by row, but 8 and 17 in bands of 8 (less traffic,
 *          and no less time: DRAM is not what it waits for).
 * Run:     make chapter=gemm_09 run
 * Measure: make autotune
 * Limit:   a load of B takes 4 wavefronts: its lanes share nothing (gemm_10).
 */

#include "gemm.h"

/* ---- parameters --------------------------------------------------------- */

#ifndef BM       // set all of them or none, as make autotune does
#define BM 128   /**< rows of the tile of C of a block */
#define BN 256   /**< columns of that tile */
#define BK 8     /**< step along K (elements) */
#define TM 16    /**< rows of the tile of C of a thread */
#define TN 8     /**< columns of that tile */
#define PUT_AT 3 /**< k at which the next tiles are put */
#define GROUP 8  /**< rows of tiles that blocks walk over together */
#define BLOCKS 1 /**< blocks an SM must have registers for */
#endif
#define SWIZZLE (128 / BK)            /**< rows of A a warp brings at once */
#define THREADS (BM / TM * (BN / TN)) /**< threads of one block: 256 */
#define A_PART (BM * BK / THREADS)    /**< elements of A a thread brings: 4 */
#define B_PART (BK * BN / THREADS)    /**< elements of B a thread brings: 8 */

static_assert(BM % TM == 0, "a tile is whole threads high");
static_assert(BN % TN == 0, "and whole threads wide");
static_assert(TM % 4 == 0 && TN % 4 == 0, "fragments are whole float4");
static_assert(128 % BK == 0 && BK <= 32, "a warp brings whole rows of A");
static_assert(BM / TM % 8 == 0, "a group of rows has one swizzle");
static_assert(PUT_AT < BK, "the next tiles are put");
static_assert(2 * BK * (BM + BN) * 4 <= 48 << 10, "static shared memory");
static_assert(BM * BK % (4 * THREADS) == 0, "all bring as many float4 of A");
static_assert(BK * BN % (4 * THREADS) == 0, "all bring as many float4 of B");
static_assert(4 * THREADS % BN == 0, "all parts of B are in one column");
static_assert(THREADS % 32 == 0 && THREADS <= 1024, "a block of whole warps");

/* ---- kernel ------------------------------------------------------------- */

/** Load four neighbouring floats, 16-byte aligned, by one instruction. */
static __device__ void load4(float *to, const float *from)
{
    float4 x = *(const float4 *)from;
    to[0] = x.x;
    to[1] = x.y;
    to[2] = x.z;
    to[3] = x.w;
}

/** Store four neighbouring floats, 16-byte aligned, by one instruction. */
static __device__ void store4(float *to, const float *from)
{
    *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
}

/** Number of the first of the four elements that i is one of. */
static __device__ int element(int i)
{
    return i / 4 * 4 * THREADS + threadIdx.x * 4; // four neighbours
}

/**
 * Load this thread's part of the tiles; A and B point at its first elements.
 * Zeros beyond `left` steps of K; beyond `below` more rows of A the last again.
 */
static __device__ void fetch(float a[A_PART], float b[B_PART], const float *A,
                             int lda, const float *B, int ldb, unsigned below,
                             int left)
{
#pragma unroll
    for (int i = 0; i < A_PART; i += 4) {
        unsigned down = min((unsigned)(i * THREADS / BK), below);
        a[i] = a[i + 1] = a[i + 2] = a[i + 3] = 0.0f;
        if (element(i) % BK < left)
            load4(a + i, A + (int64_t)down * lda);
    }
#pragma unroll
    for (int i = 0; i < B_PART; i += 4) {
        int down = i * THREADS / BN;
        b[i] = b[i + 1] = b[i + 2] = b[i + 3] = 0.0f;
        if (element(0) / BN + down < left)
            load4(b + i, B + (int64_t)down * ldb);
    }
}

/**
 * Store what fetch() brought; A transposed, hence 4 bytes at a time. Row r of
 * A lies at r ^ (k / 4 * SWIZZLE), so that what a warp stores at once, SWIZZLE
 * rows for each of BK / 4 values of k, goes to 32 different banks.
 */
static __device__ void put(const float a[A_PART], const float b[B_PART],
                           float As[BK][BM], float Bs[BK][BN])
{
#pragma unroll
    for (int i = 0; i < A_PART; i++) {
        int row = element(i) / BK;
        int k = element(i) % BK;
        As[k + i % 4][row ^ (k / 4 * SWIZZLE)] = a[i];
    }
#pragma unroll
    for (int i = 0; i < B_PART; i += 4)
        store4(&Bs[element(i) / BN][element(i) % BN], b + i);
}

/** Load for one k TM elements of As and TN of Bs, in groups of 4. */
static __device__ void fragments(float a[TM], float b[TN], const float *As,
                                 const float *Bs)
{
#pragma unroll
    for (int j = 0; j < TN; j += 4)
        load4(b + j, Bs + j * (BN / TN));
#pragma unroll
    for (int i = 0; i < TM; i += 4)
        load4(a + i, As + i * (BM / TM));
}

/** c = alpha * sum + beta * c, for the first `valid` of four neighbours. */
static __device__ void update4(float *c, int valid, float alpha,
                               const float sum[4], float beta)
{
    float x[4], old[4];
#pragma unroll
    for (int j = 0; j < 4; j++)
        x[j] = alpha * sum[j];
    if (valid >= 4) {
        if (beta != 0.0f) {
            load4(old, c);
#pragma unroll
            for (int j = 0; j < 4; j++)
                x[j] += beta * old[j];
        }
        store4(c, x);
    } else { // the last columns of C: its padding must not change
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (j < valid)
                c[j] = beta == 0.0f ? x[j] : x[j] + beta * c[j];
    }
}

/**
 * One thread computes TM x TN elements of C, in groups of 4 x 4.
 *
 * @param M,N,K        sizes, each >= 1
 * @param alpha        factor of A * B
 * @param A,lda        [M x K], rows 16-byte aligned, zeros in the padding
 * @param B,ldb        [K x N], likewise
 * @param beta         factor of C; 0: C is not read
 * @param[in,out] C    [M x N], rows 16-byte aligned
 * @param ldc          leading dimension of C
 *
 * Launch: block (THREADS), grid (ceil(N / BN) * ceil(M / BM)).
 */
__global__ void __launch_bounds__(THREADS, BLOCKS)
    gemm_kernel(int M, int N, int K, float alpha, const float *A, int lda,
                const float *B, int ldb, float beta, float *C, int ldc)
{
    // Aligned, so that nvcc may plan with 16 bytes at a time; 8 KiB and 16 KiB.
    __shared__ __align__(16) float As[2][BK][BM]; // transposed
    __shared__ __align__(16) float Bs[2][BK][BN];

    // [raster]
    // The tile of C of this block. Blocks go down a band of GROUP tiles, then
    // to the right. From here on rows and columns are counted from its corner.
    int tiles_n = ceil_div(N, BN);
    int band = blockIdx.x / (GROUP * tiles_n) * GROUP;
    int height = min(GROUP, ceil_div(M, BM) - band);
    int in_band = blockIdx.x % (GROUP * tiles_n);
    int tile_row = (band + in_band % height) * BM;
    int tile_col = in_band / height * BN;
    // [raster]
    int rows = M - tile_row;
    int cols = N - tile_col;
    // The first elements of A and B that this thread brings; beyond the edges
    // those of the last row, the last columns: their sums are not stored.
    int from_row = min(element(0) / BK, rows - 1);
    int from_col = min(element(0) % BN, (cols - 1) / 4 * 4);
    A += (int64_t)(tile_row + from_row) * lda + element(0) % BK;
    B += (int64_t)(element(0) / BN) * ldb + tile_col + from_col;
    unsigned below = rows - 1 - from_row;
    C += (int64_t)tile_row * ldc + tile_col;

    // The elements of C that this thread computes begin here.
    int thread_row = threadIdx.x / (BN / TN) * 4;
    int thread_col = threadIdx.x % (BN / TN) * 4;
    float sum[TM][TN] = {{0.0f}};

    float a_next[A_PART], b_next[B_PART]; // of the next tiles, on their way
    float a[2][TM], b[2][TN];             // fragments of this k and the next
    int now = 0;                          // buffer of the tiles at work

    // Prologue: the first tiles and fragments.
    fetch(a_next, b_next, A, lda, B, ldb, below, K);
    put(a_next, b_next, As[0], Bs[0]);
    A += BK;
    B += (int64_t)BK * ldb;
    fetch(a_next, b_next, A, lda, B, ldb, below, K - BK);
    __syncthreads(); // the first tiles are complete before anybody reads them
    fragments(a[0], b[0], &As[0][0][thread_row], &Bs[0][0][thread_col]);

    for (int left = K; left > 0; left -= BK) {
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k == PUT_AT) {
                put(a_next, b_next, As[now ^ 1], Bs[now ^ 1]);
                A += BK;
                B += (int64_t)BK * ldb;
                // Past K it brings zeros, which nobody multiplies.
                fetch(a_next, b_next, A, lda, B, ldb, below, left - 2 * BK);
            }
            if (k == BK - 1) {
                __syncthreads(); // the next tiles are complete, and all have
                now ^= 1;        // read these before they are replaced
            }
            int next = (k + 1) % BK;
            fragments(a[next % 2], b[next % 2],
                      &As[now][next][thread_row ^ (next / 4 * SWIZZLE)],
                      &Bs[now][next][thread_col]);
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++) {
                    int turn = i % 2 ? TN - 1 - j : j; // serpentine
                    sum[i][turn] += a[k % 2][i] * b[k % 2][turn];
                }
        }
    }

#pragma unroll
    for (int i = 0; i < TM; i++) {
        int row = thread_row + i / 4 * (4 * BM / TM) + i % 4;
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            int col = thread_col + j * (BN / TN);
            float *c = C + (int64_t)row * ldc + col;
            int valid = row < rows ? cols - col : 0;
            update4(c, valid, alpha, &sum[i][j], beta);
        }
    }
}

/* ---- launch ------------------------------------------------------------- */

/** Enqueue one GEMM: a block for each BM x BN tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(THREADS);
    int64_t tiles = (int64_t)ceil_div(p->M, BM) * ceil_div(p->N, BN);
    REQUIRE(tiles <= INT32_MAX, "--M %d --N %d: at most %d tiles of C", p->M,
            p->N, INT32_MAX);
    dim3 grid((unsigned)tiles);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    gemm_problem p = gemm_open(argc, argv, "gemm_09_autotune");
    gemm_verify(&p, launch);
    gemm_time(&p, launch);
    return gemm_close(&p);
}
