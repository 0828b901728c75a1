// Tensor cores step 8, the exercise: a ring without a copy engine.
#include "gemm_bf16.h"

#include "ptx.cuh"

#define TILE 32                    /**< edge of all tiles (elements) */
#define PAD 8                      /**< elements after each row of a tile */
#define STAGES 4                   /**< tiles of A and of B in shared memory */
#define WARPS 4                    /**< that multiply, 16 x 16 elements each */
#define THREADS ((WARPS + 1) * 32) /**< of a block: 160 */

typedef bfloat16 tile[TILE][TILE + PAD];

/** A lane's part of what a warp does: bring a tile, zeros beyond the edges. */
static __device__ void bring(tile to, const bfloat16 *from, int ld, int rows,
                             int cols, int lane)
{
    for (int i = lane; i < TILE * TILE / 8; i += 32) {
        int y = i / (TILE / 8), x = i % (TILE / 8) * 8;
        uint4 eight = {0, 0, 0, 0};
        if (y < rows && x < cols)
            eight = *(const uint4 *)(from + (int64_t)y * ld + x);
        *(uint4 *)&to[y][x] = eight;
    }
}

/**
 * A warp: add the products of a tile to 16 x 16 sums, from row y, column x.
 * (wgmma_m64n256k16() would want 64 rows and 256 columns.)
 */
static __device__ void multiply(float sum[2][4], tile As, tile Bs, int y, int x,
                                int lane)
{
    for (int k = 0; k < TILE; k += 16) {
        uint32_t a[4], b[4];
        ldmatrix_x4(a, shared_address(&As[y + lane % 16][k + lane / 16 * 8]));
        ldmatrix_x4_trans(
            b, shared_address(&Bs[k + lane % 16][x + lane / 16 * 8]));
        for (int j = 0; j < 2; j++)
            mma_m16n8k16(sum[j], a, b + j * 2);
    }
}

/**
 * Four warps compute 16 x 16 elements of C each, a fifth one brings the tiles.
 *
 * Launch: block THREADS, grid (ceil(N / TILE), ceil(M / TILE)).
 */
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A, int lda,
                const bfloat16 *B, int ldb, float beta, bfloat16 *C, int ldc)
{
    __shared__ __align__(16) tile As[STAGES], Bs[STAGES];
    __shared__ uint64_t barriers[2 * STAGES];
    uint32_t full = shared_address(barriers), empty = full + STAGES * 8;
    int row = blockIdx.y * TILE, col = blockIdx.x * TILE; // of the tile of C
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int y = warp / 2 * 16, x = warp % 2 * 16; // of the warp's part in it
    int steps = ceil_div(K, TILE);
    float sum[2][4] = {};

    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; i++) {
            // [write 2] how many arrivals end a phase of each barrier
            mbarrier_init(full + i * 8, 32);
            mbarrier_init(empty + i * 8, WARPS);
            //: mbarrier_init(full + i * 8, 1);
            //: mbarrier_init(empty + i * 8, 1);
            // [end]
        }
    __syncthreads(); // the barriers are there

    for (int i = 0; i < steps; i++) {
        int stage = i % STAGES, k = i * TILE;
        if (warp == WARPS) { // the warp that brings
            // [write 6] bring the tiles of step i when their stage is free,
            // and tell the others
            mbarrier_wait(empty + stage * 8, i / STAGES % 2 ^ 1);
            bring(As[stage], A + (int64_t)row * lda + k, lda, M - row, K - k,
                  lane);
            bring(Bs[stage], B + (int64_t)k * ldb + col, ldb, K - k, N - col,
                  lane);
            mbarrier_arrive(full + stage * 8); // each lane: its part is there
            //: bring(As[stage], A + (int64_t)row * lda + k, lda, M - row,
            //:       K - k, lane);
            //: bring(Bs[stage], B + (int64_t)k * ldb + col, ldb, K - k,
            //:       N - col, lane);
            // [end]
        } else {
            // [write 5] multiply the tiles of step i when they are there, and
            // give their stage back
            mbarrier_wait(full + stage * 8, i / STAGES % 2);
            multiply(sum, As[stage], Bs[stage], y, x, lane);
            __syncwarp(); // all lanes have read their part
            if (lane == 0)
                mbarrier_arrive(empty + stage * 8);
            //: multiply(sum, As[stage], Bs[stage], y, x, lane);
            // [end]
        }
    }
    if (warp == WARPS)
        return;

    row += y + lane / 4; // of this lane's first pair of C
    col += x + lane % 4 * 2;
    for (int j = 0; j < 2; j++)
        for (int h = 0; h < 2; h++)
            if (row + h * 8 < M)
                store_pair(C + (int64_t)(row + h * 8) * ldc + col + j * 8,
                           alpha, &sum[j][h * 2], beta, N - col - j * 8);
}

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_bf16_problem *p)
{
    dim3 grid(ceil_div(p->N, TILE), ceil_div(p->M, TILE));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * TILE);
    gemm_kernel<<<grid, THREADS>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda,
                                   p->B, p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, THREADS, 0);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_08_persistent", launch, 90, 0);
}
