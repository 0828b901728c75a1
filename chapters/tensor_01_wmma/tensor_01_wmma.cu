/**
 * @file tensor_01_wmma.cu
 * @brief Tensor cores, step 1: a warp multiplies matrices, not numbers.
 *
 * C = alpha * A * B + beta * C, row-major: A [M x K], B [K x N], C [M x N] in
 * bfloat16, sums in float32.
 *
 * Change:  elements are bfloat16, and a warp multiplies 16 x 16 x 16 of them
 *          at once, through nvcuda::wmma.
 * Reason:  the float32 ladder ends where every FMA unit is busy. In a cycle
 *          the tensor cores of an SM multiply 16 times as many numbers.
 * Run:     make chapter=tensor_01 run
 * Measure: make chapter=tensor_01 profile
 * Limit:   only the library knows where a fragment's elements are, so C takes
 *          a detour through shared memory; and a fragment takes four loads.
 */

#include "gemm_bf16.h"

#include <mma.h>

using namespace nvcuda;

/* ---- parameters --------------------------------------------------------- */

#define BM 128 /**< rows of the tile of C of a block */
#define BN 128 /**< columns of that tile */
#define BK 64  /**< step along K */
#define WM 64  /**< rows of C of a warp */
#define WN 32  /**< columns of C of a warp */
#define PAD 8  /**< elements after each row in shared memory: 16 bytes */
#define THREADS (BM / WM * (BN / WN) * 32) /**< of a block: 256 */

// [fragments]
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, bfloat16, wmma::row_major>
    fragment_a;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, bfloat16, wmma::row_major>
    fragment_b;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> fragment_sum;
// [fragments]

/* ---- kernel ------------------------------------------------------------- */

/**
 * Copy a tile into shared memory, all threads together, 8 elements at a time;
 * zeros where it hangs over the edge.
 *
 * @param to         [ROWS x COLS], rows COLS + PAD apart
 * @param x,ld       the tile's first element; from row to row
 * @param rows,cols  what the matrix has from there on
 */
// [bring]
template <int ROWS, int COLS>
static __device__ void bring(bfloat16 *to, const bfloat16 *x, int ld, int rows,
                             int cols)
{
    int row = threadIdx.x / (COLS / 8), col = threadIdx.x % (COLS / 8) * 8;
    to += row * (COLS + PAD) + col;
    x += (int64_t)row * ld + col;
#pragma unroll
    for (int i = 0; i < ROWS; i += THREADS / (COLS / 8)) {
        uint4 eight = {0, 0, 0, 0};
        if (row + i < rows && col < cols) // the padding of a row holds zeros
            eight = *(const uint4 *)(x + (int64_t)i * ld);
        *(uint4 *)(to + i * (COLS + PAD)) = eight;
    }
}
// [bring]

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
 * Launch: block THREADS, grid (ceil(N / BN), ceil(M / BM)). An SM has two
 * blocks, so a thread may have 128 registers.
 */
__global__ void __launch_bounds__(THREADS, 2)
    gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A, int lda,
                const bfloat16 *B, int ldb, float beta, bfloat16 *C, int ldc)
{
    __shared__ __align__(32) bfloat16 As[BM][BK + PAD];
    __shared__ __align__(32) bfloat16 Bs[BK][BN + PAD];
    __shared__ __align__(32) float Cs[THREADS / 32][16][16];

    int row = blockIdx.y * BM, col = blockIdx.x * BN; // of the tile of C
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int y = warp / (BN / WN) * WM; // of the warp's part in it
    int x = warp % (BN / WN) * WN;
    A += (int64_t)row * lda;
    B += col;
    fragment_sum sum[WM / 16][WN / 16];
    for (int i = 0; i < WM / 16; i++)
        for (int j = 0; j < WN / 16; j++)
            wmma::fill_fragment(sum[i][j], 0.0f);

    for (int left = K; left > 0; left -= BK) {
        bring<BM, BK>(&As[0][0], A, lda, M - row, left);
        bring<BK, BN>(&Bs[0][0], B, ldb, left, N - col);
        __syncthreads(); // both tiles are complete

        // [multiply]
#pragma unroll 2
        for (int k = 0; k < BK; k += 16) {
            fragment_a a[WM / 16];
            for (int i = 0; i < WM / 16; i++)
                wmma::load_matrix_sync(a[i], &As[y + i * 16][k], BK + PAD);
            for (int j = 0; j < WN / 16; j++) {
                fragment_b b;
                wmma::load_matrix_sync(b, &Bs[k][x + j * 16], BN + PAD);
                for (int i = 0; i < WM / 16; i++)
                    wmma::mma_sync(sum[i][j], a[i], b, sum[i][j]);
            }
        }
        // [multiply]
        __syncthreads(); // everyone has finished reading
        A += BK;
        B += (int64_t)BK * ldb;
    }

#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 16; j++) {
            // [store]
            wmma::store_matrix_sync(&Cs[warp][0][0], sum[i][j], 16,
                                    wmma::mem_row_major);
            __syncwarp(); // the fragment is there
            for (int at = lane * 2; at < 16 * 16; at += 64) {
                int c_row = row + y + i * 16 + at / 16;
                int c_col = col + x + j * 16 + at % 16;
                if (c_row < M)
                    store_pair(C + (int64_t)c_row * ldc + c_col, alpha,
                               &Cs[warp][at / 16][at % 16], beta, N - c_col);
            }
            __syncwarp(); // all have read it: the next may come
            // [store]
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
    return gemm_bf16_main(argc, argv, "tensor_01_wmma", launch, 80, 0);
}
