/**
 * @file 4_coarsened_contiguous.cuh
 * @brief As many blocks as the GPU holds; a thread counts many bytes.
 *
 * Change: the grid is as large as the GPU, not as the input. A thread counts a
 *         run of neighbouring bytes, as a thread of a CPU would.
 * Reason: 264 blocks add their bins to the result, however long the input is.
 * Limit:  the lanes of a warp are a run apart: each of their loads is a request
 *         for 32 sectors.
 * Uses:   clear_bins, merge_bins (3)
 */

/**
 * Thread t of all threads counts bytes t * run to (t + 1) * run - 1.
 *
 * Launch: block BLOCK, grid full_grid(h->n, BLOCK, PER_SM); counts are 0
 * before.
 */
template <int BINS>
__global__ void __launch_bounds__(BLOCK)
    coarsened_contiguous_kernel(int64_t n, const uint8_t *x, unsigned *counts)
{
    __shared__ unsigned bins[BINS];
    clear_bins<BINS>(bins);
    // [coarsened_contiguous]
    int64_t threads = (int64_t)gridDim.x * BLOCK;
    int64_t thread = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    int64_t run = (n + threads - 1) / threads;
    int64_t end = min((thread + 1) * run, n);
    for (int64_t i = thread * run; i < end; i++) {
        unsigned bin = bin_of<BINS>(x[i]);
        if (bin < BINS)
            atomicAdd(&bins[bin], 1);
    }
    // [coarsened_contiguous]
    merge_bins<BINS>(bins, counts);
}

template <int BINS>
static void launch_coarsened_contiguous(const histogram *h)
{
    unsigned grid = full_grid(h->n, BLOCK, PER_SM);
    coarsened_contiguous_kernel<BINS><<<grid, BLOCK>>>(h->n, h->x, h->counts);
    CHECK_LAUNCH(coarsened_contiguous_kernel<BINS>, grid, BLOCK, 0);
}
