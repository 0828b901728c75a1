/**
 * @file gemm_11_async.cu
 * @brief GEMM step 11: asynchronous copies into a ring of buffers.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  cp.async copies a tile from global into shared memory through no
 *          register, more than a tile ahead, into the third of three buffers.
 * Reason:  gemm_10 keeps what it has fetched in 12 registers of a thread, which
 *          must come back to put it. A copy is begun and forgotten; a thread
 *          only waits, once a tile, for copies that it began a tile ago.
 * Run:     make chapter=gemm_11 run
 * Measure: make chapter=gemm_11 asm
 *          The loop has LDGSTS in place of LDG and STS.
 * Limit:   small C leaves SMs idle: 1024 x 1024 has 32 tiles for 132 SMs.
 */

#include "gemm.h"

#include "cp_async.cuh"

/* ---- parameters --------------------------------------------------------- */

#define BM 128    /**< rows of the tile of C of a block */
#define BN 256    /**< columns of that tile */
#define BK 8      /**< step along K */
#define TM 16     /**< rows of C of a thread */
#define TN 8      /**< columns of C of a thread */
#define STAGES 3  /**< tiles of A and of B in shared memory */
#define COPY_AT 2 /**< k at which the next copies begin */
#define THREADS (BM / TM * (BN / TN)) /**< of a block: 256 */
#define A_ROWS (THREADS / BK)         /**< of A that they copy at once: 32 */
#define B_ROWS (4 * THREADS / BN)     /**< of B that they copy at once: 4 */

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

/**
 * Begin to copy this thread's part of two tiles, to its places in them; zeros
 * beyond a_left and b_left more steps of K. Below the last of `rows` rows of A
 * it copies that row again: such sums are not stored.
 */
// [copy]
static __device__ void copy(float *As, float *Bs, const float *A, int lda,
                            int rows, int a_left, const float *B, int ldb,
                            int b_left)
{
    for (int i = 0; i < BM; i += A_ROWS)
        copy_async<4>(As + i, A + (int64_t)min(i, rows - 1) * lda, a_left > 0);
    for (int k = 0; k < BK; k += B_ROWS)
        copy_async<16>(Bs + k * BN, B + (int64_t)k * ldb, k < b_left);
    __pipeline_commit(); // these copies are a group
}
// [copy]

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
    __shared__ __align__(16) float As[STAGES][BK][BM + 4]; // transposed
    __shared__ __align__(16) float Bs[STAGES][BK][BN];

    // A warp is four threads down and eight across.
    int thread = threadIdx.y * (BN / TN) + threadIdx.x;
    int warp = thread / 32, lane = thread % 32;
    int x = warp % (BN / TN / 8) * 8 + lane % 8;
    int y = warp / (BN / TN / 8) * 4 + lane / 8;
    int row = blockIdx.y * BM; // the first of the tile of C
    int col = blockIdx.x * BN;
    // This thread copies an element of every 32nd row of A, 4 of two rows of B;
    // beyond the edges those of the last row, the last columns.
    int a_row = thread / BK, a_k = thread % BK;
    int b_k = thread / (BN / 4), b_col = thread % (BN / 4) * 4;
    A += (int64_t)(row + min(a_row, M - row - 1)) * lda + a_k;
    B += (int64_t)b_k * ldb + col + min(b_col, (N - col - 1) / 4 * 4);
    int rows = max(M - row - a_row, 1);     // of A from there on
    int a_left = K - a_k, b_left = K - b_k; // steps of K
    float sum[TM][TN] = {{0.0f}};

    int now = 0, before = STAGES - 1; // buffers: at work, and free
    for (int i = 0; i < STAGES - 1; i++) {
        copy(&As[i][a_k][a_row], &Bs[i][b_k][b_col], A, lda, rows, a_left, B,
             ldb, b_left);
        A += BK;
        B += (int64_t)BK * ldb;
        a_left -= BK;
        b_left -= BK;
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();          // the first tiles are complete
    float a[2][TM], b[2][TN]; // fragments of this k and the next
    fragments(a[0], b[0], &As[0][0][y * TM], &Bs[0][0][x * 4]);

    for (int left = K; left > 0; left -= BK) {
#pragma unroll
        for (int k = 0; k < BK; k++) {
            // [begin]
            if (k == COPY_AT) { // past K: zeros, which nobody multiplies
                copy(&As[before][a_k][a_row], &Bs[before][b_k][b_col], A, lda,
                     rows, a_left, B, ldb, b_left);
                A += BK;
                B += (int64_t)BK * ldb;
                a_left -= BK;
                b_left -= BK;
            }
            // [begin]
            // [wait]
            if (k == BK - 1) {
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads(); // the next tiles are complete, and everyone
                before = now;    // has finished reading these
                now = now + 1 == STAGES ? 0 : now + 1;
            }
            // [wait]
            int next = (k + 1) % BK;
            fragments(a[next % 2], b[next % 2], &As[now][next][y * TM],
                      &Bs[now][next][x * 4]);
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++) {
                    int turn = i % 2 ? TN - 1 - j : j; // serpentine
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
    return gemm_main(argc, argv, "gemm_11_async", launch);
}
