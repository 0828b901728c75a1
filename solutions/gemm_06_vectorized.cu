// GEMM step 6, the exercise: four words of A and four of B for each thread.
#include "gemm.h"

#define BM 64                         /**< rows of the tile of C of a block */
#define BN 64                         /**< columns of that tile */
#define BK 16                         /**< step along K */
#define TM 4                          /**< rows of C of a thread */
#define TN 4                          /**< columns of C of a thread */
#define THREADS (BM / TM * (BN / TN)) /**< of a block: 256 */

/**
 * Rows of A, B and C begin at multiples of 16 bytes; the padding after the
 * last column of A and B holds 0.
 *
 * Launch: block (BN / TN, BM / TM), grid (ceil(N / BN), ceil(M / BM)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ __align__(16) float As[BK][BM]; // transposed
    __shared__ __align__(16) float Bs[BK][BN];

    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * BM; // the first of the tile of C
    int col = blockIdx.x * BN;
    // This thread brings 4 elements of a row of A and 4 of a row of B.
    int thread = y * (BN / TN) + x;
    int a_row = thread / (BK / 4), a_k = thread % (BK / 4) * 4;
    int b_k = thread / (BN / 4), b_col = thread % (BN / 4) * 4;
    A += (int64_t)(row + a_row) * lda + a_k;
    B += (int64_t)b_k * ldb + col + b_col;
    float sum[TM][TN] = {{0.0f}};

    for (int left = K; left > 0; left -= BK) {
        // [write 10] load four neighbours of each at once, or zeros beyond
        // the edges; store them to As, transposed, and to Bs
        float4 a = make_float4(0.0f, 0.0f, 0.0f, 0.0f), b = a;
        if (row + a_row < M && a_k < left)
            a = *(const float4 *)A;
        if (b_k < left && col + b_col < N)
            b = *(const float4 *)B;
        As[a_k][a_row] = a.x;
        As[a_k + 1][a_row] = a.y;
        As[a_k + 2][a_row] = a.z;
        As[a_k + 3][a_row] = a.w;
        *(float4 *)&Bs[b_k][b_col] = b;
        //: bool in_a = row + a_row < M && a_k < left;
        //: bool in_b = b_k < left && col + b_col < N;
        //: As[a_k][a_row] = in_a ? *A : 0.0f;
        //: Bs[b_k][b_col] = in_b ? *B : 0.0f;
        // [end]
        A += BK;                // the next tile of A is to the right
        B += (int64_t)BK * ldb; // the next tile of B is below
        __syncthreads();        // both tiles are complete

#pragma unroll
        for (int k = 0; k < BK; k++) {
            float4 a = *(const float4 *)&As[k][y * TM];
            float4 b = *(const float4 *)&Bs[k][x * TN];
            const float down[TM] = {a.x, a.y, a.z, a.w};
            const float across[TN] = {b.x, b.y, b.z, b.w};
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    sum[i][j] += down[i] * across[j];
        }
        __syncthreads(); // everyone has finished reading
    }

    row += y * TM; // of this thread's first element of C
    col += x * TN;
    C += (int64_t)row * ldc + col;
    for (int i = 0; i < TM; i++) {
        for (int j = 0; j < TN; j++) {
            float new_c = alpha * sum[i][j];
            if (row + i < M && col + j < N)
                C[j] = beta == 0.0f ? new_c : new_c + beta * C[j];
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
    return gemm_main(argc, argv, "gemm_06_vectorized", launch);
}
