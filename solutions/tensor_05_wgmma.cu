// Tensor cores step 5, the exercise: a tile of A in two panels.
#include "gemm_bf16.h"

#include "ptx.cuh"

#define BM 64       /**< rows of the tile of C of a block */
#define BN 256      /**< columns of that tile */
#define BK 128      /**< step along K: two panels of A */
#define THREADS 128 /**< of a block: a warp group */
#define SHARED ((BM + BN) * BK * (int)sizeof(bfloat16)) /**< bytes */

/** Where an element lies in a tile of ROWS rows, in panels of 64 columns. */
template <int ROWS>
static __device__ int place(int row, int col)
{
    int panel = col / 64, piece = col % 64 / 8;
    return (panel * ROWS + row) * 64 + (piece ^ row % 8) * 8;
}

/**
 * Bring a tile, all threads together, 8 elements at a time; zeros where it
 * hangs over the edge.
 *
 * @param to         [ROWS x COLS], its pieces at place()
 * @param x,ld       the tile's first element; from row to row
 * @param rows,cols  what the matrix has from there on
 */
template <int ROWS, int COLS>
static __device__ void bring(bfloat16 *to, const bfloat16 *x, int ld, int rows,
                             int cols)
{
    for (int i = threadIdx.x; i < ROWS * COLS / 8; i += THREADS) {
        int row = i / (COLS / 8), col = i % (COLS / 8) * 8;
        uint4 eight = {0, 0, 0, 0};
        if (row < rows && col < cols)
            eight = *(const uint4 *)(x + (int64_t)row * ld + col);
        *(uint4 *)(to + place<ROWS>(row, col)) = eight;
    }
}

/**
 * A warp group computes BM x BN elements of C.
 *
 * Launch: block THREADS, grid (ceil(N / BN), ceil(M / BM)), SHARED bytes.
 */
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A, int lda,
                const bfloat16 *B, int ldb, float beta, bfloat16 *C, int ldc)
{
    extern __shared__ __align__(1024) bfloat16 shared[];
    bfloat16 *As = shared, *Bs = shared + BM * BK;
    int row = blockIdx.y * BM, col = blockIdx.x * BN; // of the tile of C
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum[BN / 8][4] = {}; // fragments of 16 x 8 elements

    for (int k = 0; k < K; k += BK) {
        bring<BM, BK>(As, A + (int64_t)row * lda + k, lda, M - row, K - k);
        bring<BK, BN>(Bs, B + (int64_t)k * ldb + col, ldb, K - k, N - col);
        // [write 11] when both tiles are there, add their product to sum, in
        // steps of 16; afterwards the tiles may be overwritten
        uint32_t a = shared_address(As), b = shared_address(Bs);
        fence_proxy_async();
        __syncthreads(); // both tiles are complete
        wgmma_fence();
        for (int i = 0; i < BK; i += 16)
            wgmma_m64n256k16(
                sum, wgmma_descriptor(a + i / 64 * BM * 128 + i % 64 * 2, 0),
                wgmma_descriptor(b + i * 128, BK * 128), true);
        wgmma_commit();
        wgmma_wait<0>();
        __syncthreads(); // all four warps have multiplied
        // [end]
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
    CUDA_CHECK(cudaFuncSetAttribute(
        gemm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    gemm_kernel<<<grid, THREADS, SHARED>>>(p->M, p->N, p->K, p->alpha, p->A,
                                           p->lda, p->B, p->ldb, p->beta, p->C,
                                           p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, THREADS, SHARED);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_05_wgmma", launch, 90, 90);
}
