/**
 * @file gemm_10_warptile.cu
 * @brief GEMM step 10: words a step ahead, and a tile for each warp.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  a thread loads the words of the next k while it multiplies those of
 *          this one, across the barrier, too. And the warp becomes a level of
 *          its own, a patch of 4 x 8 threads instead of a row of 32.
 * Reason:  nvcc moves no load across a barrier, and after it all warps want
 *          their first words at once: 128 cycles, 96 with the patch. On an H200
 *          the words ahead gain about 6 percent, the patch one to three.
 * Run:     make chapter=gemm_10 run
 * Measure: make chapter=gemm_10 profile
 *          shared_load_wavefronts / shared_load_requests
 * Limit:   small C leaves SMs idle: 1024 x 1024 has 32 tiles for 132 SMs.
 */

#include "gemm.h"

/* ---- parameters --------------------------------------------------------- */

#ifndef BM       // set all of them or none, as make autotune does
#define BM 128   /**< rows of the tile of C of a block */
#define BN 256   /**< columns of that tile */
#define BK 8     /**< step along K */
#define TM 16    /**< rows of C of a thread */
#define PUT_AT 5 /**< k at which the next tiles are put */
#endif
#define TN 8                          /**< columns of C of a thread */
#define THREADS (BM / TM * (BN / TN)) /**< of a block: 256 */
#define B_ROWS (4 * THREADS / BN)     /**< of B that they bring at once: 4 */

static_assert(THREADS == 2 * BM, "a thread brings half a row of 8 steps of A");
static_assert(BK % 8 == 0 && BK % B_ROWS == 0, "all bring as much");
static_assert(PUT_AT < BK, "the next tiles are put");

/* ---- kernel ------------------------------------------------------------- */

/** Load four neighbouring floats, 16-byte aligned, by one instruction. */
static __device__ void load4(float *to, const float *from)
{
    float4 four = *(const float4 *)from;
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

/** Store four neighbouring floats, 16-byte aligned, by one instruction. */
static __device__ void store4(float *to, const float *from)
{
    *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
}

/**
 * Load from A and B what this thread brings of two tiles; a_left and b_left
 * steps of K are left from there on, and beyond them zeros.
 */
static __device__ void fetch(float a[BK / 8][4], float b[BK / B_ROWS][4],
                             const float *A, int a_left, const float *B,
                             int ldb, int b_left)
{
    for (int k = 0; k < BK; k += 8) {
        for (int i = 0; i < 4; i++)
            a[k / 8][i] = 0.0f;
        if (k < a_left)
            load4(a[k / 8], A + k);
    }
    for (int k = 0; k < BK; k += B_ROWS) {
        for (int i = 0; i < 4; i++)
            b[k / B_ROWS][i] = 0.0f;
        if (k < b_left)
            load4(b[k / B_ROWS], B + (int64_t)k * ldb);
    }
}

/** Store what fetch() brought; As and Bs begin at this thread's place. */
static __device__ void put(const float a[BK / 8][4],
                           const float b[BK / B_ROWS][4], float *As, float *Bs)
{
    for (int k = 0; k < BK; k += 8)
        for (int i = 0; i < 4; i++)
            As[(k + i) * (BM + 4)] = a[k / 8][i];
    for (int k = 0; k < BK; k += B_ROWS)
        store4(Bs + k * BN, b[k / B_ROWS]);
}

/** Load for one k the elements of As and Bs that a thread multiplies. */
static __device__ void fragments(float a[TM], float b[TN], const float *As,
                                 const float *Bs)
{
    load4(b, Bs);
    load4(b + 4, Bs + BN / 2);
    for (int i = 0; i < TM; i += 4)
        load4(a + i, As + i);
}

/**
 * One thread computes TM x TN elements of C, in two groups of columns.
 *
 * @param M,N,K        sizes, each >= 1
 * @param alpha        factor of A * B
 * @param A,lda        [M x K], rows 16-byte aligned, zeros in the padding
 * @param B,ldb        [K x N], likewise
 * @param beta         factor of C; 0: C is not read
 * @param[in,out] C    [M x N]
 * @param ldc          leading dimension of C
 *
 * Launch: block (BN / TN, BM / TM), grid (ceil(N / BN), ceil(M / BM)).
 */
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(int M, int N, int K, float alpha, const float *A, int lda,
                const float *B, int ldb, float beta, float *C, int ldc)
{
    __shared__ __align__(16) float As[2][BK][BM + 4]; // transposed
    __shared__ __align__(16) float Bs[2][BK][BN];

    // [lanes]
    // Four lanes down, eight across, numbered in pairs:
    //     0  2  4  6  8 10 12 14
    //     1  3  5  7  9 11 13 15
    //    16 18 20 22 24 26 28 30
    //    17 19 21 23 25 27 29 31
    int thread = threadIdx.y * (BN / TN) + threadIdx.x;
    int warp = thread / 32, lane = thread % 32;
    int x = warp % (BN / TN / 8) * 8 + lane / 2 % 8;
    int y = warp / (BN / TN / 8) * 4 + lane / 16 * 2 + lane % 2;
    // [lanes]
    int row = blockIdx.y * BM; // the first of the tile of C
    int col = blockIdx.x * BN;
    // This thread brings 4 elements of a row of A, and 4 of two rows of B.
    int a_row = thread / 2, a_k = thread % 2 * 4;
    int b_k = thread / (BN / 4), b_col = thread % (BN / 4) * 4;
    A += (int64_t)(row + a_row) * lda + a_k;
    B += (int64_t)b_k * ldb + col + b_col;
    int a_left = row + a_row < M ? K - a_k : 0; // steps of K in this row
    int b_left = col + b_col < N ? K - b_k : 0; // and in these columns
    float sum[TM][TN] = {{0.0f}};

    float a_next[BK / 8][4], b_next[BK / B_ROWS][4]; // of the next tiles
    int now = 0; // the buffer of the tiles at work
    fetch(a_next, b_next, A, a_left, B, ldb, b_left);
    put(a_next, b_next, &As[now][a_k][a_row], &Bs[now][b_k][b_col]);
    A += BK;
    B += (int64_t)BK * ldb;
    a_left -= BK;
    b_left -= BK;
    fetch(a_next, b_next, A, a_left, B, ldb, b_left);
    __syncthreads();          // the first tiles are complete
    float a[2][TM], b[2][TN]; // fragments of this k and the next
    fragments(a[0], b[0], &As[0][0][y * TM], &Bs[0][0][x * 4]);

    for (int left = K; left > 0; left -= BK) {
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k == PUT_AT) {
                put(a_next, b_next, &As[1 - now][a_k][a_row],
                    &Bs[1 - now][b_k][b_col]);
                A += BK;
                B += (int64_t)BK * ldb;
                a_left -= BK; // after the last tiles it brings zeros, which
                b_left -= BK; // nobody multiplies
                fetch(a_next, b_next, A, a_left, B, ldb, b_left);
            }
            // [ahead]
            if (k == BK - 1) {
                __syncthreads(); // the next tiles are complete, and everyone
                now = 1 - now;   // has finished reading these
            }
            int next = (k + 1) % BK;
            fragments(a[next % 2], b[next % 2], &As[now][next][y * TM],
                      &Bs[now][next][x * 4]);
            // [ahead]
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++) {
                    int turn = i / 2 % 2 ? TN - 1 - j : j; // serpentine
                    sum[i][turn] += a[k % 2][i] * b[k % 2][turn];
                }
        }
    }

    row += y * TM; // of this thread's first element of C
    col += x * 4;
    C += (int64_t)row * ldc + col;
    for (int i = 0; i < TM; i++) {
        for (int j = 0; j < TN; j++) {
            int right = j % 4 + j / 4 * (BN / 2);
            float new_c = alpha * sum[i][j];
            if (row + i < M && col + right < N)
                C[right] = beta == 0.0f ? new_c : new_c + beta * C[right];
        }
        C += ldc;
    }
}

/* ---- launch ------------------------------------------------------------- */

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(BN / TN, BM / TM);
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
    return gemm_main(argc, argv, "gemm_10_warptile", launch);
}
