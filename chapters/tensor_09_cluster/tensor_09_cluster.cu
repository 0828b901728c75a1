/**
 * @file tensor_09_cluster.cu
 * @brief Tensor cores, step 9: two blocks share what they bring.
 *
 * C = alpha * A * B + beta * C, row-major: A [M x K], B [K x N], C [M x N] in
 * bfloat16, sums in float32.
 *
 * Change:  two blocks are a cluster, one above the other. Each brings half of a
 *          tile of B, into the shared memory of both.
 * Reason:  a third less is asked of the L2, which saves time where the L2 is
 *          the limit.
 * Run:     make chapter=tensor_09 run
 * Measure: make compare chapter=tensor
 * Limit:   while a block rounds C and hands it over, its tensor cores rest.
 */

#include "gemm_bf16.h"

#include "ptx.cuh"
#include "tensor_map.h"

/* ---- parameters --------------------------------------------------------- */

#define BM 128           /**< rows of the tile of C of a block */
#define BN 256           /**< columns of that tile */
#define BK 64            /**< step along K: 128 bytes, a row of the swizzle */
#define STAGES 4         /**< tiles of A and of B in shared memory */
#define BAND 8           /**< rows of tiles that are worked on together */
#define CLUSTER 2        /**< blocks that share B, one above the other */
#define GROUPS (BM / 64) /**< warp groups that multiply: 2 */
#define THREADS ((GROUPS + 1) * 128) /**< of a block: 384 */
#define TILE ((BM + BN) * BK * 2)    /**< of A and B of a stage (bytes) */
#define PART (64 * 64 * 2)           /**< of C, from a warp group (bytes) */
#define PLACES 2                     /**< for its parts in shared memory */
#define SHARED (STAGES * (TILE + 16) + GROUPS * PLACES * PART) /**< (bytes) */

/* ---- kernel ------------------------------------------------------------- */

/**
 * One thread: have the tiles from k on come into their stage, A for this block,
 * and this block's part of B for all blocks of the cluster.
 */
// [bring]
static __device__ void bring(uint32_t tile, const CUtensorMap *A,
                             const CUtensorMap *B, int row, int col, int k,
                             uint32_t full, int rank)
{
    mbarrier_expect(full, TILE);
    tensor_load(tile, A, k, row, full);
    tile += BM * BK * 2;
    for (int j = rank * 64; j < BN; j += CLUSTER * 64) // panels of 64 columns
        tensor_load_to((1 << CLUSTER) - 1, tile + j * BK * 2, B, col + j, k,
                       full);
}
// [bring]

/**
 * The first row and column of a cluster's tile number t of C: down a band of
 * BAND rows of tiles, then to the next column of the band.
 */
static __device__ void place_tile(int t, int M, int N, int *row, int *col)
{
    int down = ceil_div(M, CLUSTER * BM), across = ceil_div(N, BN);
    int band = t / (BAND * across), in_band = t % (BAND * across);
    int height = min(BAND, down - band * BAND); // of the last one: less
    *row = (band * BAND + in_band % height) * CLUSTER * BM;
    *col = in_band / height * BN;
}

/** The ring of stages, and where a thread is in it. */
typedef struct {
    uint32_t tiles, full, empty; /**< full: has come; empty: may be filled */
    int stage, parity;           /**< parity: of the phases of its barriers */
} ring;

/** Go on to the next stage; behind the last one a new round begins. */
static __device__ void go_on(ring *r)
{
    r->stage = (r->stage + 1) % STAGES;
    r->parity ^= r->stage == 0;
}

/**
 * A warp group stores a part of C, 64 x 64 elements that its threads hold, at
 * (row, col): into shared memory, and from there by the copy engine, which goes
 * on alone.
 *
 * @param pairs  [2 * j + h]: 8 * j columns, 8 * h rows from a lane's first
 */
static __device__ __forceinline__ void put(const __nv_bfloat162 pairs[16],
                                           uint32_t places,
                                           const CUtensorMap *C, int row,
                                           int col)
{
    int thread = threadIdx.x % 128, group = threadIdx.x / 128;
    int y = thread / 32 * 16 + thread % 16, right = thread / 16 % 2;
    uint32_t place = places + (group * PLACES + col / 64 % PLACES) * PART;
    // [put]
    if (thread == 0)
        store_wait_read<PLACES - 1>();
    barrier_sync(1 + group, 128); // the place is free
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
 * A warp group computes 64 x BN elements of each tile of C.
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
 * Launch: block THREADS, a grid of whole clusters, SHARED bytes.
 */
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS, 1)
    gemm_kernel(int M, int N, int K, float alpha,
                const __grid_constant__ CUtensorMap A,
                const __grid_constant__ CUtensorMap B, float beta, bfloat16 *C,
                int ldc, const __grid_constant__ CUtensorMap C_map)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    ring r = {shared_address(shared)};
    uint32_t places = r.tiles + STAGES * TILE; // for parts of C
    r.full = places + GROUPS * PLACES * PART;  // barriers, one for each stage
    r.empty = r.full + STAGES * 8;

    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int group = warp / 4;            // its rows of the tile: group * 64 and on
    int rank = blockIdx.x % CLUSTER; // of the block in its cluster
    int clusters = gridDim.x / CLUSTER, steps = ceil_div(K, BK);
    int tile_count = ceil_div(M, CLUSTER * BM) * ceil_div(N, BN);
    int row, col;         // of the tile of C
    float sum[BN / 8][4]; // fragments of 16 x 8 elements

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            mbarrier_init(r.full + i * 8, 1);
            mbarrier_init(r.empty + i * 8, CLUSTER * GROUPS);
        }
        mbarrier_init_fence();
    }
    cluster_sync(); // the barriers of both blocks are there

    if (group == GROUPS) { // the group that brings, one thread of it
        registers_down_to<40>();
        for (int t = blockIdx.x / CLUSTER; t < tile_count; t += clusters) {
            place_tile(t, M, N, &row, &col);
            for (int i = 0; i < steps && threadIdx.x % 128 == 0;
                 i++, go_on(&r)) {
                mbarrier_wait(r.empty + r.stage * 8, r.parity ^ 1);
                bring(r.tiles + r.stage * TILE, &A, &B, row + rank * BM, col,
                      i * BK, r.full + r.stage * 8, rank);
            }
        }
        cluster_sync(); // as the others do below
        return;
    }

    registers_up_to<232>();
    for (int t = blockIdx.x / CLUSTER; t < tile_count; t += clusters) {
        for (int i = 0; i < steps; i++, go_on(&r)) {
            uint32_t a = r.tiles + r.stage * TILE + group * 64 * 128;
            uint32_t b = r.tiles + r.stage * TILE + BM * 128;
            mbarrier_wait(r.full + r.stage * 8, r.parity);
            wgmma_fence();
#pragma unroll
            for (int k = 0; k < BK; k += 16) // 16 columns of A, 16 rows of B
                wgmma_m64n256k16(sum, wgmma_descriptor(a + k * 2, 0),
                                 wgmma_descriptor(b + k * 128, BK * 128),
                                 i + k > 0);
            wgmma_commit();
            wgmma_wait<0>();
            // [free]
            if (threadIdx.x % 128 < CLUSTER) // a thread for each block
                mbarrier_arrive_at(r.empty + r.stage * 8, threadIdx.x % 128);
            // [free]
        }

        place_tile(t, M, N, &row, &col);
        row += rank * BM + group * 64;
        // [whole]
        if (beta == 0.0f && col + BN <= N) { // as nearly always
#pragma unroll
            for (int j = 0; j < BN / 8; j += 8) {
                __nv_bfloat162 pairs[16];
#pragma unroll
                for (int i = 0; i < 16; i++)
                    pairs[i] = pair_of(NULL, alpha, &sum[j + i / 2][i % 2 * 2],
                                       0.0f, 2);
                put(pairs, places, &C_map, row, col + j * 8);
            }
            continue;
        }
        // [whole]
        row += warp % 4 * 16 + lane / 4; // of this lane's first pair of C
        col += lane % 4 * 2;
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
    store_wait_read<0>(); // before shared memory goes
    cluster_sync(); // nobody ends while another may arrive at its barriers
}

/* ---- launch ------------------------------------------------------------- */

/**
 * Enqueue one GEMM, by as few clusters as need no more tiles each than all
 * would. It takes as many rounds, and gains up to 1 %.
 */
static void launch(const gemm_bf16_problem *p)
{
    int tiles = ceil_div(p->M, CLUSTER * BM) * ceil_div(p->N, BN);
    // [grid]
    int most = device_attribute(cudaDevAttrMultiProcessorCount) / CLUSTER;
    int each = ceil_div(tiles, most); // tiles of a cluster
    int grid = ceil_div(tiles, each) * CLUSTER;
    // [grid]
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
    return gemm_bf16_main(argc, argv, "tensor_09_cluster", launch, 90, 90);
}
