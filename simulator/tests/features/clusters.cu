#include "cases.h"
#include "tensor_map.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ unsigned shared(const void *x)
{
    return (unsigned)__cvta_generic_to_shared(x);
}

/** A launch of clusters. */
template <class... P, class... A>
void launch(dim3 grid, dim3 block, dim3 cluster, void (*kernel)(P...),
            A... arguments)
{
    cudaLaunchAttribute shape = {};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim.x = cluster.x;
    shape.val.clusterDim.y = cluster.y;
    shape.val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.attrs = &shape;
    config.numAttrs = 1;
    CHECK_CUDA(cudaLaunchKernelEx(&config, kernel, arguments...));
    CHECK_CUDA(cudaDeviceSynchronize());
}

// feature: clusters of blocks: cudaLaunchKernelEx, `this_cluster()`, shared
// memory of other blocks
// counted only: nothing else knows where shared arrays lie

enum { THREADS = 64, BLOCKS = 24 };

/** Each thread adds what all blocks of its cluster have, then what its
 *  neighbour has left it. */
__global__ void sums(int *out)
{
    __shared__ int own[THREADS], left[THREADS];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, sum = 0, block = blockIdx.y * gridDim.x + blockIdx.x;
    own[t] = block * THREADS + t;
    cluster.sync();
    int next = (cluster.block_rank() + 1) % cluster.num_blocks();
    int *there = cluster.map_shared_rank(left, next);
    CHECK_EQUAL((int)cluster.query_shared_rank(there), next);
    for (unsigned r = 0; r < cluster.num_blocks(); r++)
        sum += cluster.map_shared_rank(own, r)[t];
    there[t] = sum;
    cluster.sync();
    out[block * THREADS + t] = left[t];
}

CASE(clusters)
{
    static int got[BLOCKS * THREADS];
    int *d_got = room<int>(BLOCKS * THREADS);
    // of 6 x 4 blocks, by shapes of clusters
    for (dim3 shape : {dim3(1), dim3(2), dim3(3, 2), dim3(2, 4)}) {
        launch(dim3(6, 4), THREADS, shape, sums, d_got);
        CHECK_CUDA(cudaMemcpy(got, d_got, sizeof got, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < BLOCKS * THREADS; i++) {
            int x = i / THREADS % 6, y = i / THREADS / 6, sum = 0;
            for (unsigned v = 0; v < shape.y; v++)
                for (unsigned u = 0; u < shape.x; u++)
                    sum += (y / shape.y * shape.y + v) * 6 +
                           x / shape.x * shape.x + u;
            int blocks = shape.x * shape.y;
            wrong += got[i] != sum * THREADS + blocks * (i % THREADS);
        }
        CHECK_EQUAL(wrong, 0);
    }
    cudaLaunchAttribute of_two = {};
    of_two.id = cudaLaunchAttributeClusterDimension;
    of_two.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config = {};
    config.blockDim = 1024;
    config.attrs = &of_two;
    config.numAttrs = 1;
    int most;
    CHECK_CUDA(cudaOccupancyMaxActiveClusters(&most, sums, &config));
    CHECK_EQUAL(most, 132 / 2 * 2);
}

// feature: TMA to several blocks of a cluster: `.multicast::cluster`
// counted only: inline PTX needs clang

enum { PIECE = 64, TURNS = 6 };

/** Each block of a pair brings half of a line for both, through two slots. */
__global__ void pairs(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ __align__(128) uint16_t slot[2][2 * PIECE];
    __shared__ uint64_t full[2], empty[2];
    unsigned rank = cg::this_cluster().block_rank();
    int sum = 0;
    if (threadIdx.x < 2) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(
            shared(&full[threadIdx.x])));
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(
            shared(&empty[threadIdx.x])));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cg::this_cluster().sync();
    for (int i = 0; i < TURNS; i++) {
        int s = i % 2;
        if (threadIdx.x == 0) {
            asm volatile("{ .reg .pred p; again: "
                         "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], "
                         "%1; @!p bra again; }" ::"r"(shared(&empty[s])),
                         "r"(i / 2 % 2 ^ 1)
                         : "memory");
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], "
                         "%1;" ::"r"(shared(&full[s])),
                         "r"(2 * PIECE * 2)
                         : "memory");
            asm volatile(
                "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"
                "::complete_tx::bytes.multicast::cluster [%0], "
                "[%1, {%2, %3}], [%4], %5;" ::"r"(
                    shared(&slot[s][rank * PIECE])),
                "l"(&map), "r"((int)rank * PIECE), "r"(i),
                "r"(shared(&full[s])), "h"((uint16_t)3)
                : "memory");
        }
        asm volatile("{ .reg .pred p; again: "
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; "
                     "@!p bra again; }" ::"r"(shared(&full[s])),
                     "r"(i / 2 % 2)
                     : "memory");
        sum += slot[s][threadIdx.x] * (i + 1);
        __syncthreads(); // all have read the slot
        if (threadIdx.x < 2)
            asm volatile("{ .reg .b32 a; mapa.shared::cluster.u32 a, %0, %1; "
                         "mbarrier.arrive.shared::cluster.b64 _, [a]; }" ::"r"(
                             shared(&empty[s])),
                         "r"(threadIdx.x)
                         : "memory");
    }
    cg::this_cluster().sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

CASE(multicast)
{
    static uint16_t x[TURNS][2 * PIECE];
    static int got[4 * 2 * PIECE];
    for (int i = 0; i < TURNS * 2 * PIECE; i++)
        x[0][i] = i;
    uint16_t *d_x = room<uint16_t>(TURNS * 2 * PIECE);
    int *d_got = room<int>(4 * 2 * PIECE);
    CHECK_CUDA(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
    CUtensorMap map;
    CHECK(tensor_map(&map, d_x, TURNS, 2 * PIECE, 4 * PIECE, 1, PIECE) ==
          CUDA_SUCCESS);
    launch(4, 2 * PIECE, 2, pairs, map, d_got);
    CHECK_CUDA(cudaMemcpy(got, d_got, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 4 * 2 * PIECE; i++) {
        int sum = 0;
        for (int k = 0; k < TURNS; k++)
            sum += x[k][i % (2 * PIECE)] * (k + 1);
        wrong += got[i] != sum;
    }
    CHECK_EQUAL(wrong, 0);
}
