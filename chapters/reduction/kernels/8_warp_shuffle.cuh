/**
 * @file 8_warp_shuffle.cuh
 * @brief Warps that pass sums from register to register.
 *
 * Change: the lanes of a warp combine by shuffles; only one value of each warp
 *         goes through shared memory, and warp 0 combines those, by shuffles.
 * Reason: a shuffle makes its lanes meet and needs no barrier: one is left of
 *         ten, and 17 shared accesses of a block instead of 56.
 * Limit:  two launches, and blocks that queue up at one word of memory.
 * Uses:   reduce_thread (7)
 */

#define WARPS (BLOCK / 32)    /**< of a block */
#define ALL_LANES 0xffffffffu /**< mask of a shuffle of the whole warp */

/** The values of all lanes as one, in lane 0. */
// [warp]
template <operation OP>
__device__ float reduce_warp(float value)
{
#pragma unroll
    for (int offset = 16; offset >= 1; offset /= 2)
        value = combine<OP>(value, __shfl_down_sync(ALL_LANES, value, offset));
    return value;
}
// [warp]

/** The values of all threads as one, in thread 0. */
template <operation OP>
__device__ float reduce_block(float value)
{
    // [block]
    __shared__ float work[WARPS];
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    value = reduce_warp<OP>(value);
    if (lane == 0)
        work[warp] = value;
    __syncthreads(); // a value of each warp before warp 0 combines them
    if (warp == 0)
        value = reduce_warp<OP>(lane < WARPS ? work[lane] : identity<OP>());
    // [block]
    return value;
}

/** As ahead_kernel, which says how it is launched. */
template <operation OP>
__global__ void __launch_bounds__(BLOCK, PER_SM)
    warp_shuffle_kernel(int64_t n, const float *x, float *result)
{
    float value = reduce_block<OP>(reduce_thread<OP>(n, x));
    if (threadIdx.x == 0)
        combine_atomically<OP>(result, value);
}

template <operation OP>
static void launch_warp_shuffle(const reduction *r)
{
    unsigned grid = full_grid(r->n, 4 * TILE);
    identity_kernel<OP><<<1, 1>>>(r->result);
    CHECK_LAUNCH(identity_kernel<OP>, 1, 1, 0);
    warp_shuffle_kernel<OP><<<grid, BLOCK>>>(r->n, r->x, r->result);
    CHECK_LAUNCH(warp_shuffle_kernel<OP>, grid, BLOCK, 0);
}
