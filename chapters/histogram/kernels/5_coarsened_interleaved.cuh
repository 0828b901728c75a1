/**
 * @file 5_coarsened_interleaved.cuh
 * @brief The bytes are dealt to the threads like cards.
 *
 * Change: a thread counts every 270,336th byte, not a run of neighbours.
 * Reason: in every round the lanes of a warp have 32 neighbouring bytes: one
 *         sector instead of 32.
 * Limit:  a request brings 32 bytes, and the warp waits for them before it
 *         counts them.
 * Uses:   clear_bins, merge_bins (3)
 */

/**
 * Thread t of all threads counts bytes t, t + threads, t + 2 * threads, ...
 *
 * Launch: block BLOCK, grid full_grid(h->n, BLOCK, PER_SM); counts are 0
 * before.
 */
template <int BINS>
__global__ void __launch_bounds__(BLOCK)
    coarsened_interleaved_kernel(int64_t n, const uint8_t *x, unsigned *counts)
{
    __shared__ unsigned bins[BINS];
    clear_bins<BINS>(bins);
    // [coarsened_interleaved]
    int64_t threads = (int64_t)gridDim.x * BLOCK;
    int64_t thread = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    for (int64_t i = thread; i < n; i += threads) {
        unsigned bin = bin_of<BINS>(x[i]);
        if (bin < BINS)
            atomicAdd(&bins[bin], 1);
    }
    // [coarsened_interleaved]
    merge_bins<BINS>(bins, counts);
}

template <int BINS>
static void launch_coarsened_interleaved(const histogram *h)
{
    unsigned grid = full_grid(h->n, BLOCK, PER_SM);
    coarsened_interleaved_kernel<BINS><<<grid, BLOCK>>>(h->n, h->x, h->counts);
    CHECK_LAUNCH(coarsened_interleaved_kernel<BINS>, grid, BLOCK, 0);
}
