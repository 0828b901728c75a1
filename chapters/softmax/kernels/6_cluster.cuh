/**
 * @file 6_cluster.cuh
 * @brief A row in the registers of several blocks, a cluster.
 *
 * Change: up to eight blocks share a row. They run at the same time on
 *         neighbouring SMs, and each reads the parts that the others have found
 *         straight from their shared memory.
 * Reason: a row of up to 262,144 elements is read once, and a few long rows are
 *         work for many SMs.
 * Limit:  a short row has a block, or several, whose warps wait for each other.
 * Uses:   part, weight, warp_merge, block_merge (3), threads_for (5), fours.cuh
 */

#include <cooperative_groups.h>

#ifndef CLUSTER_FOURS
#define CLUSTER_FOURS 8 /**< fours of a thread, where 8 blocks suffice */
#endif
#define MOST_BLOCKS 8 /**< of a cluster, on any GPU that has clusters */

#if SIMULATED || !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900

/**
 * A cluster computes a row.
 *
 * Launch: as many whole warps as its part of the row has fours for, at most
 * BLOCK threads; a cluster a row.
 */
template <int FOURS>
__global__ void __launch_bounds__(BLOCK, FOURS > 8 ? 1 : 2)
    cluster_kernel(softmax s)
{
    // [cluster]
    cooperative_groups::cluster_group cluster =
        cooperative_groups::this_cluster();
    __shared__ part of_block;
    int blocks = cluster.num_blocks(), lane = threadIdx.x % 32;
    int first = cluster.block_rank() * blockDim.x * FOURS + threadIdx.x;
    cut_row r = cut(s, blockIdx.x / blocks);
    piece<FOURS> p;
    load_piece(r, first, blockDim.x, &p);
    part mine = exp_piece(&p);
    part all = block_merge(mine);
    if (threadIdx.x == 0)
        of_block = all;
    cluster.sync(); // each block's part is there before all merge them
    all = {-INFINITY, 0.0f};
    if (lane < blocks)
        all = *cluster.map_shared_rank(&of_block, lane);
    cluster.barrier_arrive(); // this thread has read what it needs
    all = warp_merge(all);
    store_piece(r, first, blockDim.x, p, weight(mine.most, all.most) / all.sum);
    cluster.barrier_wait(); // nobody ends while another reads its part
    // [cluster]
}

#else

/** For a GPU without clusters: never launched, see cluster_open(). */
template <int FOURS>
__global__ void __launch_bounds__(BLOCK) cluster_kernel(softmax)
{
}

#endif

/** NULL, or why this device cannot run it. */
static const char *cluster_open(void)
{
#if SIMULATED && !defined __CUDASIM_PTX__
    return "without clang the simulator has no memory of other blocks";
#else
    return device_attribute(cudaDevAttrClusterLaunch) ? NULL
                                                      : "clusters need sm_90";
#endif
}

static const char *cluster_refuse(const void *problem)
{
    return most_fours((const softmax *)problem) > MOST_BLOCKS * BLOCK * 16
               ? "a row does not fit into the registers of a cluster"
               : NULL;
}

template <int FOURS>
static void launch_cluster(const softmax *s, int blocks)
{
    int threads = threads_for(ceil_div(most_fours(s), blocks), FOURS);
    cudaLaunchAttribute shape = {};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {(unsigned)blocks, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = device_blocks(s->rows * blocks, 1);
    config.blockDim = threads;
    config.attrs = &shape;
    config.numAttrs = 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, cluster_kernel<FOURS>, *s));
    CHECK_LAUNCH(cluster_kernel<FOURS>, config.gridDim, threads, 0);
}

/** As few blocks as hold a row; more if there are SMs without work. */
static void cluster(const void *problem)
{
    const softmax *s = (const softmax *)problem;
    int sms = device_attribute(cudaDevAttrMultiProcessorCount);
    int fours = most_fours(s), blocks = 1;
    while (blocks < MOST_BLOCKS &&
           (fours > blocks * BLOCK * CLUSTER_FOURS || s->rows * blocks < sms))
        blocks *= 2;
    if (fours <= blocks * BLOCK * CLUSTER_FOURS)
        launch_cluster<CLUSTER_FOURS>(s, blocks);
    else
        launch_cluster<16>(s, blocks);
}
