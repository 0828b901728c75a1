// hunt of tensor_09_cluster
// The upper block of each cluster is right, the lower one is not.
#include "gemm_bf16.h"

#include "ptx.cuh"
#include "tensor_map.h"

#define BM 64                     /**< rows of the tile of C of a block */
#define BN 256                    /**< columns of that tile */
#define BK 64                     /**< step along K */
#define CLUSTER 2                 /**< blocks that share B */
#define THREADS 128               /**< of a block: a warp group */
#define TILE ((BM + BN) * BK * 2) /**< of A and of B (bytes) */
#define SHARED (TILE + 8)         /**< with a barrier (bytes) */

/**
 * What wgmma knows of a matrix: where it begins (16 bytes a unit, from bit 0),
 * how far it is to the next 64 columns (the same units, from bit 16), that 8
 * rows follow after 1024 bytes (from bit 32), and how they are swizzled.
 */
static __device__ uint64_t describe(uint32_t at, int columns)
{
    // [hunt]
    return (uint64_t)1 << 62 | (uint64_t)(1024 >> 4) << 32 |
           (uint64_t)(columns >> 4) << 16 | (at & 0x3ffff) >> 4;
    //: return (uint64_t)1 << 62 | (uint64_t)(1024 >> 4) << 32 |
    //:        (uint64_t)(columns >> 4) << 16 | at >> 4;
    // [end]
}

/** One thread: have A come for this block, half of B for both. */
static __device__ void bring(uint32_t tile, const CUtensorMap *A,
                             const CUtensorMap *B, int row, int col, int k,
                             uint32_t full, int rank)
{
    mbarrier_expect(full, TILE);
    for (int j = rank * 64; j < BN; j += CLUSTER * 64) // panels of 64 columns
        tensor_load_to((1 << CLUSTER) - 1, tile + j * BK * 2, B, col + j, k,
                       full);
    tensor_load(tile + BN * BK * 2, A, k, row, full);
}

/**
 * Two blocks, one above the other, compute BM x BN elements of C each. They
 * meet after each step, so there is one tile of A and of B and no ring.
 *
 * Launch: block THREADS, grid (ceil(N / BN), 2 * ceil(M / (2 * BM))), SHARED
 * bytes.
 */
__global__ void __cluster_dims__(1, CLUSTER) __launch_bounds__(THREADS, 1)
    gemm_kernel(int M, int N, int K, float alpha,
                const __grid_constant__ CUtensorMap A,
                const __grid_constant__ CUtensorMap B, float beta, bfloat16 *C,
                int ldc)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t b = shared_address(shared), a = b + BN * 128, full = b + TILE;
    int row = blockIdx.y * BM, col = blockIdx.x * BN; // of the tile of C
    int rank = blockIdx.y % CLUSTER;                  // 1: the lower block
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int steps = ceil_div(K, BK);
    float sum[BN / 8][4]; // fragments of 16 x 8 elements

    if (threadIdx.x == 0) {
        mbarrier_init(full, 1);
        mbarrier_init_fence();
    }
    cluster_sync(); // the barriers of both blocks are there

    for (int i = 0; i < steps; i++) {
        if (threadIdx.x == 0)
            bring(b, &A, &B, row, col, i * BK, full, rank);
        mbarrier_wait(full, i % 2);
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < BK; k += 16) // 16 columns of A, 16 rows of B
            wgmma_m64n256k16(sum, describe(a + k * 2, 0),
                             describe(b + k * 128, BK * 128), i + k > 0);
        wgmma_commit();
        wgmma_wait<0>();
        cluster_sync(); // both blocks have multiplied
    }

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

/** Enqueue one GEMM: a cluster for every two tiles of C. */
static void launch(const gemm_bf16_problem *p)
{
    dim3 grid(ceil_div(p->N, BN), ceil_div(p->M, CLUSTER * BM) * CLUSTER);
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y / CLUSTER * CLUSTER * BM);
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
    return gemm_bf16_main(argc, argv, "tensor_09_cluster", launch, 90, 90);
}
