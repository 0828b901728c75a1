/**
 * @file 1_wmma.cuh
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

#define BM 128   /**< rows of C of a block */
#define BN 256   /**< columns of C of a block */
#define BK 32    /**< columns of A in a tile */
#define WM 64    /**< rows of C of a warp */
#define WN 64    /**< columns of C of a warp */
#define EDGE 16  /**< rows and columns of a fragment */
#define SIDE 4   /**< fragments of a warp, each way */
#define HALVES 8 /**< of a piece, 16 bytes */
#define THREADS (BM / WM * (BN / WN) * 32) /**< of a block: 256 */

namespace wmma = nvcuda::wmma;
typedef wmma::fragment<wmma::matrix_a, EDGE, EDGE, EDGE, __half,
                       wmma::row_major>
    fragment_a;
typedef wmma::fragment<wmma::matrix_b, EDGE, EDGE, EDGE, __half,
                       wmma::row_major>
    fragment_b;
typedef wmma::fragment<wmma::accumulator, EDGE, EDGE, EDGE, float> fragment_sum;

/** A piece of a matrix; zeros where there is none of it. */
static __device__ uint4 eight(const __half *x, bool there)
{
    return there ? *(const uint4 *)x : make_uint4(0, 0, 0, 0);
}

/** Put a tile of B into shared memory: 32 rows of 32 pieces. */
template <int PAD>
static __device__ void bring_b(const product &p, int64_t tile_col, int k_0,
                               __half (*Bs)[BN + PAD])
{
    for (int i = threadIdx.x; i < BK * BN / HALVES; i += THREADS) {
        int k = i / (BN / HALVES), col = i % (BN / HALVES) * HALVES;
        *(uint4 *)&Bs[k][col] = eight(p.B + (k_0 + k) * p.ldb + tile_col + col,
                                      k_0 + k < p.K && tile_col + col < p.N);
    }
}

/** A fragment of C, through shared memory where not all of it is there. */
static __device__ void store(const product &p, int64_t row, int64_t col,
                             const fragment_sum &sum, float *staging)
{
    if (row + EDGE <= p.M && col + EDGE <= p.N) {
        wmma::store_matrix_sync(p.C + row * p.ldc + col, sum, (unsigned)p.ldc,
                                wmma::mem_row_major);
        return;
    }
    wmma::store_matrix_sync(staging, sum, EDGE, wmma::mem_row_major);
    __syncwarp(); // all lanes have stored before any loads
    for (int i = threadIdx.x % 32; i < EDGE * EDGE; i += 32)
        if (row + i / EDGE < p.M && col + i % EDGE < p.N)
            p.C[(row + i / EDGE) * p.ldc + col + i % EDGE] = staging[i];
    __syncwarp(); // all have loaded before the next fragment comes
}

/**
 * A block computes BM x BN elements of C.
 *
 * @tparam PAD  halves after each row of a tile
 *
 * Launch: block THREADS, grid product_grid().
 */
template <int PAD>
__global__ void __launch_bounds__(THREADS) wmma_kernel(product p)
{
    // [tiles]
    __shared__ __align__(32) __half As[BM][BK + PAD];
    __shared__ __align__(32) __half Bs[BK][BN + PAD];
    // [tiles]
    int64_t row = (int64_t)blockIdx.y * BM;
    int64_t col = (int64_t)blockIdx.x * BN;
    int warp = threadIdx.x / 32;
    int y = warp / (BN / WN) * WM; // of the warp's part in the tile of C
    int x = warp % (BN / WN) * WN;
    fragment_sum sum[SIDE][SIDE];
#pragma unroll
    for (int i = 0; i < SIDE; i++)
#pragma unroll
        for (int j = 0; j < SIDE; j++)
            wmma::fill_fragment(sum[i][j], 0.0f);
    for (int k_0 = 0; k_0 < p.K; k_0 += BK) {
        // [bring]
        for (int i = threadIdx.x; i < BM * BK / HALVES; i += THREADS) {
            int r = i / (BK / HALVES), k = i % (BK / HALVES) * HALVES;
            *(uint4 *)&As[r][k] = eight(p.A + (row + r) * p.lda + k_0 + k,
                                        row + r < p.M && k_0 + k < p.K);
        }
        // [bring]
        bring_b<PAD>(p, col, k_0, Bs);
        __syncthreads(); // both tiles are there
        for (int k = 0; k < BK; k += EDGE) {
            fragment_a a[SIDE];
            fragment_b b[SIDE];
            // [fragments]
#pragma unroll
            for (int i = 0; i < SIDE; i++) {
                wmma::load_matrix_sync(a[i], &As[y + i * EDGE][k], BK + PAD);
                wmma::load_matrix_sync(b[i], &Bs[k][x + i * EDGE], BN + PAD);
            }
#pragma unroll
            for (int i = 0; i < SIDE; i++)
#pragma unroll
                for (int j = 0; j < SIDE; j++)
                    wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
            // [fragments]
        }
        __syncthreads(); // all have read what is overwritten now
    }
    float *staging = (float *)As + warp * EDGE * EDGE;
#pragma unroll
    for (int i = 0; i < SIDE; i++)
#pragma unroll
        for (int j = 0; j < SIDE; j++)
            store(p, row + y + i * EDGE, col + x + j * EDGE, sum[i][j],
                  staging);
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
    wmma_kernel<0><<<grid, THREADS>>>(p);
    CHECK_LAUNCH(wmma_kernel<0>, grid, THREADS, 0);
}
