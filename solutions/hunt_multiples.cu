// hunt of tensor_08_persistent
// Right where K is a multiple of 256.
#include "gemm_bf16.h"

#include "ptx.cuh"
#include "tensor_map.h"

#define BM 64                         /**< rows of the tile of C of a block */
#define BN 256                        /**< columns of that tile */
#define BK 64                         /**< step along K */
#define STAGES 2                      /**< tiles of A and of B */
#define BLOCKS 2                      /**< that stay */
#define THREADS 256                   /**< of a block: two warp groups */
#define TILE ((BM + BN) * BK * 2)     /**< of A and B of a stage (bytes) */
#define SHARED (STAGES * (TILE + 16)) /**< with two barriers (bytes) */

/** One thread: have the tiles from k on come into their stage. */
static __device__ void bring(uint32_t tile, const CUtensorMap *A,
                             const CUtensorMap *B, int row, int col, int k,
                             uint32_t full)
{
    mbarrier_expect(full, TILE);
    tensor_load(tile, A, k, row, full);
    tile += BM * BK * 2;
    for (int j = 0; j < BN; j += 64) // panels of 64 columns
        tensor_load(tile + j * BK * 2, B, col + j, k, full);
}

/**
 * One warp group brings tiles, the other computes BM x BN elements of each tile
 * of C.
 *
 * Launch: block THREADS, grid BLOCKS, SHARED bytes.
 */
__global__ void __launch_bounds__(THREADS, 1)
    gemm_kernel(int M, int N, int K, float alpha,
                const __grid_constant__ CUtensorMap A,
                const __grid_constant__ CUtensorMap B, float beta, bfloat16 *C,
                int ldc)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t tiles = shared_address(shared);
    uint32_t full = tiles + STAGES * TILE, empty = full + STAGES * 8;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int steps = ceil_div(K, BK), across = ceil_div(N, BN);
    int tile_count = ceil_div(M, BM) * across;
    float sum[BN / 8][4]; // fragments of 16 x 8 elements

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            mbarrier_init(full + i * 8, 1);
            mbarrier_init(empty + i * 8, 1);
        }
        mbarrier_init_fence();
    }
    __syncthreads(); // the barriers are there

    if (warp / 4 == 1) { // the group that brings, one thread of it
        // [hunt]
        int brought = 0; // steps, of all tiles
        //:
        // [end]
        for (int t = blockIdx.x; t < tile_count; t += gridDim.x) {
            int row = t / across * BM, col = t % across * BN;
            for (int i = 0; i < steps && threadIdx.x % 128 == 0; i++) {
                // [hunt]
                int stage = brought % STAGES;
                mbarrier_wait(empty + stage * 8, brought / STAGES % 2 ^ 1);
                brought++;
                //: int stage = i % STAGES;
                //: mbarrier_wait(empty + stage * 8, i / STAGES % 2 ^ 1);
                // [end]
                bring(tiles + stage * TILE, &A, &B, row, col, i * BK,
                      full + stage * 8);
            }
        }
        return;
    }

    // [hunt]
    int done = 0; // steps, of all tiles
    //:
    // [end]
    for (int t = blockIdx.x; t < tile_count; t += gridDim.x) {
        for (int i = 0; i < steps; i++) {
            // [hunt]
            int stage = done % STAGES;
            int parity = done++ / STAGES % 2;
            //: int stage = i % STAGES;
            //: int parity = i / STAGES % 2;
            // [end]
            uint32_t a = tiles + stage * TILE, b = a + BM * 128;
            mbarrier_wait(full + stage * 8, parity);
            wgmma_fence();
#pragma unroll
            for (int k = 0; k < BK; k += 16) // 16 columns of A, 16 rows of B
                wgmma_m64n256k16(sum, wgmma_descriptor(a + k * 2, 0),
                                 wgmma_descriptor(b + k * 128, BK * 128),
                                 i + k > 0);
            wgmma_commit();
            wgmma_wait<0>();
            if (threadIdx.x == 0)
                mbarrier_arrive(empty + stage * 8);
        }

        int row = t / across * BM + warp * 16 + lane / 4;
        int col = t % across * BN + lane % 4 * 2; // of the first pair
        bfloat16 *c = C + (int64_t)row * ldc + col;
#pragma unroll
        for (int h = 0; h < 2; h++) { // rows 0 to 7, and 8 to 15
            for (int j = 0; j < BN / 8; j++)
                if (row + h * 8 < M)
                    store_pair(c + j * 8, alpha, &sum[j][h * 2], beta,
                               N - col - j * 8);
            c += (int64_t)8 * ldc;
        }
    }
}

/** Enqueue one GEMM: a few blocks, which stay. */
static void launch(const gemm_bf16_problem *p)
{
    CUDA_CHECK(cudaFuncSetAttribute(
        gemm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    CUtensorMap A = tensor_map(p->A, p->M, p->K, p->lda, BM);
    CUtensorMap B = tensor_map(p->B, p->K, p->N, p->ldb, BK);
    gemm_kernel<<<BLOCKS, THREADS, SHARED>>>(p->M, p->N, p->K, p->alpha, A, B,
                                             p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, BLOCKS, THREADS, SHARED);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_08_persistent", launch, 90, 90);
}
