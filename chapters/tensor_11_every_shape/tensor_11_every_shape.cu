/**
 * @file tensor_11_every_shape.cu
 * @brief Tensor cores, step 11: a tile for each shape.
 *
 * C = alpha * A * B + beta * C, row-major: A [M x K], B [K x N], C [M x N] in
 * bfloat16, sums in float32.
 *
 * Change:  the tile is a parameter of the kernel, and the host chooses among
 *          several. So that a tile may have few rows, the product is turned
 *          over: the 64 rows of an instruction are columns of C.
 * Reason:  tiles of 128 x 256 keep 132 SMs busy only if C is large.
 * Run:     make chapter=tensor_11 run args="--M 1024 --N 1024 --K 1024"
 * Measure: make compare chapter=tensor
 * Limit:   of a small C the launch, and the way of the first tile.
 */

#include "gemm_bf16.h"
#include "ptx.cuh"
#include "tensor_map.h"

#include <cooperative_groups.h>

/* ---- parameters --------------------------------------------------------- */

#include "tile.cuh"

/* ---- kernel ------------------------------------------------------------- */

/**
 * A warp group computes BM rows and 64 columns of each tile of C.
 *
 * @param p      a GEMM
 * @param A,B,C  maps: boxes of BM / SHARE rows, of BK, of HIGH
 *
 * Launch: block THREADS, SHARED bytes. Blocks that stay: any number of clusters
 * of SHARE; others: a cluster of SPLIT for each tile, tiles across in x.
 */
template <class T>
__global__ void __launch_bounds__(T::THREADS, 1)
    gemm_kernel(gemm_bf16_problem p, const __grid_constant__ CUtensorMap A,
                const __grid_constant__ CUtensorMap B,
                const __grid_constant__ CUtensorMap C)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    ring r = {shared_address(shared)};
    uint32_t out = T::STAYS ? r.tiles + T::STAGES * T::STAGE : r.tiles;
    r.full = r.tiles + T::STAGES * T::STAGE + T::OUT;
    r.empty = r.full + T::STAGES * 8;
    // The same in all lanes, and the compiler shall know it.
    int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
    int thread = threadIdx.x % 128;
    int all = ceil_div(p.K, T::DEEP * BK); // steps of a tile
    int part = blockIdx.x % T::SPLIT;      // of them, for this block
    int first = all * part / T::SPLIT;
    int steps = all * (part + 1) / T::SPLIT - first;
    int mine = 0, tiles = 1, stride = 1; // tiles of this block: mine and on
    if (T::STAYS) {
        mine = blockIdx.x / T::SHARE;
        stride = gridDim.x / T::SHARE;
        tiles = ceil_div(p.M, T::BM) * ceil_div(p.N, T::SHARE * T::BN);
    }

    if (threadIdx.x == 0) {
        for (int i = 0; i < T::STAGES; i++) {
            mbarrier_init(r.full + i * 8, 1);
            mbarrier_init(r.empty + i * 8, T::SHARE * T::GROUPS);
        }
        mbarrier_init_fence();
    }
    if (group == T::GROUPS && thread == 0) {
        prefetch_map(&A);
        prefetch_map(&B);
    }
    if (T::SHARE > 1)
        cluster_sync(); // the barriers of both blocks are there
    else
        __syncthreads(); // the barriers are there

    if (group == T::GROUPS) { // the warp, or the group, that brings
        if (T::BRINGS == 128)
            registers_down_to<40>();
        for (int t = mine; t < tiles; t += stride) {
            int row, col;
            place_tile<T>(t, p.M, p.N, &row, &col);
            for (int i = 0; i < steps && thread == 0; i++, go_on<T>(&r))
                bring<T>(&r, &A, &B, row, col, (first + i) * T::DEEP * BK);
        }
        if (thread == 0)
            prefetch_map(&C);
        if (T::SPLIT > 1) { // both as in meet()
            cluster_sync();
            cluster_sync();
        }
        if (T::SHARE > 1)
            cluster_sync(); // as the others do below
        return;
    }

    if (T::BRINGS == 128)
        registers_up_to<232>();
    float sum[T::BM / 8][4] = {};    // fragments of 16 x 8 elements
    uint32_t held[T::ROWS / 4];      // C of a tile: pairs, one below the other
    int held_row = 0, held_col = -1; // where it begins; -1: there is none

    for (int t = mine; t < tiles; t += stride) {
        int i = 0;
        if (T::STAYS) {
#pragma unroll
            for (; i < T::PARTS; i++) {
                if (i < steps)
                    step<T>(sum, &r, group, i);
                if (held_col >= 0)
                    put<T>(held, i, out, group, held_row, held_col, p, &C);
            }
        }
#pragma unroll 1
        for (; i < steps; i++)
            step<T>(sum, &r, group, i);
        wgmma_wait<0>();
        if (T::STAYS)
            give_back<T>(&r);
        else
            barrier_sync(1 + T::GROUPS, T::GROUPS * 128); // the ring is idle
        if (T::SPLIT > 1)
            meet<T>(sum, shared, group, part);
        place_tile<T>(t, p.M, p.N, &held_row, &held_col);
        held_row += part * T::ROWS;
        held_col += group * 64;
        hold<T>(held, sum, held_row, held_col, p);
    }
#pragma unroll
    for (int i = 0; i < T::PARTS && held_col >= 0; i++)
        put<T>(held, i, out, group, held_row, held_col, p, &C);
    store_wait_read<0>(); // before shared memory goes
    if (T::SHARE > 1)
        cluster_sync(); // nobody ends while another may arrive at its barriers
}

/* ---- launch ------------------------------------------------------------- */

/** Enqueue one GEMM with this tile. */
template <class T>
static void launch_tile(const gemm_bf16_problem *p)
{
    int down = ceil_div(p->M, T::BM), across = ceil_div(p->N, T::SHARE * T::BN);
    dim3 grid(across * T::SPLIT, down);
    if (T::STAYS) { // as few clusters as take no more rounds than all would
        int most = device_attribute(cudaDevAttrMultiProcessorCount) / T::SHARE;
        int rounds = ceil_div(down * across, most);
        grid = dim3(ceil_div(down * across, rounds) * T::SHARE);
    }
    CUDA_CHECK(cudaFuncSetAttribute(gemm_kernel<T>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    T::SHARED));
    CUtensorMap A = tensor_map(p->A, p->M, p->K, p->lda, T::BM / T::SHARE);
    CUtensorMap B = tensor_map(p->B, p->K, p->N, p->ldb, BK);
    CUtensorMap C = tensor_map(p->C, p->M, p->N, p->ldc, T::HIGH);
    // [cluster]
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {T::SPLIT * T::SHARE, 1, 1};
    cudaLaunchConfig_t with = {};
    with.gridDim = grid;
    with.blockDim = dim3(T::THREADS);
    with.dynamicSmemBytes = T::SHARED;
    with.stream = cudaStreamPerThread;
    with.attrs = &cluster;
    with.numAttrs = T::SPLIT * T::SHARE > 1; // one of one block is slower
    CUDA_CHECK(cudaLaunchKernelEx(&with, gemm_kernel<T>, *p, A, B, C));
    // [cluster]
    CHECK_LAUNCH(gemm_kernel<T>, grid, T::THREADS, T::SHARED);
}

#include "plan.cuh"

static void launch(const gemm_bf16_problem *p)
{
    best_plan(p)->launch(p);
}

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    // options, A B C, verify, time beside cuBLAS, report
    return gemm_bf16_main(argc, argv, "tensor_11_every_shape", launch, 90, 90);
}
