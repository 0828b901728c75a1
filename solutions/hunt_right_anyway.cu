// hunt of tensor_05_wgmma
// Right anyway.
#include "gemm_bf16.h"

#include "ptx.cuh"

#define BM 64       /**< rows of the tile of C of a block */
#define BN 256      /**< columns of that tile */
#define BK 64       /**< step along K: 128 bytes, a row of the swizzle */
#define THREADS 128 /**< of a block: a warp group */

/** Where an element lies in a tile of ROWS rows, in panels of 64 columns. */
template <int ROWS>
static __device__ int place(int row, int col)
{
    int panel = col / 64, piece = col % 64 / 8;
    return (panel * ROWS + row) * 64 + (piece ^ row % 8) * 8;
}

/**
 * Bring a piece of 8 elements into a tile, or zeros where there are none.
 *
 * @param to         [ROWS x COLS], its pieces at place()
 * @param x,ld       the tile's first element; from row to row
 * @param rows,cols  what the matrix has from there on
 * @param piece      which one, row by row
 */
template <int ROWS, int COLS>
static __device__ void bring(bfloat16 *to, const bfloat16 *x, int ld, int rows,
                             int cols, int piece)
{
    int row = piece / (COLS / 8), col = piece % (COLS / 8) * 8;
    uint4 eight = {0, 0, 0, 0};
    if (row < rows && col < cols)
        eight = *(const uint4 *)(x + (int64_t)row * ld + col);
    *(uint4 *)(to + place<ROWS>(row, col)) = eight;
}

/**
 * A warp group computes BM x BN elements of C. A quarter of its threads bring
 * the tile of A, the others that of B.
 *
 * Launch: block THREADS, grid (ceil(N / BN), ceil(M / BM)).
 */
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A, int lda,
                const bfloat16 *B, int ldb, float beta, bfloat16 *C, int ldc)
{
    __shared__ __align__(1024) bfloat16 As[BM * BK];
    __shared__ __align__(1024) bfloat16 Bs[BK * BN];
    int row = blockIdx.y * BM, col = blockIdx.x * BN; // of the tile of C
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum[BN / 8][4]; // fragments of 16 x 8 elements

    for (int k = 0; k < K; k += BK) {
        if (warp == 0) {
            for (int i = lane; i < BM * BK / 8; i += 32)
                bring<BM, BK>(As, A + (int64_t)row * lda + k, lda, M - row,
                              K - k, i);
            fence_proxy_async(); // the tensor cores see the stores
        } else {
            for (int i = threadIdx.x - 32; i < BK * BN / 8; i += THREADS - 32)
                bring<BK, BN>(Bs, B + (int64_t)k * ldb + col, ldb, K - k,
                              N - col, i);
            // [hunt]
            fence_proxy_async(); // each thread makes its own stores visible
            // [end]
        }
        __syncthreads(); // both tiles are complete

        uint32_t a = shared_address(As), b = shared_address(Bs);
        wgmma_fence();
        for (int i = 0; i < BK; i += 16)
            wgmma_m64n256k16(sum, wgmma_descriptor(a + i * 2, 0),
                             wgmma_descriptor(b + i * 128, BK * 128),
                             k + i > 0);
        wgmma_commit();
        wgmma_wait<0>();
        __syncthreads(); // all four warps have multiplied
    }

    row += warp * 16 + lane / 4; // of this lane's first pair of C
    col += lane % 4 * 2;
    C += (int64_t)row * ldc + col;
#pragma unroll
    for (int h = 0; h < 2; h++) { // rows 0 to 7, and 8 to 15
        for (int j = 0; j < BN / 8; j++)
            if (row + h * 8 < M)
                store_pair(C + j * 8, alpha, &sum[j][h * 2], beta,
                           N - col - j * 8);
        C += (int64_t)8 * ldc;
    }
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
    return gemm_bf16_main(argc, argv, "tensor_05_wgmma", launch, 90, 90);
}
