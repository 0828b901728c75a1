/**
 * @file tensor_03_swizzle.cu
 * @brief Tensor cores, step 3: pieces of a row change places, without padding.
 *
 * C = alpha * A * B + beta * C, row-major: A [M x K], B [K x N], C [M x N] in
 * bfloat16, sums in float32.
 *
 * Change:  piece i of row r, 16 bytes, lies where piece i XOR r % 8 would.
 * Reason:  a piece of eight rows below each other fills all 32 banks, and no
 *          byte is lost. The copy engine and wgmma will want such tiles, too.
 * Run:     make chapter=tensor_03 run
 * Measure: make compare chapter=tensor
 * Limit:   a tile comes, then it is multiplied, then the next one comes.
 */

#include "gemm_bf16.h"

#include "ptx.cuh"

/* ---- parameters --------------------------------------------------------- */

#define BM 128 /**< rows of the tile of C of a block */
#define BN 128 /**< columns of that tile */
#define BK 64  /**< step along K */
#define WM 64  /**< rows of C of a warp */
#define WN 32  /**< columns of C of a warp */
#define THREADS (BM / WM * (BN / WN) * 32) /**< of a block: 256 */

/* ---- kernel ------------------------------------------------------------- */

/**
 * Where a piece of 8 elements, 16 bytes, begins in a tile with rows of COLS
 * elements, a multiple of 64: the key of the row, row % 8, is XORed to the
 * piece's number.
 */
// [place]
template <int COLS>
static __device__ int place(int row, int col)
{
    return row * COLS + (col / 8 ^ row % 8) * 8;
}
// [place]

/**
 * Copy a tile into shared memory, all threads together, 8 elements at a time;
 * zeros where it hangs over the edge.
 *
 * @param to         [ROWS x COLS], its pieces at place()
 * @param x,ld       the tile's first element; from row to row
 * @param rows,cols  what the matrix has from there on
 */
template <int ROWS, int COLS>
static __device__ void bring(bfloat16 *to, const bfloat16 *x, int ld, int rows,
                             int cols)
{
    int row = threadIdx.x / (COLS / 8), col = threadIdx.x % (COLS / 8) * 8;
    // [put]
    to += place<COLS>(row, col);
    x += (int64_t)row * ld + col;
#pragma unroll
    for (int i = 0; i < ROWS; i += THREADS / (COLS / 8)) {
        uint4 eight = {0, 0, 0, 0};
        if (row + i < rows && col < cols) // the padding of a row holds zeros
            eight = *(const uint4 *)(x + (int64_t)i * ld);
        *(uint4 *)(to + i * COLS) = eight; // i % 8 == 0: the same key
    }
    // [put]
}

/**
 * One warp computes WM x WN elements of C.
 *
 * @param M,N,K        sizes, each >= 1
 * @param alpha        factor of A * B
 * @param A,lda        [M x K], rows 16-byte aligned, zeros in the padding
 * @param B,ldb        [K x N], likewise
 * @param beta         factor of C; 0: C is not read
 * @param[in,out] C    [M x N]
 * @param ldc          leading dimension of C
 *
 * Launch: block THREADS, grid (ceil(N / BN), ceil(M / BM)).
 */
__global__ void __launch_bounds__(THREADS, 2)
    gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A, int lda,
                const bfloat16 *B, int ldb, float beta, bfloat16 *C, int ldc)
{
    // They begin at multiples of 128, so that the loop can XOR addresses.
    __shared__ __align__(128) bfloat16 As[BM * BK];
    __shared__ __align__(128) bfloat16 Bs[BK * BN];

    int row = blockIdx.y * BM, col = blockIdx.x * BN; // of the tile of C
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int y = warp / (BN / WN) * WM; // of the warp's part in it
    int x = warp % (BN / WN) * WN;
    A += (int64_t)row * lda;
    B += col;
    float sum[WM / 16][WN / 8][4] = {}; // fragments of 16 x 8 elements

    // [at]
    // This lane's rows of squares for ldmatrix, at k = 0.
    uint32_t a_at =
        shared_address(As + place<BK>(y + lane % 16, lane / 16 * 8));
    uint32_t b_at =
        shared_address(Bs + place<BN>(lane % 16, x + lane / 16 * 8));
    // [at]

    for (int left = K; left > 0; left -= BK) {
        bring<BM, BK>(As, A, lda, M - row, left);
        bring<BK, BN>(Bs, B, ldb, left, N - col);
        __syncthreads(); // both tiles are complete
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            // [load]
            uint32_t a[WM / 16][4], b[WN / 16][4];
            // To the right pieces change, by XOR; rows further down are added.
            for (int i = 0; i < WM / 16; i++) // 16 rows, 16 of K
                ldmatrix_x4(a[i], (a_at ^ k * 2) + i * 16 * BK * 2);
            for (int j = 0; j < WN / 16; j++) // 16 of K, 16 columns
                ldmatrix_x4_trans(b[j], (b_at ^ j * 32) + k * BN * 2);
            // [load]
            for (int i = 0; i < WM / 16; i++)
                for (int j = 0; j < WN / 8; j++)
                    mma_m16n8k16(sum[i][j], a[i], &b[j / 2][j % 2 * 2]);
        }
        __syncthreads(); // everyone has finished reading
        A += BK;
        B += (int64_t)BK * ldb;
    }

    row += y + lane / 4; // of this lane's first pair of C
    col += x + lane % 4 * 2;
    C += (int64_t)row * ldc + col;
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
        for (int h = 0; h < 2; h++) { // rows 0 to 7, and 8 to 15
            for (int j = 0; j < WN / 8; j++)
                if (row + i * 16 + h * 8 < M)
                    store_pair(C + j * 8, alpha, &sum[i][j][h * 2], beta,
                               N - col - j * 8);
            C += (int64_t)8 * ldc;
        }
}

/* ---- launch ------------------------------------------------------------- */

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

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    // options, A B C, verify, time beside cuBLAS, report
    return gemm_bf16_main(argc, argv, "tensor_03_swizzle", launch, 80, 0);
}
