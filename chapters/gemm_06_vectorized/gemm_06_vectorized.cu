/**
 * @file gemm_06_vectorized.cu
 * @brief GEMM step 6: sixteen bytes at a time.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  each load, and each store to Bs, moves four neighbouring floats.
 *          For that a thread's 8 x 8 elements of C are neighbours, and A is
 *          stored transposed: its 8 elements of one k then are neighbours,
 *          too.
 * Reason:  a quarter of the instructions for the same bytes. Shared loads for
 *          64 multiply-adds: gemm_05 16, here 4.
 * Run:     make chapter=gemm_06 run
 * Measure: make chapter=gemm_06 profile
 *          At 256 shared_load_requests falls from 131,072 to 32,768.
 * Limit:   neighbouring threads read float4 two apart, in the same banks. The
 *          stores to As, of 16 rows and 2 values of k, meet there, too. See
 *          gemm_07.
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

// [four]
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
// [four]

/**
 * One thread computes TM x TN neighbouring elements of C.
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
    __shared__ __align__(16) float As[BK][BM]; // transposed
    __shared__ __align__(16) float Bs[BK][BN];

    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * BM; // the first of the tile of C
    int col = blockIdx.x * BN;
    // [part]
    // This thread brings 4 + 4 elements of a row of A, 4 of two rows of B.
    int thread = y * (BN / TN) + x;
    int a_row = thread / 2, a_k = thread % 2 * 4;
    int b_k = thread / (BN / 4), b_col = thread % (BN / 4) * 4;
    A += (int64_t)(row + a_row) * lda + a_k;
    B += (int64_t)b_k * ldb + col + b_col;
    // [part]
    float sum[TM][TN] = {{0.0f}};

    for (int left = K; left > 0; left -= BK) {
        // [load]
        for (int k = 0; k < BK; k += 8) {
            float a[4] = {0.0f};
            if (row + a_row < M && a_k + k < left)
                load4(a, A + k);
            for (int i = 0; i < 4; i++)
                As[a_k + k + i][a_row] = a[i];
        }
        for (int k = 0; k < BK; k += B_ROWS) {
            float b[4] = {0.0f};
            if (b_k + k < left && col + b_col < N)
                load4(b, B + (int64_t)k * ldb);
            store4(&Bs[b_k + k][b_col], b);
        }
        // [load]
        A += BK;                // the next tile of A is to the right
        B += (int64_t)BK * ldb; // the next tile of B is below
        __syncthreads();        // both tiles are complete

        // [multiply]
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a[TM], b[TN];
            load4(b, &Bs[k][x * 8]);
            load4(b + 4, &Bs[k][x * 8 + 4]);
            for (int i = 0; i < TM; i += 4)
                load4(a + i, &As[k][y * TM + i]);
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    sum[i][j] += a[i] * b[j];
        }
        // [multiply]
        __syncthreads(); // everyone has finished reading
    }

    // [store]
    row += y * TM; // of this thread's first element of C
    col += x * 8;
    C += (int64_t)row * ldc + col;
    for (int i = 0; i < TM; i++) {
        for (int j = 0; j < TN; j++) {
            float new_c = alpha * sum[i][j];
            if (row + i < M && col + j < N)
                C[j] = beta == 0.0f ? new_c : new_c + beta * C[j];
        }
        C += ldc;
    }
    // [store]
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
    return gemm_main(argc, argv, "gemm_06_vectorized", launch);
}
