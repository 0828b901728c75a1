/**
 * @file 5_coarsened.cuh
 * @brief Threads that add many elements each before the tree begins.
 *
 * Change: the grid is as large as the GPU, not as the input. A thread goes
 *         through x in steps as long as the grid, LOADS loads of 16 bytes at a
 *         time, and adds in a register; then its block has one tree.
 * Reason: barriers and atomics per block, not per section; and LOADS requests
 *         of 512 bytes are under way before a warp waits for the first.
 * Limit:  at small n there is little else than the tree: two launches, ten
 *         barriers, one atomic after the other.
 */

#ifndef THREADS
#define THREADS 512 /**< of a block, variants 5 to 7 */
#endif
#ifndef LOADS
#define LOADS 4 /**< 16-byte loads of a thread that are under way at a time */
#endif
#ifndef BLOCKS_PER_SM
#define BLOCKS_PER_SM 4 /**< at most; 4 blocks of 512 threads fill an SM */
#endif
#define TILE (THREADS * LOADS) /**< float4 that a block loads at a time */

static_assert((THREADS & (THREADS - 1)) == 0, "the tree halves the threads");

/** The four of @p v as one. */
template <operation OP>
__device__ float combine_four(float4 v)
{
    return combine<OP>(combine<OP>(v.x, v.y), combine<OP>(v.z, v.w));
}

/** What this thread makes of its share of x. */
template <operation OP>
__device__ float reduce_thread(int64_t n, const float *x)
{
    const float4 *fours = (const float4 *)x;
    const int64_t step = (int64_t)gridDim.x * TILE;
    const float none = identity<OP>();
    float value = none;
    for (int64_t first = (int64_t)blockIdx.x * TILE; first < n / 4;
         first += step) {
        int left = (int)min(n / 4 - first, (int64_t)TILE);
        // [loads]
        float4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) { // all are under way ...
            int i = k * THREADS + threadIdx.x;
            v[k] = i < left ? fours[first + i]
                            : make_float4(none, none, none, none);
        }
#pragma unroll
        for (int k = 0; k < LOADS; k++) // ... before the first is needed
            value = combine<OP>(value, combine_four<OP>(v[k]));
        // [loads]
    }
    // Up to three elements are left behind the last four.
    if (blockIdx.x == 0 && threadIdx.x < n % 4)
        value = combine<OP>(value, x[n - 1 - threadIdx.x]);
    return value;
}

/**
 * The grid reduces x, tile by tile.
 *
 * Launch: block THREADS, grid_of(n), after identity_kernel.
 */
template <operation OP>
__global__ void __launch_bounds__(THREADS)
    coarsened_kernel(int64_t n, const float *x, float *result)
{
    __shared__ float work[THREADS];
    int t = threadIdx.x;
    float value = reduce_thread<OP>(n, x);
    work[t] = value;
    __syncthreads(); // all shares are there before anybody combines them
    for (int stride = THREADS / 2; stride >= 1; stride /= 2) {
        if (t < stride) {
            value = combine<OP>(value, work[t + stride]);
            work[t] = value;
        }
        __syncthreads(); // this step's results before the next one's reads
    }
    if (t == 0)
        combine_atomically<OP>(result, value);
}

/** A block for each tile, but no more than the GPU has room for. */
static unsigned grid_of(int64_t n)
{
    int device, sms;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    int64_t tiles = (n / 4 + TILE - 1) / TILE;
    int64_t most = (int64_t)sms * BLOCKS_PER_SM;
    return (unsigned)(tiles < 1 ? 1 : tiles < most ? tiles : most);
}

template <operation OP>
static void launch_coarsened(const reduction *r)
{
    unsigned grid = grid_of(r->n);
    identity_kernel<OP><<<1, 1>>>(r->result);
    CHECK_LAUNCH(identity_kernel<OP>, 1, 1, 0);
    coarsened_kernel<OP><<<grid, THREADS>>>(r->n, r->x, r->result);
    CHECK_LAUNCH(coarsened_kernel<OP>, grid, THREADS, 0);
}
