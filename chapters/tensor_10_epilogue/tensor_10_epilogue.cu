/**
 * @file tensor_10_epilogue.cu
 * @brief Tensor cores, step 10: C leaves under the products of the next tile.
 *
 * C = alpha * A * B + beta * C, row-major: A [M x K], B [K x N], C [M x N] in
 * bfloat16, sums in float32.
 *
 * Change:  C of a tile stays in 64 registers, and leaves a quarter at a time
 *          while the next tile is multiplied.
 * Reason:  the tensor cores no longer rest while C is handed over.
 * Run:     make chapter=tensor_10 run
 * Measure: make compare chapter=tensor
 * Limit:   the clock, which is lower under this load than the highest one.
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
#define PARTS (BN / 64)              /**< of the C of a warp group */
#define PART (64 * 64 * 2)           /**< one of them (bytes) */
#define PLACES 2                     /**< for them in shared memory */
#define TILE ((BM + BN) * BK * 2)    /**< of A and B of a stage (bytes) */
#define SHARED (STAGES * (TILE + 16) + GROUPS * PLACES * PART) /**< (bytes) */

/* ---- kernel ------------------------------------------------------------- */

/** One thread: have the tiles from k on come into their stage, A for this
 * block, and this block's part of B for all blocks of the cluster. */
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

/** Where tile number t of a cluster begins: down a band, then rightwards. */
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

/** A warp group has multiplied the stage before, and tells both blocks. */
static __device__ void give_back(const ring *r)
{
    int before = (r->stage + STAGES - 1) % STAGES, thread = threadIdx.x % 128;
    if (thread < CLUSTER) // a thread for each block
        mbarrier_arrive_at(r->empty + before * 8, thread);
}

/** It begins step i of a tile, and gives back the stage of the one before. */
static __device__ __forceinline__ void step(float sum[BN / 8][4], ring *r,
                                            int group, int i)
{
    uint32_t a = r->tiles + r->stage * TILE + group * 64 * 128;
    uint32_t b = r->tiles + r->stage * TILE + BM * 128;
    mbarrier_wait(r->full + r->stage * 8, r->parity);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < BK; k += 16) // 16 columns of A, 16 rows of B
        wgmma_m64n256k16(sum, wgmma_descriptor(a + k * 2, 0),
                         wgmma_descriptor(b + k * 128, BK * 128), i + k > 0);
    // [behind]
    wgmma_commit();
    if (i > 0) {
        wgmma_wait<1>();
        give_back(r);
    }
    go_on(r);
    // [behind]
}

/** It stores a part of C at (row, col): its threads put it into shared memory,
 * and the copy engine goes on alone. */
static __device__ __forceinline__ void put(const __nv_bfloat162 pairs[16],
                                           uint32_t places,
                                           const CUtensorMap *C, int row,
                                           int col)
{
    int thread = threadIdx.x % 128, group = threadIdx.x / 128;
    int y = thread / 32 * 16 + thread % 16, right = thread / 16 % 2;
    uint32_t place = places + (group * PLACES + col / 64 % PLACES) * PART;
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
}

/**
 * A warp group computes 64 x BN elements of each tile of C.
 *
 * @param A,B          maps of [M x K], boxes of BM rows; [K x N], of BK rows
 * @param[in,out] C    [M x N], rows ldc apart; if beta is 0, it is not read
 * @param C_map        of C, boxes of 64 rows
 * @param bias         [N], for gelu(... + bias), if GELU
 * Launch: block THREADS, a grid of whole clusters, SHARED bytes.
 */
template <bool GELU>
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS, 1)
    gemm_kernel(int M, int N, int K, float alpha,
                const __grid_constant__ CUtensorMap A,
                const __grid_constant__ CUtensorMap B, float beta, bfloat16 *C,
                int ldc, const __grid_constant__ CUtensorMap C_map,
                const bfloat16 *bias)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    ring r = {shared_address(shared)};
    uint32_t places = r.tiles + STAGES * TILE; // for parts of C
    r.full = places + GROUPS * PLACES * PART;
    r.empty = r.full + STAGES * 8;
    int thread = threadIdx.x % 128, group = threadIdx.x / 128;
    int rank = blockIdx.x % CLUSTER, clusters = gridDim.x / CLUSTER;
    int steps = ceil_div(K, BK), row, col; // of the tile of C
    int tile_count = ceil_div(M, CLUSTER * BM) * ceil_div(N, BN);

    for (int i = 0; i < STAGES && threadIdx.x == 0; i++) {
        mbarrier_init(r.full + i * 8, 1);
        mbarrier_init(r.empty + i * 8, CLUSTER * GROUPS);
        mbarrier_init_fence();
    }
    cluster_sync(); // the barriers of both blocks are there
    if (group == GROUPS) {
        registers_down_to<40>(); // the group that brings, one thread of it
        for (int t = blockIdx.x / CLUSTER; t < tile_count; t += clusters) {
            place_tile(t, M, N, &row, &col);
            for (int i = 0; i < steps && thread == 0; i++, go_on(&r)) {
                mbarrier_wait(r.empty + r.stage * 8, r.parity ^ 1);
                bring(r.tiles + r.stage * TILE, &A, &B, row + rank * BM, col,
                      i * BK, r.full + r.stage * 8, rank);
            }
        }
        cluster_sync(); // as the others do below
        return;
    }

    registers_up_to<232>();
    float sum[BN / 8][4];            // fragments of 16 x 8 elements
    __nv_bfloat162 held[BN / 4];     // C of the tile before
    int held_row = 0, held_col = -1; // -1: none
    // [loop]
    for (int t = blockIdx.x / CLUSTER; t < tile_count; t += clusters) {
#pragma unroll
        for (int i = 0; i < PARTS; i++) {
            if (i < steps)
                step(sum, &r, group, i);
            if (held_col >= 0)
                put(&held[i * 16], places, &C_map, held_row, held_col + i * 64);
        }
        for (int i = PARTS; i < steps; i++)
            step(sum, &r, group, i);
        wgmma_wait<0>();
        give_back(&r);
        // [loop]
        place_tile(t, M, N, &row, &col);
        held_row = row += rank * BM + group * 64;
        held_col = beta == 0.0f && col + BN <= N ? col : -1;
        row += thread / 32 * 16 + thread % 32 / 4; // of a lane's first pair
        col += thread % 4 * 2;
        // [hold]
        auto hold = [&](float factor, bool edge) { // factor of C
#pragma unroll
            for (int i = 0; i < BN / 4; i++) {
                int y = row + i % 2 * 8, x = col + i / 2 * 8; // of a pair
                int left = !edge ? 2 : y < M ? N - x : 0;
                bfloat16 *c = C + (int64_t)y * ldc + x;
                held[i] = pair_of(c, alpha, &sum[i / 2][i % 2 * 2], factor,
                                  left, GELU ? bias + x : NULL);
                if (edge) // not by the copy engine
                    put_pair(c, held[i], left);
            }
        };
        if (held_col >= 0)
            hold(0.0f, false); // as nearly always: nothing to look at
        else
            hold(beta, true);
        // [hold]
    }
#pragma unroll
    for (int i = 0; i < PARTS && held_col >= 0; i++)
        put(&held[i * 16], places, &C_map, held_row, held_col + i * 64);
    store_wait_read<0>(); // before shared memory goes
    cluster_sync(); // nobody ends while another may arrive at its barriers
}

/* ---- launch ------------------------------------------------------------- */

/** Enqueue one GEMM, by as few clusters as need no more tiles each than all
 * would. It takes as many rounds, as in tensor_09. */
template <bool GELU>
static void launch_kernel(const gemm_bf16_problem *p)
{
    int tiles = ceil_div(p->M, CLUSTER * BM) * ceil_div(p->N, BN);
    int most = device_attribute(cudaDevAttrMultiProcessorCount) / CLUSTER;
    int grid = ceil_div(tiles, ceil_div(tiles, most)) * CLUSTER;
    CUDA_CHECK(cudaFuncSetAttribute(gemm_kernel<GELU>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    SHARED));
    CUtensorMap A = tensor_map(p->A, p->M, p->K, p->lda, BM);
    CUtensorMap B = tensor_map(p->B, p->K, p->N, p->ldb, BK);
    CUtensorMap C = tensor_map(p->C, p->M, p->N, p->ldc, 64);
    gemm_kernel<GELU><<<grid, THREADS, SHARED>>>(
        p->M, p->N, p->K, p->alpha, A, B, p->beta, p->C, p->ldc, C, p->bias);
    CHECK_LAUNCH(gemm_kernel<GELU>, grid, THREADS, SHARED);
}

static void launch(const gemm_bf16_problem *p)
{
    (p->gelu ? launch_kernel<true> : launch_kernel<false>)(p);
}

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    // options, A B C, verify, time beside cuBLAS, report
    return gemm_gelu_main(argc, argv, "tensor_10_epilogue", launch, 90, 90);
}
