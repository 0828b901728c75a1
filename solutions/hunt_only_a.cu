// hunt of tensor_03_swizzle
// Right, but each ldmatrix of A takes twice as long as one of B.
#include "gemm_bf16.h"

#include "ptx.cuh"

#define BM 64   /**< rows of the tile of C of a block */
#define BN 128  /**< columns of that tile */
#define BK 64   /**< step along K */
#define WARP 64 /**< rows and columns of C of a warp */
#define THREADS (BM / WARP * (BN / WARP) * 32) /**< of a block: 64 */
#define PIECE 16 /**< bytes of a row that stay together */

/** Where an element lies in a tile with rows of COLS elements. */
template <int COLS>
static __device__ int place(int row, int col)
{
    // [hunt]
    const int pieces = COLS * (int)sizeof(bfloat16) / PIECE; // of a row
    //: const int pieces = COLS / PIECE; // of a row
    // [end]
    return row * COLS + (col / 8 ^ row % pieces) * 8 + col % 8;
}

/** Copy a tile into shared memory, zeros where it hangs over the edge. */
template <int ROWS, int COLS>
static __device__ void bring(bfloat16 *to, const bfloat16 *x, int ld, int rows,
                             int cols)
{
    for (int i = threadIdx.x * 8; i < ROWS * COLS; i += THREADS * 8) {
        int row = i / COLS, col = i % COLS;
        uint4 eight = {0, 0, 0, 0};
        if (row < rows && col < cols) // the padding of a row holds zeros
            eight = *(const uint4 *)(x + (int64_t)row * ld + col);
        *(uint4 *)(to + place<COLS>(row, col)) = eight;
    }
}

/**
 * One warp computes WARP x WARP elements of C.
 *
 * Launch: block THREADS, grid (ceil(N / BN), ceil(M / BM)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A,
                            int lda, const bfloat16 *B, int ldb, float beta,
                            bfloat16 *C, int ldc)
{
    __shared__ __align__(16) bfloat16 As[BM * BK];
    __shared__ __align__(16) bfloat16 Bs[BK * BN];
    int row = blockIdx.y * BM, col = blockIdx.x * BN; // of the tile of C
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int y = warp / (BN / WARP) * WARP, x = warp % (BN / WARP) * WARP;
    A += (int64_t)row * lda;
    B += col;
    float sum[WARP / 16][WARP / 8][4] = {}; // fragments of 16 x 8 elements

    for (int left = K; left > 0; left -= BK) {
        bring<BM, BK>(As, A, lda, M - row, left);
        bring<BK, BN>(Bs, B, ldb, left, N - col);
        __syncthreads(); // both tiles are complete
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            uint32_t a[WARP / 16][4], b[WARP / 16][4];
            for (int i = 0; i < WARP / 16; i++) // 16 rows, 16 of K
                ldmatrix_x4(
                    a[i], shared_address(As + place<BK>(y + i * 16 + lane % 16,
                                                        k + lane / 16 * 8)));
            for (int j = 0; j < WARP / 16; j++) // 16 of K, 16 columns
                ldmatrix_x4_trans(
                    b[j],
                    shared_address(Bs + place<BN>(k + lane % 16,
                                                  x + j * 16 + lane / 16 * 8)));
            for (int i = 0; i < WARP / 16; i++)
                for (int j = 0; j < WARP / 8; j++)
                    mma_m16n8k16(sum[i][j], a[i], &b[j / 2][j % 2 * 2]);
        }
        __syncthreads(); // everyone has finished reading
        A += BK;
        B += (int64_t)BK * ldb;
    }

    row += y + lane / 4; // of this lane's first pair of C
    col += x + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < WARP / 8; i++) // eight rows at a time
        for (int j = 0; j < WARP / 8; j++)
            if (row + i * 8 < M)
                store_pair(C + (int64_t)(row + i * 8) * ldc + col + j * 8,
                           alpha, &sum[i / 2][j][i % 2 * 2], beta,
                           N - col - j * 8);
}

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_bf16_problem *p)
{
    dim3 grid(ceil_div(p->N, BN), ceil_div(p->M, BM));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * BM);
    gemm_kernel<<<grid, THREADS>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda,
                                   p->B, p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, THREADS, 0);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_03_swizzle", launch, 80, 0);
}
