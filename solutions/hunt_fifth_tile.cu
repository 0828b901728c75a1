// hunt of tensor_08_persistent
// Right with four tiles along K, wrong with five.
#include "gemm_bf16.h"

#include "ptx.cuh"
#include "tensor_map.h"

#define BM 64                         /**< rows of the tile of C of a block */
#define BN 256                        /**< columns of that tile */
#define BK 64                         /**< step along K */
#define STAGES 4                      /**< tiles of A and of B */
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
 * One warp group brings tiles, the other computes BM x BN elements of C.
 *
 * Launch: block THREADS, grid (ceil(N / BN), ceil(M / BM)), SHARED bytes.
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
    int row = blockIdx.y * BM, col = blockIdx.x * BN; // of the tile of C
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int steps = ceil_div(K, BK);
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
        for (int i = 0; i < steps && threadIdx.x % 128 == 0; i++) {
            int stage = i % STAGES;
            mbarrier_wait(empty + stage * 8, i / STAGES % 2 ^ 1);
            bring(tiles + stage * TILE, &A, &B, row, col, i * BK,
                  full + stage * 8);
        }
        return;
    }

    for (int i = 0; i < steps; i++) {
        int stage = i % STAGES;
        uint32_t a = tiles + stage * TILE, b = a + BM * 128;
        mbarrier_wait(full + stage * 8, i / STAGES % 2);
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < BK; k += 16) // 16 columns of A, 16 rows of B
            wgmma_m64n256k16(sum, wgmma_descriptor(a + k * 2, 0),
                             wgmma_descriptor(b + k * 128, BK * 128),
                             i + k > 0);
        wgmma_commit();
        wgmma_wait<1>(); // the tensor cores always have a tile to multiply
        // [hunt]
        if (threadIdx.x == 0 && i > 0)
            mbarrier_arrive(empty + (i - 1) % STAGES * 8);
        //: if (threadIdx.x == 0)
        //:     mbarrier_arrive(empty + stage * 8);
        // [end]
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

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_bf16_problem *p)
{
    dim3 grid(ceil_div(p->N, BN), ceil_div(p->M, BM));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * BM);
    CUDA_CHECK(cudaFuncSetAttribute(
        gemm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    CUtensorMap A = tensor_map(p->A, p->M, p->K, p->lda, BM);
    CUtensorMap B = tensor_map(p->B, p->K, p->N, p->ldb, BK);
    gemm_kernel<<<grid, THREADS, SHARED>>>(p->M, p->N, p->K, p->alpha, A, B,
                                           p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, THREADS, SHARED);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_08_persistent", launch, 90, 90);
}
