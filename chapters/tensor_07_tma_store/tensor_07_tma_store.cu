/**
 * @file tensor_07_tma_store.cu
 * @brief Tensor cores, step 7: the copy engine stores C, too.
 *
 * C = alpha * A * B + beta * C, row-major: A [M x K], B [K x N], C [M x N] in
 * bfloat16, sums in float32.
 *
 * Change:  warp groups put C into shared memory, where tiles of A have been,
 *          and the copy engine stores it from there.
 * Reason:  threads store C in rows of 16 bytes, the engine in rows of 128.
 * Run:     make chapter=tensor_07 run
 * Measure: make compare chapter=tensor
 * Limit:   while C leaves, the tensor cores rest, and the next block begins
 *          with an empty ring.
 */

#include "gemm_bf16.h"

#include "ptx.cuh"
#include "tensor_map.h"

/* ---- parameters --------------------------------------------------------- */

#define BM 128   /**< rows of the tile of C of a block */
#define BN 256   /**< columns of that tile */
#define BK 64    /**< step along K: 128 bytes, a row of the swizzle */
#define STAGES 4 /**< tiles of A and of B in shared memory */
#define BAND 8   /**< rows of tiles that are worked on together */
#define THREADS (BM / 64 * 128)      /**< of a block: 256, two warp groups */
#define TILE ((BM + BN) * BK * 2)    /**< of A and B of a stage (bytes) */
#define PART (64 * 64 * 2)           /**< of A, or of C, of a group (bytes) */
#define SHARED (STAGES * (TILE + 8)) /**< with a barrier each (bytes) */

/* ---- kernel ------------------------------------------------------------- */

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
 * A warp group stores a part of C, 64 x 64 elements that its threads hold, at
 * (row, col): into shared memory, and from there by the copy engine, which goes
 * on alone.
 *
 * @param pairs  [2 * j + h]: 8 * j columns, 8 * h rows from a lane's first
 * @param place  in shared memory, a multiple of 1024
 */
static __device__ __forceinline__ void put(const __nv_bfloat162 pairs[16],
                                           uint32_t place, const CUtensorMap *C,
                                           int row, int col)
{
    int thread = threadIdx.x % 128, group = threadIdx.x / 128;
    int y = thread / 32 * 16 + thread % 16, right = thread / 16 % 2;
    // [put]
#pragma unroll
    for (int j = 0; j < 8; j += 2)
        stmatrix_x4(place + y * 128 + (j + right ^ y % 8) * 16,
                    (const uint32_t *)&pairs[j * 2]);
    fence_proxy_async();          // the copy engine sees what they have stored
    barrier_sync(1 + group, 128); // and all have
    if (thread == 0)
        tensor_store(C, place, col, row);
    store_commit(); // of other threads an empty group
    // [put]
}

/**
 * A warp group computes 64 x BN elements of C.
 *
 * @param M,N,K        sizes, each >= 1
 * @param alpha        factor of A * B
 * @param A            map of A [M x K], boxes of BM rows
 * @param B            map of B [K x N], boxes of BK rows
 * @param beta         factor of C; 0: C is not read
 * @param[in,out] C    [M x N]
 * @param ldc          leading dimension of C
 * @param C_map        map of C, boxes of 64 rows
 *
 * Launch: block THREADS, SHARED bytes, a grid of BAND tiles down, all across,
 * and the number of bands.
 */
__global__ void __launch_bounds__(THREADS, 1)
    gemm_kernel(int M, int N, int K, float alpha,
                const __grid_constant__ CUtensorMap A,
                const __grid_constant__ CUtensorMap B, float beta, bfloat16 *C,
                int ldc, const __grid_constant__ CUtensorMap C_map)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t tiles = shared_address(shared);
    uint32_t full = tiles + STAGES * TILE; // a barrier for each stage

    int row = (blockIdx.z * BAND + blockIdx.x) * BM, col = blockIdx.y * BN;
    if (row >= M)
        return; // the last band is not full
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int group = warp / 4; // its rows of the tile: group * 64 and on
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

    for (int i = 0; i < steps; i++) {
        int stage = i % STAGES;
        uint32_t a = tiles + stage * TILE + group * 64 * 128;
        uint32_t b = tiles + stage * TILE + BM * 128;
        mbarrier_wait(full + stage * 8, i / STAGES % 2);
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < BK; k += 16) // 16 columns of A, 16 rows of B
            wgmma_m64n256k16(sum, wgmma_descriptor(a + k * 2, 0),
                             wgmma_descriptor(b + k * 128, BK * 128),
                             i + k > 0);
        wgmma_commit();

        wgmma_wait<1>();
        __syncthreads(); // both groups have multiplied tile i - 1
        int next = i - 1 + STAGES, place = next % STAGES; // where it was
        if (threadIdx.x == 0 && i > 0 && next < steps)
            bring(tiles + place * TILE, &A, &B, row, col, next * BK,
                  full + place * 8);
    }
    wgmma_wait<0>();

    row += group * 64;
    // [whole]
    if (beta == 0.0f && col + BN <= N) { // as nearly always
        barrier_sync(1 + group, 128);    // all four warps have multiplied
#pragma unroll
        for (int j = 0; j < BN / 8; j += 8) {
            __nv_bfloat162 pairs[16];
#pragma unroll
            for (int i = 0; i < 16; i++)
                pairs[i] =
                    pair_of(NULL, alpha, &sum[j + i / 2][i % 2 * 2], 0.0f, 2);
            put(pairs, tiles + j / 8 * TILE + group * PART, &C_map, row,
                col + j * 8);
        }
        store_wait_read<0>(); // before shared memory goes
        return;
    }
    // [whole]
    row += warp % 4 * 16 + lane / 4; // of this lane's first pair of C
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

/* ---- launch ------------------------------------------------------------- */

/** Enqueue one GEMM: a block for each tile of C, in bands. */
static void launch(const gemm_bf16_problem *p)
{
    int down = ceil_div(p->M, BM); // tiles of C
    dim3 grid(min(BAND, down), ceil_div(p->N, BN), ceil_div(down, BAND));
    REQUIRE(grid.y <= MAX_GRID_Y && grid.z <= MAX_GRID_Y,
            "--M %d --N %d: this kernel takes at most %d and %d", p->M, p->N,
            MAX_GRID_Y * BAND * BM, MAX_GRID_Y * BN);
    CUDA_CHECK(cudaFuncSetAttribute(
        gemm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    CUtensorMap A = tensor_map(p->A, p->M, p->K, p->lda, BM);
    CUtensorMap B = tensor_map(p->B, p->K, p->N, p->ldb, BK);
    CUtensorMap C = tensor_map(p->C, p->M, p->N, p->ldc, 64);
    gemm_kernel<<<grid, THREADS, SHARED>>>(p->M, p->N, p->K, p->alpha, A, B,
                                           p->beta, p->C, p->ldc, C);
    CHECK_LAUNCH(gemm_kernel, grid, THREADS, SHARED);
}

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    // options, A B C, verify, time beside cuBLAS, report
    return gemm_bf16_main(argc, argv, "tensor_07_tma_store", launch, 90, 90);
}
