/**
 * @file 8_mma_swizzled.cuh
 * @brief Tiles without padding or conflicts, and copies that run ahead.
 *
 * Change: ldmatrix and mma.sync instead of wmma; pieces of 16 bytes change
 *         places inside a row; STAGES tiles are under way at a time (cp.async).
 * Reason: a stage is exactly its tiles; and while tensor cores multiply, the
 *         next tiles come, and the next fragments.
 * Limit:  all operands go through registers: ldmatrix, then mma.sync. On sm_90
 *         wgmma reads its tiles from shared memory by itself.
 * Uses:   the sizes of tiles, product_grid (6); copies.cuh, fragments.cuh
 */
#include <cuda_pipeline_primitives.h>

#ifndef STAGES
#define STAGES 4 /**< tiles of A and of B in shared memory */
#endif
#define STAGE_HALVES ((BM + BN) * BK)
#define STAGE_BYTES (STAGES * STAGE_HALVES * (int)sizeof(__half))

#if SIMULATED && !defined(__clang__)
#define WITHOUT_PTX // clang is what reads it there
#elif !SIMULATED && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800)
#define WITHOUT_PTX // the host's side, and older GPUs
#endif

#ifndef WITHOUT_PTX

#include "copies.cuh"
#include "fragments.cuh"

/**
 * A block computes BM x BN elements of C.
 *
 * Launch: block MULTIPLIERS, grid product_grid(), shared memory STAGE_BYTES.
 */
__global__ void __launch_bounds__(MULTIPLIERS, 1) swizzled_mma_kernel(product p)
{
    extern __shared__ __align__(128) __half stages[];
    int64_t tile_row = (int64_t)blockIdx.y * BM;
    int64_t tile_col = (int64_t)blockIdx.x * BN;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int warp_row = warp / 4 * WARP_SIDE;
    int warp_col = warp % 4 * WARP_SIDE;
    // [loop]
    copies c = first_copies(p, tile_row, tile_col);
    for (int s = 0; s < STAGES - 1; s++)
        copy_tiles(&c, stages + s * STAGE_HALVES);
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads(); // everyone's copies for the first tiles are there
    const __half *now = stages;
    // For ldmatrix a lane names one of 16 rows, and one of 2 pieces of it.
    int a_at = in_a(warp_row + lane % 16, lane / 16);
    int b_at = in_b(lane % 16, warp_col / HALVES + lane / 16);
    float sum[PIECES][2 * PIECES][4] = {};
    fragments f[2]; // while one is multiplied, the other comes
    load_fragments(&f[0], now, a_at, b_at, 0);
    for (int k_0 = 0; k_0 < p.K; k_0 += BK) {
        load_fragments(&f[1], now, a_at, b_at, PIECE);
        int s = k_0 / BK % STAGES; // the stage of these tiles
        copy_tiles(&c, stages + (s + STAGES - 1) % STAGES * STAGE_HALVES);
        multiply(sum, f[0]);
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // the next tiles are there; all have read these
        now = stages + (s + 1) % STAGES * STAGE_HALVES;
        load_fragments(&f[0], now, a_at, b_at, 0);
        multiply(sum, f[1]);
    }
    // [loop]
    __pipeline_wait_prior(0); // zeros for what follows the last column of A
#pragma unroll
    for (int i = 0; i < PIECES; i++)
#pragma unroll
        for (int j = 0; j < 2 * PIECES; j++) {
            int64_t row = tile_row + warp_row + i * PIECE + lane / 4;
            int64_t col = tile_col + warp_col + j * 8 + lane % 4 * 2;
            store_pair(p, row, col, sum[i][j][0], sum[i][j][1]);
            store_pair(p, row + 8, col, sum[i][j][2], sum[i][j][3]);
        }
}

#else

/** For a GPU without these instructions: never launched, see mma_open(). */
__global__ void __launch_bounds__(MULTIPLIERS, 1) swizzled_mma_kernel(product)
{
}

#endif

/** NULL, or why this device cannot run it. */
static const char *mma_open(void)
{
#if SIMULATED && !defined(__clang__)
    return "inline PTX needs clang in the simulator";
#endif
    if (device_attribute(cudaDevAttrComputeCapabilityMajor) < 8)
        return "mma.sync m16n8k16 needs sm_80";
    if (device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) < STAGE_BYTES)
        return "an SM has too little shared memory for the stages";
    return NULL;
}

static void mma_swizzled(const void *problem)
{
    product p = *(const product *)problem;
    dim3 grid = product_grid(&p);
    CUDA_CHECK(cudaFuncSetAttribute(swizzled_mma_kernel,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    STAGE_BYTES));
    swizzled_mma_kernel<<<grid, MULTIPLIERS, STAGE_BYTES>>>(p);
    CHECK_LAUNCH(swizzled_mma_kernel, grid, MULTIPLIERS, STAGE_BYTES);
}
