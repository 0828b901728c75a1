#include "cases.h"
#include "ptx.h"
#include <cooperative_groups.h>

// counted only: inline PTX needs clang

namespace cg = cooperative_groups;

__device__ void init(const uint64_t *barrier, int count)
{
    MBARRIER_INIT(barrier, count);
    FENCE_MBARRIER_INIT;
}

// Clusters must fill the grid.

__global__ void __cluster_dims__(2) in_pairs(int *out)
{
    out[blockIdx.x] = 1;
}

CASE(cluster_grid)
{
    in_pairs<<<RIGHT ? 4 : 3, 1>>>(room<int>(4)); // expect: launch-limits
}

// A block uses a barrier of another one that may not have initialised it.

__global__ void __cluster_dims__(2) unmet()
{
    __shared__ uint64_t barrier;
    int other = cg::this_cluster().block_rank() ^ 1;
    if (threadIdx.x == 0)
        init(&barrier, 1);
    __syncthreads(); // initialised in this block
#if RIGHT
    cg::this_cluster().sync();
#endif
    if (threadIdx.x == 0) {
        ARRIVE_AT(&barrier, other); // expect: uninitialised-shared
        WAIT(&barrier, 0);
    }
    cg::this_cluster().sync();
}

LAUNCH(cluster_init, unmet<<<2, 32>>>());

// A block ends while the other one still reads its shared memory.

__global__ void __cluster_dims__(2) leaves(int *out)
{
    __shared__ int own;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        own = 7;
    cluster.sync();
    int there = cluster.block_rank() ^ 1;
    out[blockIdx.x] =
        *cluster.map_shared_rank(&own, there); // expect: cluster-block
#if RIGHT
    cluster.sync();
#endif
}

LAUNCH(cluster_end, leaves<<<2, 1>>>(room<int>(2)));

// One block waits for the cluster, the other one for what never comes.

__global__ void __cluster_dims__(2) half_waits()
{
    __shared__ uint64_t barrier;
    cg::cluster_group cluster = cg::this_cluster();
    init(&barrier, 1);
    cluster.sync();
    if (cluster.block_rank() == 1)
#if RIGHT
        ARRIVE_AT(&barrier, 1);
#else
        WAIT(&barrier, 0); // expect: warp-deadlock
#endif
    cluster.sync();
}

LAUNCH(cluster_deadlock, half_waits<<<2, 1>>>());

// A block reads what another one has written, no barrier between.

__global__ void __cluster_dims__(2) too_early(int *out)
{
    __shared__ int own[32];
    cg::cluster_group cluster = cg::this_cluster();
    own[threadIdx.x] = 7; // expect-one: shared-race
#if RIGHT
    cluster.sync();
#else
    __syncwarp();
#endif
    int *there = cluster.map_shared_rank(own, 0);
    if (cluster.block_rank() == 1)
        out[threadIdx.x] = there[threadIdx.x]; // expect-one: shared-race
    cluster.sync();
}

LAUNCH(cluster_race, too_early<<<2, 32>>>(room<int>(32)));

// A slot is free when its readers of both blocks say so: each block brings half
// of it for both.

enum { TURNS = 8, SLOTS = 2 };

__global__ void __cluster_dims__(2)
    pairs(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ __align__(128) uint16_t slot[SLOTS][128];
    __shared__ uint64_t full[SLOTS], empty[SLOTS];
    int rank = cg::this_cluster().block_rank(), sum = 0, t = threadIdx.x;
    if (t < SLOTS) {
        init(&full[t], 1);
        init(&empty[t], RIGHT ? 2 : 1);
    }
    cg::this_cluster().sync();
    for (int i = 0; i < TURNS && t < 32; i++) { // the first warp brings
        int s = i % SLOTS;
        if (t != 0)
            continue;
        WAIT(&empty[s], i / SLOTS % 2 ^ 1); // expect: warp-deadlock
        ARRIVE_EXPECT(&full[s], 256);
        LOAD_BOX_FOR( // expect: async-copy
            3, &slot[s][rank * 64], &map, i, rank * 64, &full[s]);
    }
    for (int i = 0; i < TURNS && t >= 32; i++) { // the second one reads
        int s = i % SLOTS;
        WAIT(&full[s], i / SLOTS % 2);
        sum += slot[s][t] * (i + 1);
        __syncwarp();
        if (t < 34 && (RIGHT || t - 32 == rank))
            ARRIVE_AT(&empty[s], t - 32);
    }
    cg::this_cluster().sync();
    if (t >= 32)
        out[blockIdx.x * 32 + t - 32] = sum;
}

LAUNCH(cluster_slots, pairs<<<2, 64>>>(map_of(zeros<uint16_t>(TURNS * 128),
                                              TURNS, 128, 256, 1, 64),
                                       room<int>(64)));
