// hunt of gemm_07_bank_conflict
// No load has a conflict, and few columns are right.

#include "gemm.h"

#define BM 128                        /**< rows of the tile of C of a block */
#define BN 128                        /**< columns of that tile */
#define BK 16                         /**< step along K */
#define TM 8                          /**< rows of C of a thread */
#define TN 8                          /**< columns of C of a thread */
#define THREADS (BM / TM * (BN / TN)) /**< of a block: 256 */
#define B_ROWS (4 * THREADS / BN)     /**< of B that they bring at once: 8 */

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
 * One thread computes TM x TN elements of C.
 *
 * Launch: block (BN / TN, BM / TM), grid (ceil(N / BN), ceil(M / BM)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ __align__(16) float As[BK][BM + 4]; // transposed
    __shared__ __align__(16) float Bs[BK][BN];

    int x = threadIdx.x, y = threadIdx.y;
    int thread = y * (BN / TN) + x;
    int row = blockIdx.y * BM; // the first of the tile of C
    int col = blockIdx.x * BN;
    // This thread brings 4 + 4 elements of a row of A, 4 of two rows of B.
    int a_row = thread / 2, a_k = thread % 2 * 4;
    int b_k = thread / (BN / 4), b_col = thread % (BN / 4) * 4;
    A += (int64_t)(row + a_row) * lda + a_k;
    B += (int64_t)b_k * ldb + col + b_col;
    float sum[TM][TN] = {{0.0f}};

    for (int left = K; left > 0; left -= BK) {
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
        A += BK;                // the next tile of A is to the right
        B += (int64_t)BK * ldb; // the next tile of B is below
        __syncthreads();        // both tiles are complete

#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a[TM], b[TN];
            load4(b, &Bs[k][x * 4]);
            load4(b + 4, &Bs[k][x * 4 + BN / 2]);
            for (int i = 0; i < TM; i += 4)
                load4(a + i, &As[k][y * TM + i]);
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads(); // everyone has finished reading
    }

    row += y * TM; // of this thread's first element of C
    // [hunt]
    col += x * 4;
    //: col += x * TN;
    // [end]
    C += (int64_t)row * ldc + col;
    for (int i = 0; i < TM; i++) {
        for (int j = 0; j < TN; j++) {
            // [hunt]
            int right = j % 4 + j / 4 * (BN / 2);
            //: int right = j;
            // [end]
            float new_c = alpha * sum[i][j];
            if (row + i < M && col + right < N)
                C[right] = beta == 0.0f ? new_c : new_c + beta * C[right];
        }
        C += ldc;
    }
}

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

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_07_bank_conflict", launch);
}
