// GEMM step 7, the exercise: where does a word of A lie in shared memory?
#include "gemm.h"

#define BM 64                         /**< rows of the tile of C of a block */
#define BN 64                         /**< columns of that tile */
#define BK 8                          /**< step along K (elements) */
#define TM 4                          /**< rows of the tile of C of a thread */
#define TN 4                          /**< columns of that tile */
#define THREADS (BM / TM * (BN / TN)) /**< threads of one block: 256 */
#define SPARE 32                      /**< words of As more than it holds */

/**
 * Where in As the word of A in row @p row of the tile lies, for step @p k.
 *
 * A warp stores 16 rows x 8 steps of k: lane l has row l / 2, and in four
 * stores one behind the other the steps l % 2 * 4 to l % 2 * 4 + 3. A load
 * takes the four words of `row` to `row + 3`, row a multiple of 4, as a float4.
 */
static __device__ int place(int k, int row)
{
    // TODO, 1 line: an index below BK * BM + SPARE, such that neither stores
    // nor loads have bank conflicts
    return row;
}

/** Launch: block (THREADS), grid (ceil(N / BN), ceil(M / BM)). */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ __align__(16) float As[BK * BM + SPARE]; // transposed
    __shared__ __align__(16) float Bs[BK][BN];
    int t = threadIdx.x;
    int tile_row = blockIdx.y * BM, tile_col = blockIdx.x * BN;
    int thread_row = t / (BN / TN) * TM, thread_col = t % (BN / TN) * TN;

    float sum[TM][TN] = {{0.0f}};
    for (int64_t first = 0; first < K; first += BK) {
        // Half of the threads bring a float4 of A, the others one of B.
        float4 x = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (t < THREADS / 2) {
            int row = t / 2, k = t % 2 * 4;
            if (tile_row + row < M && first + k < K)
                x = *(const float4 *)(A + (int64_t)(tile_row + row) * lda +
                                      first + k);
            As[place(k, row)] = x.x;
            As[place(k + 1, row)] = x.y;
            As[place(k + 2, row)] = x.z;
            As[place(k + 3, row)] = x.w;
        } else {
            int k = t / (BN / 4) - BK, col = t % (BN / 4) * 4;
            if (first + k < K && tile_col + col < N)
                x = *(const float4 *)(B + (first + k) * ldb + tile_col + col);
            *(float4 *)&Bs[k][col] = x;
        }
        __syncthreads(); // both tiles are complete before anybody reads them
        for (int k = 0; k < BK; k++) {
            float4 a = *(const float4 *)&As[place(k, thread_row)];
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
    gemm_problem p = gemm_open(argc, argv, "gemm_07_bank_conflict");
    gemm_verify(&p, launch);
    gemm_time(&p, launch);
    return gemm_close(&p);
}
