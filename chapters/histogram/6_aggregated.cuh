/**
 * @file 6_aggregated.cuh
 * @brief A run of equal values is one addition.
 *
 * Change: a thread keeps the bin that it met last and how often in a row, and
 *         adds that number when another bin comes, and at the end.
 * Reason: where one value is frequent, as the blank in a text or the sky in a
 *         picture, runs are long and atomics few.
 * Limit:  without runs there are as many atomics as before, and a comparison
 *         and a branch for each byte besides.
 */

/**
 * Thread t of all threads counts bytes t, t + threads, t + 2 * threads, ...
 *
 * Launch: block BLOCK, grid full_grid(h->n, BLOCK, PER_SM); counts are 0
 * before.
 */
template <int BINS>
__global__ void __launch_bounds__(BLOCK)
    aggregated_kernel(int64_t n, const uint8_t *x, unsigned *counts)
{
    __shared__ unsigned bins[BINS];
    clear_bins<BINS>(bins);
    int64_t threads = (int64_t)gridDim.x * BLOCK;
    int64_t thread = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    // [aggregated]
    unsigned last = 0; // the bin of the run ...
    unsigned run = 0;  // ... and its length so far
    for (int64_t i = thread; i < n; i += threads) {
        unsigned bin = bin_of<BINS>(x[i]);
        if (bin >= BINS)
            continue;
        if (bin != last) {
            if (run > 0)
                atomicAdd(&bins[last], run);
            last = bin;
            run = 0;
        }
        run++;
    }
    if (run > 0)
        atomicAdd(&bins[last], run); // the last run has no successor
    // [aggregated]
    merge_bins<BINS>(bins, counts);
}

template <int BINS>
static void launch_aggregated(const histogram *h)
{
    unsigned grid = full_grid(h->n, BLOCK, PER_SM);
    aggregated_kernel<BINS><<<grid, BLOCK>>>(h->n, h->x, h->counts);
    CHECK_LAUNCH(aggregated_kernel<BINS>, grid, BLOCK, 0);
}
