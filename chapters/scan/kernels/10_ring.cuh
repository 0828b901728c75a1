/**
 * @file 10_ring.cuh
 * @brief One block an SM, and a ring of tiles that come and go by bulk copies.
 *
 * Change: a block stays, and takes every gridDim.x-th tile. Its warps have one
 *         job each, and meet at barriers of the slot that a tile lies in:
 *
 *             loader    has x copied into slots that are empty
 *             adders    sum a slot as soon as it is full, and tell all blocks
 *             looker    adds the gridDim.x sums since the block's last tile
 *             scanners  scan the slot in place and have it copied to y
 *
 * Reason: loads are under way however long somebody waits: sums are told many
 *         tiles ahead of their use. And which sums make up what stands before
 *         a tile is known without a search, so there is nothing to walk.
 * Limit:  memory: x is read and y written, and little else happens.
 * Uses:   word_of, state_of, value_of (8), scan_warp, reduce_warp (6) and
 *         rows.cuh (7); ring_slots.cuh, ring_sums.cuh, ring_tiles.cuh
 */

#include <cuda/barrier>
#include <cuda/ptx>

#ifndef RING_TILE
#define RING_TILE 6144 /**< elements of a slot */
#endif
#ifndef SLOTS
#define SLOTS 8 /**< of the ring */
#endif
#ifndef SCANNERS
#define SCANNERS 12 /**< warps that scan, a part of the slot each */
#endif
#ifndef ADDERS
#define ADDERS 2 /**< warps that sum, every ADDERS-th slot each */
#endif
#define PART (RING_TILE / SCANNERS)                 /**< elements */
#define PART_ROWS (PART / 128)                      /**< float4 of a lane */
#define RING_THREADS (32 * (2 + ADDERS + SCANNERS)) /**< of a block */
#define LOOKS 5                                     /**< of a lane at others */
#define MAX_BLOCKS (32 * LOOKS)                     /**< of the grid */
#define ROUNDS 32 /**< sums of each block that are kept */

static_assert(PART_ROWS * 128 * SCANNERS == RING_TILE, "whole rows");

// A block may be 2 * SLOTS + 1 rounds behind another one, no more: a slot is
// filled again when its scanners are done, who wait for the sums of all blocks,
// whose adders wait for slots as well.
static_assert(ROUNDS >= 2 * SLOTS + 2, "sums stay until all have seen them");

#include "ring_slots.cuh"
#include "ring_sums.cuh" // adders and looker

#if SIMULATED || __CUDA_ARCH__ >= 900

#include "ring_tiles.cuh" // loader and scanners

/** Make the barriers ready; by the whole block. */
__device__ void open_ring(ring_slots *s)
{
    if (threadIdx.x < SLOTS) {
        init(&s->full[threadIdx.x], 1);
        init(&s->summed[threadIdx.x], 1);
        init(&s->known[threadIdx.x], 1);
        init(&s->empty[threadIdx.x], SCANNERS);
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared); // for copies
    }
    if (threadIdx.x == 0)
        s->rounds_before = rounds_before;
    __syncthreads(); // ready before anybody arrives or waits
}

/**
 * The grid scans x. All blocks must run at the same time: each waits for sums
 * of all others.
 *
 * Launch: cooperative; block RING_THREADS, at most a block an SM, shared memory
 * for a ring_slots.
 */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(RING_THREADS, 1)
    ring_kernel(int64_t n, const float *x, float *y)
{
    extern __shared__ __align__(128) char shared[];
    ring_slots *s = (ring_slots *)shared;
    int warp = threadIdx.x / 32;
    open_ring(s);
    if (warp == 0)
        load_tiles<OP>(s, n, x);
    else if (warp == 1)
        add_sums<OP>(s, n);
    else if (warp < 2 + ADDERS)
        add_tiles<OP>(s, n, warp - 2);
    else
        scan_parts<OP, KIND>(s, n, y, warp - 2 - ADDERS);
}

#else

/** For a GPU without bulk copies: never launched, see ring_open(). */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(RING_THREADS, 1)
    ring_kernel(int64_t, const float *, float *)
{
}

#endif

/** NULL, or why this device cannot run it. */
static const char *ring_open(void)
{
    if (device_attribute(cudaDevAttrComputeCapabilityMajor) < 9)
        return "bulk copies need sm_90";
    if (device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) <
        (int)sizeof(ring_slots))
        return "an SM has too little shared memory for the ring";
    return NULL;
}

template <operation OP, scan_kind KIND>
static void launch_ring(const scan *s)
{
    const void *kernel = (const void *)ring_kernel<OP, KIND>;
    int64_t tiles = quotient_up(s->n, RING_TILE);
    int most =
        min(device_attribute(cudaDevAttrMultiProcessorCount), MAX_BLOCKS);
    most = s->blocks ? min(s->blocks, most) : most;
    unsigned blocks = (unsigned)min(tiles, (int64_t)most);
    size_t bytes = sizeof(ring_slots);
    void *args[] = {(void *)&s->n, (void *)&s->x, (void *)&s->y};
    CUDA_CHECK(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    CUDA_CHECK(cudaLaunchCooperativeKernel(kernel, blocks, RING_THREADS, args,
                                           bytes, 0));
    CHECK_LAUNCH((ring_kernel<OP, KIND>), blocks, RING_THREADS, bytes);
}
