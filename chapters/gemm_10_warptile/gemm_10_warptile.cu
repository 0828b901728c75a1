/**
 * @file gemm_10_warptile.cu
 * @brief GEMM step 10: block tile, warp tile, thread tile.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  a warp computes 64 x 64 elements of C, its lanes in pairs.
 * Reason:  a shared load of 16 bytes takes 2 wavefronts instead of 4 if pairs
 *          of lanes read the same ones. For one k and 128 FMAs of each lane:
 *            gemm_09   4 of A * 2 + 2 of B * 4 = 16 wavefronts
 *            gemm_10   4 of A * 2 + 2 of B * 2 = 12
 * Run:     make chapter=gemm_10 run
 * Measure: make chapter=gemm_10 profile
 *          shared_load_wavefronts / shared_load_requests falls to 2.
 * Limit:   small C leaves SMs idle: 1024 x 1024 has 32 tiles for 132 SMs.
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
#define WM 64                         /**< rows of the tile of C of a warp */
#define WN 64                         /**< columns of that tile */
#define SWIZZLE (128 / BK)            /**< rows of A a warp brings at once */
#define THREADS (BM / TM * (BN / TN)) /**< threads of one block: 256 */
#define A_PART (BM * BK / THREADS)    /**< elements of A a thread brings: 4 */
#define B_PART (BK * BN / THREADS)    /**< elements of B a thread brings: 8 */

static_assert(BM % WM == 0 && WM % TM == 0, "whole warps and threads high");
static_assert(BN % WN == 0 && WN % TN == 0, "whole warps and threads wide");
static_assert(WM / TM * (WN / TN) == 32, "a warp tile is one for each lane");
static_assert(TM % 4 == 0 && TN % 4 == 0, "fragments are whole float4");
static_assert(128 % BK == 0 && BK <= 32, "a warp brings whole rows of A");
static_assert(4 * WM / TM <= SWIZZLE, "a group of rows has one swizzle");
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
                                 const float *Bs, int swizzle)
{
#pragma unroll
    for (int j = 0; j < TN; j += 4)
        load4(b + j, Bs + j * (WN / TN));
#pragma unroll
    for (int i = 0; i < TM; i += 4)
        load4(a + i, As + (i * (WM / TM) ^ swizzle));
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

    // The tile of C of this block. Blocks go down a band of GROUP tiles, then
    // to the right. From here on rows and columns are counted from its corner.
    int tiles_n = ceil_div(N, BN);
    int band = blockIdx.x / (GROUP * tiles_n) * GROUP;
    int height = min(GROUP, ceil_div(M, BM) - band);
    int in_band = blockIdx.x % (GROUP * tiles_n);
    int tile_row = (band + in_band % height) * BM;
    int tile_col = in_band / height * BN;
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
    // [lanes]
    // Four lanes down, eight across, numbered in pairs:
    //     0  2  4  6  8 10 12 14
    //     1  3  5  7  9 11 13 15
    //    16 18 20 22 24 26 28 30
    //    17 19 21 23 25 27 29 31
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int lane_row = lane / (2 * (WN / TN)) * 2 + lane % 2;
    int lane_col = lane / 2 % (WN / TN);
    int thread_row = warp / (BN / WN) * WM + lane_row * 4;
    int thread_col = warp % (BN / WN) * WN + lane_col * 4;
    // [lanes]
    float sum[TM][TN] = {{0.0f}};

    // [pipeline]
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
    fragments(a[0], b[0], &As[0][0][thread_row], &Bs[0][0][thread_col], 0);

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
            fragments(a[next % 2], b[next % 2], &As[now][next][thread_row],
                      &Bs[now][next][thread_col], next / 4 * SWIZZLE);
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++) {
                    int turn = i % 2 ? TN - 1 - j : j; // serpentine
                    sum[i][turn] += a[k % 2][i] * b[k % 2][turn];
                }
        }
    }
    // [pipeline]

#pragma unroll
    for (int i = 0; i < TM; i++) {
        int row = thread_row + i / 4 * (4 * WM / TM) + i % 4;
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            int col = thread_col + j * (WN / TN);
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
    gemm_problem p = gemm_open(argc, argv, "gemm_10_warptile");
    gemm_verify(&p, launch);
    gemm_time(&p, launch);
    return gemm_close(&p);
}
