/**
 * @file tensor_05_wgmma.cu
 * @brief Tensor cores, step 5: four warps multiply straight from shared memory.
 *
 * C = alpha * A * B + beta * C, row-major: A [M x K], B [K x N], C [M x N] in
 * bfloat16, sums in float32.
 *
 * Change:  wgmma in place of ldmatrix and mma.sync: a warp group, four warps,
 *          begins a product of 64 x 256 x 16 and goes on. Blocks work on bands
 *          of eight rows of tiles.
 * Reason:  the tensor cores read shared memory themselves, once for a group of
 *          four warps, and no lane loads a fragment. A band shares more of A
 *          and B in the L2.
 * Run:     make chapter=tensor_05 run
 * Measure: make compare chapter=tensor
 * Limit:   a group multiplies its half of a tile by four instructions, but 256
 *          threads compute addresses for 12 copies each.
 */

#include "gemm_bf16.h"

#include "ptx.cuh"

/* ---- parameters --------------------------------------------------------- */

#define BM 128   /**< rows of the tile of C of a block */
#define BN 256   /**< columns of that tile */
#define BK 64    /**< step along K: 128 bytes, a row of the swizzle */
#define STAGES 4 /**< tiles of A and of B in shared memory */
#define BAND 8   /**< rows of tiles that are worked on together */
#define THREADS (BM / 64 * 128) /**< of a block: 256, two warp groups */
#define SHARED (STAGES * (BM + BN) * BK * (int)sizeof(bfloat16)) /**< bytes */

/* ---- kernel ------------------------------------------------------------- */

/**
 * Where an element lies in a tile of ROWS rows, as wgmma wants it: in panels of
 * 64 columns. A row of a panel is 8 pieces of 8 elements, 16 bytes, and row % 8
 * is XORed to their number.
 */
// [place]
template <int ROWS>
static __device__ int place(int row, int col)
{
    int panel = col / 64, piece = col % 64 / 8;
    return (panel * ROWS + row) * 64 + (piece ^ row % 8) * 8;
}
// [place]

/**
 * Begin to copy a tile into shared memory, all threads together, 8 elements at
 * a time; zeros where it hangs over the edge.
 *
 * @param to         [ROWS x COLS], its pieces at place()
 * @param x,ld       the tile's first element; from row to row
 * @param rows,cols  what the matrix has from there on
 */
template <int ROWS, int COLS>
static __device__ void copy(bfloat16 *to, const bfloat16 *x, int ld, int rows,
                            int cols)
{
    int row = threadIdx.x / (COLS / 8), col = threadIdx.x % (COLS / 8) * 8;
    uint32_t at = shared_address(to + place<ROWS>(row, col));
    x += (int64_t)row * ld + col;
#pragma unroll
    for (int i = 0; i < ROWS;
         i += THREADS / (COLS / 8)) // always the same piece
        copy_async(at + i * 64 * 2, x + (int64_t)i * ld,
                   row + i < rows && col < cols ? 16 : 0);
}

/**
 * A warp group computes 64 x BN elements of C.
 *
 * @param M,N,K        sizes, each >= 1
 * @param alpha        factor of A * B
 * @param A,lda        [M x K], rows 16-byte aligned, zeros in the padding
 * @param B,ldb        [K x N], likewise
 * @param beta         factor of C; 0: C is not read
 * @param[in,out] C    [M x N]
 * @param ldc          leading dimension of C
 *
 * Launch: block THREADS, SHARED bytes, a grid of BAND tiles down, all across,
 * and the number of bands.
 */
__global__ void __launch_bounds__(THREADS, 1)
    gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A, int lda,
                const bfloat16 *B, int ldb, float beta, bfloat16 *C, int ldc)
{
    extern __shared__ __align__(1024) bfloat16 shared[];
    bfloat16 *As = shared, *Bs = shared + STAGES * BM * BK;

    // [band]
    int row = (blockIdx.z * BAND + blockIdx.x) * BM, col = blockIdx.y * BN;
    if (row >= M)
        return; // the last band is not full
    // [band]
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int group = warp / 4; // its rows of the tile: group * 64 and on
    A += (int64_t)row * lda;
    B += col;
    float sum[BN / 8][4]; // fragments of 16 x 8 elements

    for (int begun = 0; begun < STAGES - 2; begun++) {
        copy<BM, BK>(As + begun * BM * BK, A, lda, M - row, K - begun * BK);
        copy<BK, BN>(Bs + begun * BK * BN, B, ldb, K - begun * BK, N - col);
        copy_commit();
        A += BK;
        B += (int64_t)BK * ldb;
    }
    for (int i = 0; i * BK < K; i++) {
        // [multiply]
        copy_wait<STAGES - 3>();
        fence_proxy_async();
        __syncthreads(); // tile i is complete, and tile i - 2 is not needed
        uint32_t a =
            shared_address(As + i % STAGES * BM * BK + group * 64 * BK);
        uint32_t b = shared_address(Bs + i % STAGES * BK * BN);
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < BK; k += 16) // 16 columns of A, 16 rows of B
            wgmma_m64n256k16(sum, wgmma_descriptor(a + k * 2, 0),
                             wgmma_descriptor(b + k * 128, BK * 128),
                             i + k > 0);
        wgmma_commit();
        // [multiply]

        // [ahead]
        int free = (i + STAGES - 2) % STAGES, left = K - (i + STAGES - 2) * BK;
        copy<BM, BK>(As + free * BM * BK, A, lda, M - row, left);
        copy<BK, BN>(Bs + free * BK * BN, B, ldb, left, N - col);
        copy_commit();
        A += BK;
        B += (int64_t)BK * ldb;
        wgmma_wait<1>(); // the products of tile i - 1 have ended
        // [ahead]
    }
    wgmma_wait<0>();

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

/* ---- launch ------------------------------------------------------------- */

/** Enqueue one GEMM: a block for each tile of C, in bands. */
static void launch(const gemm_bf16_problem *p)
{
    // [grid]
    int down = ceil_div(p->M, BM); // tiles of C
    dim3 grid(min(BAND, down), ceil_div(p->N, BN), ceil_div(down, BAND));
    // [grid]
    REQUIRE(grid.y <= MAX_GRID_Y && grid.z <= MAX_GRID_Y,
            "--M %d --N %d: this kernel takes at most %d and %d", p->M, p->N,
            MAX_GRID_Y * BAND * BM, MAX_GRID_Y * BN);
    CUDA_CHECK(cudaFuncSetAttribute(
        gemm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    gemm_kernel<<<grid, THREADS, SHARED>>>(p->M, p->N, p->K, p->alpha, p->A,
                                           p->lda, p->B, p->ldb, p->beta, p->C,
                                           p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, THREADS, SHARED);
}

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    // options, A B C, verify, time beside cuBLAS, report
    return gemm_bf16_main(argc, argv, "tensor_05_wgmma", launch, 90, 90);
}
