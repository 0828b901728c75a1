/**
 * @file 6_wmma.cuh
 * @brief Tensor cores by nvcuda::wmma, from tiles without padding.
 *
 * A block computes 128 x 256 of C, 32 columns of A at a time. Its 8 warps stand
 * in 2 rows of 4; each has 64 x 64, which are 4 x 4 fragments of 16 x 16.
 *
 * Limit: a row of the tile of A is 32 halves, 16 banks, so rows two apart meet;
 *        a row of that of B is 256 halves, and all rows meet.
 * Uses:  nothing
 */
#include <mma.h>

#define BM 128          /**< rows of C of a block */
#define BN 256          /**< columns of C of a block */
#define BK 32           /**< columns of A in a tile */
#define WARP_SIDE 64    /**< rows and columns of C of a warp */
#define MULTIPLIERS 256 /**< threads of a block: 2 x 4 warps */
#define PIECE 16        /**< rows and columns of a fragment */
#define PIECES 4        /**< of a warp, each way */
#define HALVES 8        /**< in 16 bytes */
#define MULTIPLY_WARPS (MULTIPLIERS / 32)

namespace wmma = nvcuda::wmma;
typedef wmma::fragment<wmma::accumulator, PIECE, PIECE, PIECE, float> sums;

/** 16 bytes of a matrix; zeros where there is none of it. */
static __device__ uint4 eight(const __half *x, bool there)
{
    return there ? *(const uint4 *)x : make_uint4(0, 0, 0, 0);
}

/** A piece of C, through shared memory where not all of it is there. */
static __device__ void store_piece(const product &p, int64_t row, int64_t col,
                                   const sums &sum, float *staging)
{
    if (row + PIECE <= p.M && col + PIECE <= p.N) {
        wmma::store_matrix_sync(p.C + row * p.ldc + col, sum, (unsigned)p.ldc,
                                wmma::mem_row_major);
        return;
    }
    wmma::store_matrix_sync(staging, sum, PIECE, wmma::mem_row_major);
    __syncwarp(); // all lanes have stored before any loads
    for (int i = threadIdx.x % 32; i < PIECE * PIECE; i += 32)
        if (row + i / PIECE < p.M && col + i % PIECE < p.N)
            p.C[(row + i / PIECE) * p.ldc + col + i % PIECE] = staging[i];
    __syncwarp(); // all have loaded before the next piece comes
}

/**
 * A block computes BM x BN elements of C.
 *
 * @tparam PAD  halves after each row of a tile
 *
 * Launch: block MULTIPLIERS, grid product_grid().
 */
template <int PAD>
__global__ void __launch_bounds__(MULTIPLIERS) wmma_kernel(product p)
{
    // [tiles]
    __shared__ __align__(32) __half As[BM][BK + PAD];
    __shared__ __align__(32) __half Bs[BK][BN + PAD];
    // [tiles]
    int64_t tile_row = (int64_t)blockIdx.y * BM;
    int64_t tile_col = (int64_t)blockIdx.x * BN;
    int warp = threadIdx.x / 32;
    int warp_row = warp / 4 * WARP_SIDE;
    int warp_col = warp % 4 * WARP_SIDE;
    sums sum[PIECES][PIECES];
#pragma unroll
    for (int i = 0; i < PIECES; i++)
#pragma unroll
        for (int j = 0; j < PIECES; j++)
            wmma::fill_fragment(sum[i][j], 0.0f);
    for (int k_0 = 0; k_0 < p.K; k_0 += BK) {
        for (int i = threadIdx.x; i < BM * BK / HALVES; i += MULTIPLIERS) {
            int row = i / (BK / HALVES), k = i % (BK / HALVES) * HALVES;
            *(uint4 *)&As[row][k] =
                eight(p.A + (tile_row + row) * p.lda + k_0 + k,
                      tile_row + row < p.M && k_0 + k < p.K);
        }
        for (int i = threadIdx.x; i < BK * BN / HALVES; i += MULTIPLIERS) {
            int k = i / (BN / HALVES), col = i % (BN / HALVES) * HALVES;
            *(uint4 *)&Bs[k][col] =
                eight(p.B + (k_0 + k) * p.ldb + tile_col + col,
                      k_0 + k < p.K && tile_col + col < p.N);
        }
        __syncthreads(); // both tiles are there
        for (int k = 0; k < BK; k += PIECE) {
            wmma::fragment<wmma::matrix_a, PIECE, PIECE, PIECE, __half,
                           wmma::row_major>
                a[PIECES];
            wmma::fragment<wmma::matrix_b, PIECE, PIECE, PIECE, __half,
                           wmma::row_major>
                b[PIECES];
            // [fragments]
#pragma unroll
            for (int i = 0; i < PIECES; i++) {
                wmma::load_matrix_sync(a[i], &As[warp_row + i * PIECE][k],
                                       BK + PAD);
                wmma::load_matrix_sync(b[i], &Bs[k][warp_col + i * PIECE],
                                       BN + PAD);
            }
            // [fragments]
#pragma unroll
            for (int i = 0; i < PIECES; i++)
#pragma unroll
                for (int j = 0; j < PIECES; j++)
                    wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
        }
        __syncthreads(); // all have read what is overwritten now
    }
    float *staging = (float *)As + warp * PIECE * PIECE;
#pragma unroll
    for (int i = 0; i < PIECES; i++)
#pragma unroll
        for (int j = 0; j < PIECES; j++)
            store_piece(p, tile_row + warp_row + i * PIECE,
                        tile_col + warp_col + j * PIECE, sum[i][j], staging);
}

static dim3 product_grid(const product *p)
{
    return dim3((unsigned)((p->N - 1) / BN + 1),
                (unsigned)((p->M - 1) / BM + 1));
}

static void wmma_plain(const void *problem)
{
    product p = *(const product *)problem;
    dim3 grid = product_grid(&p);
    wmma_kernel<0><<<grid, MULTIPLIERS>>>(p);
    CHECK_LAUNCH(wmma_kernel<0>, grid, MULTIPLIERS, 0);
}
