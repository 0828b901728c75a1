// hunt of tensor_06_tma
// The third tile.
#include "gemm_bf16.h"

#include "ptx.cuh"
#include "tensor_map.h"

#define BM 64       /**< rows of the tile of C of a block */
#define BN 256      /**< columns of that tile */
#define BK 64       /**< step along K: 128 bytes, a row of the swizzle */
#define STAGES 3    /**< tiles of A and of B in shared memory */
#define THREADS 128 /**< of a block: a warp group */
#define TILE ((BM + BN) * BK * 2)    /**< of A and B of a stage (bytes) */
#define SHARED (STAGES * (TILE + 8)) /**< with a barrier each (bytes) */

/** One thread: have the tiles from k on come into their stage. */
static __device__ void bring(uint32_t tile, const CUtensorMap *A,
                             const CUtensorMap *B, int row, int col, int k,
                             uint32_t full)
{
    mbarrier_expect(full, TILE);
    tensor_load(tile, A, k, row, full);
    tile += BM * BK * 2;
    for (int j = 0; j < BN; j += 64)
        tensor_load(tile + j * BK * 2, B, col + j, k, full);
}

/**
 * A warp group computes BM x BN elements of C.
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
    uint32_t full = tiles + STAGES * TILE; // a barrier for each stage

    int row = blockIdx.y * BM, col = blockIdx.x * BN; // of the tile of C
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int steps = ceil_div(K, BK);
    float sum[BN / 8][4]; // fragments of 16 x 8 elements

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++)
            mbarrier_init(full + i * 8, 1);
        mbarrier_init_fence();
        for (int i = 0; i < min(STAGES, steps); i++)
            bring(tiles + i * TILE, &A, &B, row, col, i * BK, full + i * 8);
    }
    __syncthreads(); // the barriers are there

    int stage = 0, phase = 0; // of tile i: its place, the parity of its phase
    for (int i = 0; i < steps; i++) {
        uint32_t tile = tiles + stage * TILE, a = tile, b = tile + BM * BK * 2;
        mbarrier_wait(full + stage * 8, phase);
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < BK; k += 16) // 16 columns of A, 16 rows of B
            wgmma_m64n256k16(sum, wgmma_descriptor(a + k * 2, 0),
                             wgmma_descriptor(b + k * 128, BK * 128),
                             i + k > 0);
        wgmma_commit();
        wgmma_wait<0>();
        __syncthreads(); // the four warps have multiplied tile i
        if (threadIdx.x == 0 && i + STAGES < steps)
            bring(tile, &A, &B, row, col, (i + STAGES) * BK, full + stage * 8);
        stage = (stage + 1) % STAGES;
        // [hunt]
        if (stage == 0)
            //: if (stage == STAGES - 1)
            // [end]
            phase ^= 1; // another round
    }

    row += warp * 16 + lane / 4; // of this lane's first pair of C
    col += lane % 4 * 2;
#pragma unroll
    for (int h = 0; h < 2; h++) // rows 0 to 7, and 8 to 15
        for (int j = 0; j < BN / 8; j++)
            if (row + h * 8 < M)
                store_pair(C + (int64_t)(row + h * 8) * ldc + col + j * 8,
                           alpha, &sum[j][h * 2], beta, N - col - j * 8);
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
    return gemm_bf16_main(argc, argv, "tensor_06_tma", launch, 90, 90);
}
