// Tensor cores step 9, the exercise: four blocks share A and B.
#include "gemm_bf16.h"

#include "ptx.cuh"
#include "tensor_map.h"

#define BM 64                         /**< rows of the tile of C of a block */
#define BN 256                        /**< columns of that tile */
#define BK 64                         /**< step along K */
#define STAGES 2                      /**< tiles of A and of B */
#define CLUSTER 4                     /**< blocks: 2 rows of 2 */
#define HALF (BM / 2)                 /**< rows of A that a block brings */
#define THREADS 256                   /**< of a block: two warp groups */
#define TILE ((BM + BN) * BK * 2)     /**< of A and B of a stage (bytes) */
#define SHARED (STAGES * (TILE + 16)) /**< with two barriers (bytes) */

/**
 * One thread: have this block's parts of the tiles from k on come into their
 * stage. Those with the same `down` need the same rows of A, those with the
 * same `across` the same columns of B.
 */
static __device__ void bring(uint32_t tile, const CUtensorMap *A,
                             const CUtensorMap *B, int row, int col, int k,
                             uint32_t full, int down, int across)
{
    uint32_t b = tile + BM * BK * 2; // where B begins
    mbarrier_expect(full, TILE);
    // [write 5] half of A, a box of HALF rows, and two of B's four panels: for
    // which blocks?
    tensor_load_to(3 << 2 * down, tile + across * HALF * BK * 2, A, k,
                   row + across * HALF, full);
    for (int j = down * 64; j < BN; j += 2 * 64)
        tensor_load_to(5 << across, b + j * BK * 2, B, col + j, k, full);
    //: tensor_load(tile + across * HALF * BK * 2, A, k, row + across * HALF,
    //:             full);
    //: for (int j = down * 64; j < BN; j += 2 * 64)
    //:     tensor_load(b + j * BK * 2, B, col + j, k, full);
    // [end]
}

/**
 * In each block one warp group brings, the other one computes BM x BN elements
 * of C. A cluster computes 2 * BM x 2 * BN: block 0 and 1 above, 2 and 3 below.
 *
 * Launch: block THREADS, grid (4 * ceil(N / (2 * BN)), ceil(M / (2 * BM))),
 * SHARED bytes.
 */
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS, 1)
    gemm_kernel(int M, int N, int K, float alpha,
                const __grid_constant__ CUtensorMap A,
                const __grid_constant__ CUtensorMap B, float beta, bfloat16 *C,
                int ldc)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t tiles = shared_address(shared);
    uint32_t full = tiles + STAGES * TILE, empty = full + STAGES * 8;
    int rank = blockIdx.x % CLUSTER;
    int down = rank / 2, across = rank % 2; // of the block in its cluster
    int row = (blockIdx.y * 2 + down) * BM;
    int col = (blockIdx.x / CLUSTER * 2 + across) * BN; // of the tile of C
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int steps = ceil_div(K, BK);
    float sum[BN / 8][4]; // fragments of 16 x 8 elements

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            mbarrier_init(full + i * 8, 1);
            // [write 1] how many groups must have multiplied a stage before
            // this block may fill it anew, wherever its parts go?
            mbarrier_init(empty + i * 8, 3);
            //: mbarrier_init(empty + i * 8, 1);
            // [end]
        }
        mbarrier_init_fence();
    }
    cluster_sync(); // the barriers of all blocks are there

    if (warp / 4 == 1) { // the group that brings, one thread of it
        for (int i = 0; i < steps && threadIdx.x % 128 == 0; i++) {
            int stage = i % STAGES;
            mbarrier_wait(empty + stage * 8, i / STAGES % 2 ^ 1);
            bring(tiles + stage * TILE, &A, &B, row, col, i * BK,
                  full + stage * 8, down, across);
        }
        cluster_sync(); // as the others do below
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
        wgmma_wait<0>();
        // [write 4] tell those who bring something into this block's stage
        if (threadIdx.x < CLUSTER && threadIdx.x != (rank ^ 3))
            mbarrier_arrive_at(empty + stage * 8, threadIdx.x);
        //: if (threadIdx.x == 0)
        //:     mbarrier_arrive(empty + stage * 8);
        // [end]
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
    cluster_sync(); // nobody ends while another may arrive at its barriers
}

/** Enqueue one GEMM: a cluster for every 2 x 2 tiles of C. */
static void launch(const gemm_bf16_problem *p)
{
    dim3 grid(ceil_div(p->N, 2 * BN) * CLUSTER, ceil_div(p->M, 2 * BM));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * 2 * BM);
    CUDA_CHECK(cudaFuncSetAttribute(
        gemm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    CUtensorMap A = tensor_map(p->A, p->M, p->K, p->lda, HALF);
    CUtensorMap B = tensor_map(p->B, p->K, p->N, p->ldb, BK);
    gemm_kernel<<<grid, THREADS, SHARED>>>(p->M, p->N, p->K, p->alpha, A, B,
                                           p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, THREADS, SHARED);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_09_cluster", launch, 90, 90);
}
