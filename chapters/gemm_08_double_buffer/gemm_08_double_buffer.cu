/**
 * @file gemm_08_double_buffer.cu
 * @brief GEMM step 8: the next tiles travel while these are computed.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  before the block computes, each thread loads its part of the next
 *          tiles into registers (fetch), and when it has computed, stores it
 *          (put) into a second buffer in shared memory.
 * Reason:  gemm_07 waits twice a tile: for global memory, at the first
 *          barrier, and for the slowest warp, at the second. Now a load has
 *          the time of a tile to arrive, and one barrier is enough, because
 *          the buffer that is filled is not the one that is read.
 * Run:     make chapter=gemm_08 run
 * Measure: make chapter=gemm_08 profile
 *          At 256 barriers falls from 1,024 to 544.
 * Limit:   the sizes of the tiles are as they came. See gemm_09.
 */

#include "gemm.h"

/* ---- parameters --------------------------------------------------------- */

#define BM 128                        /**< rows of the tile of C of a block */
#define BN 128                        /**< columns of that tile */
#define BK 16                         /**< step along K */
#define TM 8                          /**< rows of C of a thread */
#define TN 8                          /**< columns of C of a thread */
#define THREADS (BM / TM * (BN / TN)) /**< of a block: 256 */
#define B_ROWS (4 * THREADS / BN)     /**< of B that they bring at once: 8 */

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
// [kernel]
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ __align__(16) float As[2][BK][BM + 4]; // transposed
    __shared__ __align__(16) float Bs[2][BK][BN];

    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * BM; // the first of the tile of C
    int col = blockIdx.x * BN;
    // This thread brings 4 + 4 elements of a row of A, 4 of two rows of B.
    int thread = y * (BN / TN) + x;
    int a_row = thread / 2, a_k = thread % 2 * 4;
    int b_k = thread / (BN / 4), b_col = thread % (BN / 4) * 4;
    A += (int64_t)(row + a_row) * lda + a_k;
    B += (int64_t)b_k * ldb + col + b_col;
    int a_left = row + a_row < M ? K - a_k : 0; // steps of K in this row
    int b_left = col + b_col < N ? K - b_k : 0; // and in these columns
    float sum[TM][TN] = {{0.0f}};

    // [prologue]
    float a_next[BK / 8][4], b_next[BK / B_ROWS][4]; // of the next tiles
    int now = 0; // the buffer of the tiles at work
    fetch(a_next, b_next, A, a_left, B, ldb, b_left);
    put(a_next, b_next, &As[now][a_k][a_row], &Bs[now][b_k][b_col]);
    __syncthreads(); // the first tiles are complete
    // [prologue]

    for (int left = K; left > 0; left -= BK) {
        // [fetch]
        A += BK;
        B += (int64_t)BK * ldb;
        a_left -= BK;
        b_left -= BK; // after the last tiles it brings zeros
        fetch(a_next, b_next, A, a_left, B, ldb, b_left);
        // [fetch]
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a[TM], b[TN];
            load4(b, &Bs[now][k][x * 4]);
            load4(b + 4, &Bs[now][k][x * 4 + BN / 2]);
            for (int i = 0; i < TM; i += 4)
                load4(a + i, &As[now][k][y * TM + i]);
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    sum[i][j] += a[i] * b[j];
        }
        // [put]
        now ^= 1;
        put(a_next, b_next, &As[now][a_k][a_row], &Bs[now][b_k][b_col]);
        __syncthreads(); // the next tiles are complete, these read by all
        // [put]
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
// [kernel]

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
    return gemm_main(argc, argv, "gemm_08_double_buffer", launch);
}
