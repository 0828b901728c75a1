/**
 * @file 8_mma_swizzled.cuh
 * @brief Tiles without padding or conflicts, and copies that run ahead.
 *
 * Change: ldmatrix and mma.sync instead of wmma; pieces of 16 bytes change
 *         places inside a row; STAGES tiles are under way at a time (cp.async).
 * Reason: a stage is exactly its tiles, so that more stages fit; and while
 *         tensor cores multiply, the next tiles come.
 * Limit:  mma.sync reaches about 0.6 of what the tensor cores of sm_90 can do;
 *         the rest needs wgmma, which reads its tiles from shared memory by
 *         itself.
 */
#include <cuda_pipeline_primitives.h>

#ifndef DEPTH
#define DEPTH 64 /**< columns of A in a tile: 32 or 64 */
#endif
#ifndef STAGES
#define STAGES 3 /**< tiles of A and of B in shared memory */
#endif
#define A_PIECES (DEPTH / HALVES) /**< of 16 bytes in a row of A's tile */
#define B_PIECES (BN / HALVES)    /**< in a row of B's */
#define STAGE_HALVES ((BM + BN) * DEPTH)
#define STAGE_BYTES (STAGES * STAGE_HALVES * (int)sizeof(__half))

#if SIMULATED && !defined(__clang__)
#define WITHOUT_PTX // clang is what reads it there
#elif !SIMULATED && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800)
#define WITHOUT_PTX // the host's side, and older GPUs
#endif

#ifndef WITHOUT_PTX

#include "fragments.cuh"

/** Ask for the tiles of A and B from column, or row, @p k_0 on. */
static __device__ void copy_tiles(const product &p, int64_t tile_row,
                                  int64_t tile_col, int k_0, __half *As)
{
    __half *Bs = As + BM * DEPTH;
    for (int i = threadIdx.x; i < BM * A_PIECES; i += MULTIPLIERS) {
        int row = i / A_PIECES, piece = i % A_PIECES;
        int k = k_0 + piece * HALVES;
        bool there = tile_row + row < p.M && k < p.K;
        const __half *from = there ? p.A + (tile_row + row) * p.lda + k : p.A;
        __pipeline_memcpy_async(As + in_a(row, piece), from, 16,
                                there ? 0 : 16); // bytes that become 0
    }
    for (int i = threadIdx.x; i < DEPTH * B_PIECES; i += MULTIPLIERS) {
        int k = i / B_PIECES, piece = i % B_PIECES;
        int64_t col = tile_col + piece * HALVES;
        bool there = k_0 + k < p.K && col < p.N;
        const __half *from = there ? p.B + (k_0 + k) * p.ldb + col : p.B;
        __pipeline_memcpy_async(Bs + in_b(k, piece), from, 16, there ? 0 : 16);
    }
}

/**
 * A block computes BM x BN elements of C.
 *
 * Launch: block MULTIPLIERS, grid product_grid(), shared memory STAGE_BYTES.
 */
// [mma_swizzled]
__global__ void __launch_bounds__(MULTIPLIERS, 1) swizzled_mma_kernel(product p)
{
    extern __shared__ __align__(128) __half stages[];
    int64_t tile_row = (int64_t)blockIdx.y * BM;
    int64_t tile_col = (int64_t)blockIdx.x * BN;
    int warp = threadIdx.x / 32;
    int warp_row = warp / 4 * WARP_SIDE;
    int warp_col = warp % 4 * WARP_SIDE;
    float sum[PIECES][2 * PIECES][4] = {};
    for (int s = 0; s < STAGES - 1; s++) {
        if (s * DEPTH < p.K)
            copy_tiles(p, tile_row, tile_col, s * DEPTH,
                       stages + s * STAGE_HALVES);
        __pipeline_commit();
    }
    int now = 0, next = STAGES - 1; // stages: read, and filled
    for (int k_0 = 0; k_0 < p.K; k_0 += DEPTH) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // everyone's copies are there; all have read `next`
        int k_next = k_0 + (STAGES - 1) * DEPTH;
        if (k_next < p.K)
            copy_tiles(p, tile_row, tile_col, k_next,
                       stages + next * STAGE_HALVES);
        __pipeline_commit();
        const __half *As = stages + now * STAGE_HALVES;
        fragments f[2];
        load_fragments(&f[0], As, warp_row, warp_col, 0);
#pragma unroll
        for (int k = 0; k < DEPTH / PIECE; k++) {
            if (k + 1 < DEPTH / PIECE)
                load_fragments(&f[(k + 1) % 2], As, warp_row, warp_col,
                               (k + 1) * PIECE);
#pragma unroll
            for (int i = 0; i < PIECES; i++)
#pragma unroll
                for (int j = 0; j < 2 * PIECES; j++)
                    multiply(sum[i][j], f[k % 2].a[i],
                             &f[k % 2].b[j / 2][j % 2 * 2]);
        }
        now = (now + 1) % STAGES;
        next = (next + 1) % STAGES;
    }
    int lane = threadIdx.x % 32;
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
// [mma_swizzled]

#else

/** For a GPU without these instructions: never launched, see mma_open(). */
__global__ void __launch_bounds__(MULTIPLIERS, 1) swizzled_mma_kernel(product)
{
}

#endif

static int device_attribute(cudaDeviceAttr attribute)
{
    int device, value;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return value;
}

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
