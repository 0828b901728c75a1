// GEMM step 6, the exercise: one float4 of A and one of B for each thread.
#include "gemm.h"

#define BM 64                         /**< rows of the tile of C of a block */
#define BN 64                         /**< columns of that tile */
#define BK 16                         /**< step along K (elements) */
#define TM 4                          /**< rows of the tile of C of a thread */
#define TN 4                          /**< columns of that tile */
#define THREADS (BM / TM * (BN / TN)) /**< threads of one block: 256 */

/**
 * Rows of A, B and C begin at multiples of 16 bytes; the padding behind the
 * last column of A and B holds 0.
 *
 * Launch: block (THREADS), grid (ceil(N / BN), ceil(M / BM)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ __align__(16) float As[BK][BM]; // transposed
    __shared__ __align__(16) float Bs[BK][BN];
    int t = threadIdx.x;
    int tile_row = blockIdx.y * BM, tile_col = blockIdx.x * BN;
    int thread_row = t / (BN / TN) * TM, thread_col = t % (BN / TN) * TN;

    float sum[TM][TN] = {{0.0f}};
    for (int64_t first = 0; first < K; first += BK) {
        int a_row = t / (BK / 4), a_k = t % (BK / 4) * 4; // in the tile of A
        int b_k = t / (BN / 4), b_col = t % (BN / 4) * 4; // in that of B
        const float *a_from =
            A + (int64_t)(tile_row + a_row) * lda + first + a_k;
        const float *b_from = B + (first + b_k) * ldb + tile_col + b_col;
        // [write 10] bring four neighbours of each by one load, or zeros
        // beyond the edges; store them to As, transposed, and to Bs
        float4 a = make_float4(0.0f, 0.0f, 0.0f, 0.0f), b = a;
        if (tile_row + a_row < M && first + a_k < K)
            a = *(const float4 *)a_from;
        if (first + b_k < K && tile_col + b_col < N)
            b = *(const float4 *)b_from;
        As[a_k][a_row] = a.x;
        As[a_k + 1][a_row] = a.y;
        As[a_k + 2][a_row] = a.z;
        As[a_k + 3][a_row] = a.w;
        *(float4 *)&Bs[b_k][b_col] = b;
        //: bool in_a = tile_row + a_row < M && first + a_k < K;
        //: bool in_b = first + b_k < K && tile_col + b_col < N;
        //: As[a_k][a_row] = in_a ? *a_from : 0.0f;
        //: Bs[b_k][b_col] = in_b ? *b_from : 0.0f;
        // [end]
        __syncthreads(); // both tiles are complete before anybody reads them
        for (int k = 0; k < BK; k++) {
            float4 a = *(const float4 *)&As[k][thread_row];
            float4 b = *(const float4 *)&Bs[k][thread_col];
            const float down[TM] = {a.x, a.y, a.z, a.w};
            const float across[TN] = {b.x, b.y, b.z, b.w};
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    sum[i][j] += down[i] * across[j];
        }
        __syncthreads(); // all have read the tiles before they are replaced
    }

    for (int i = 0; i < TM; i++) {
        for (int j = 0; j < TN; j++) {
            int row = tile_row + thread_row + i;
            int col = tile_col + thread_col + j;
            float *c = C + (int64_t)row * ldc + col;
            float x = alpha * sum[i][j];
            if (row < M && col < N)
                *c = beta == 0.0f ? x : x + beta * *c;
        }
    }
}

/** Enqueue one GEMM: a block for each tile of C. */
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

int main(int argc, char **argv)
{
    gemm_problem p = gemm_open(argc, argv, "gemm_06_vectorized");
    gemm_verify(&p, launch);
    gemm_time(&p, launch);
    return gemm_close(&p);
}
