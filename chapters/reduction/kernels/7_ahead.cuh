/**
 * @file 7_ahead.cuh
 * @brief Several loads of a thread under way at a time.
 *
 * Change: a thread makes LOADS loads before it needs the first one.
 * Reason: it waits once for LOADS of them.
 * Limit:  the memory, where n is large. At small n there is little else than
 *         the tree: two launches, ten barriers, an atomic of each block.
 * Uses:   reduce_tree (4), combine_four, tail_of_four (6)
 */

#ifndef LOADS
#define LOADS 4 /**< 16-byte loads of a thread that are under way at a time */
#endif
#define TILE (LOADS * BLOCK) /**< fours that a block loads at a time */

/** What this thread makes of its share of x. */
template <operation OP>
__device__ float reduce_thread(int64_t n, const float *x)
{
    const float4 *fours = (const float4 *)x;
    const float none = identity<OP>();
    int64_t tile = (int64_t)blockIdx.x * TILE;
    float value = tail_of_four<OP>(n, x);
    // [ahead]
    for (; tile < n / 4; tile += (int64_t)gridDim.x * TILE) {
        int left = (int)min(n / 4 - tile, (int64_t)TILE);
        float4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) { // all are under way ...
            int i = k * BLOCK + threadIdx.x;
            v[k] = i < left ? fours[tile + i]
                            : make_float4(none, none, none, none);
        }
#pragma unroll
        for (int k = 0; k < LOADS; k++) // ... before the first is needed
            value = combine<OP>(value, combine_four<OP>(v[k]));
    }
    // [ahead]
    return value;
}

/**
 * The grid reduces x.
 *
 * Launch: block BLOCK, grid full_grid(n, 4 * TILE), after identity_kernel.
 */
template <operation OP>
__global__ void __launch_bounds__(BLOCK, PER_SM)
    ahead_kernel(int64_t n, const float *x, float *result)
{
    float value = reduce_tree<OP>(reduce_thread<OP>(n, x));
    if (threadIdx.x == 0)
        combine_atomically<OP>(result, value);
}

template <operation OP>
static void launch_ahead(const reduction *r)
{
    unsigned grid = full_grid(r->n, 4 * TILE);
    identity_kernel<OP><<<1, 1>>>(r->result);
    CHECK_LAUNCH(identity_kernel<OP>, 1, 1, 0);
    ahead_kernel<OP><<<grid, BLOCK>>>(r->n, r->x, r->result);
    CHECK_LAUNCH(ahead_kernel<OP>, grid, BLOCK, 0);
}
