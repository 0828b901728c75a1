// GEMM step 10, the exercise: the lanes of a warp tile of 64 x 32.
#include "gemm.h"

#define BM 128      /**< rows of the tile of C of a block */
#define BN 128      /**< columns of that tile */
#define BK 8        /**< step along K (elements) */
#define WM 64       /**< rows of the tile of C of a warp */
#define WN 32       /**< columns of that tile */
#define THREADS 256 /**< threads of one block, each computes 8 x 8 elements */

/** Load four neighbours. */
static __device__ void load4(float *to, const float *from)
{
    float4 x = *(const float4 *)from;
    to[0] = x.x;
    to[1] = x.y;
    to[2] = x.z;
    to[3] = x.w;
}

/**
 * The tiles of the warps are 2 x 4. In each, the 32 lanes have 4 x 4 elements
 * of the upper left quarter, WM / 2 x WN / 2, and the same of the three others.
 *
 * Launch: block (THREADS), grid (ceil(N / BN), ceil(M / BM)).
 */
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(int M, int N, int K, float alpha, const float *A, int lda,
                const float *B, int ldb, float beta, float *C, int ldc)
{
    __shared__ __align__(16) float As[BK][BM]; // transposed
    __shared__ __align__(16) float Bs[BK][BN];
    int tile_row = blockIdx.y * BM, tile_col = blockIdx.x * BN;

    // [write 6] the first row and column that this thread computes, from
    // the corner of the tile: each lane has one of the 8 x 4 places of its
    // warp, such that a load of A or of B takes 2 wavefronts
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int lane_row = lane / 8 * 2 + lane % 2; // pairs one above the other
    int lane_col = lane / 2 % 4;
    int thread_row = warp / 4 * WM + lane_row * 4;
    int thread_col = warp % 4 * WN + lane_col * 4;
    //: int thread_row = 0;
    //: int thread_col = 0;
    // [end]

    float sum[8][8] = {{0.0f}};
    for (int64_t first = 0; first < K; first += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += THREADS) {
            int row = tile_row + i / BK, k = first + i % BK;
            As[i % BK][i / BK] =
                row < M && k < K ? A[(int64_t)row * lda + k] : 0.0f;
        }
        for (int i = threadIdx.x; i < BK * BN; i += THREADS) {
            int k = first + i / BN, col = tile_col + i % BN;
            Bs[i / BN][i % BN] =
                k < K && col < N ? B[(int64_t)k * ldb + col] : 0.0f;
        }
        __syncthreads(); // both tiles are complete before anybody reads them
        for (int k = 0; k < BK; k++) {
            float a[8], b[8];
            load4(a, &As[k][thread_row]);
            load4(a + 4, &As[k][thread_row + WM / 2]);
            load4(b, &Bs[k][thread_col]);
            load4(b + 4, &Bs[k][thread_col + WN / 2]);
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads(); // all have read the tiles before they are replaced
    }

    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            int row = tile_row + thread_row + i / 4 * (WM / 2) + i % 4;
            int col = tile_col + thread_col + j / 4 * (WN / 2) + j % 4;
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
    return gemm_main(argc, argv, "gemm_10_warptile", launch);
}
