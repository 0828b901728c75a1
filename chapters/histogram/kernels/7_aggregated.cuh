/**
 * @file 7_aggregated.cuh
 * @brief A run of equal values is one addition.
 *
 * Change: a thread keeps the bin that it met last and how often in a row. It
 *         adds that number when another bin comes, and at the end.
 * Reason: a thread's 16 bytes are neighbours. Where values come in runs, as
 *         the sky in a picture, most of its atomics are saved.
 * Limit:  a comparison and a branch for each byte. The hardware combines lanes
 *         that add 1 to one word, but not lanes that add a length: to count,
 *         wide is faster, on runs as well.
 * Uses:   clear_bins, merge_bins (3), count_byte, tail_at (6)
 */

/** A run of bytes in the same bin. */
typedef struct {
    unsigned bin;
    unsigned length;
} run;

/** One byte more. Another bin: the run before is added, a new one begins. */
// [extend]
template <int BINS>
__device__ void extend(run *r, unsigned *bins, unsigned byte)
{
    unsigned bin = bin_of<BINS>(byte);
    if (bin != r->bin) {
        if (r->bin < BINS)
            atomicAdd(&bins[r->bin], r->length);
        r->bin = bin;
        r->length = 0;
    }
    r->length++;
}
// [extend]

/**
 * Thread t of all threads counts pieces t, t + threads, t + 2 * threads, ...
 *
 * Launch: block BLOCK, grid full_grid(h->n, 16 * BLOCK, PER_SM); counts are 0
 * before.
 */
template <int BINS>
__global__ void __launch_bounds__(BLOCK, PER_SM)
    aggregated_kernel(int64_t n, const uint8_t *x, unsigned *counts)
{
    __shared__ unsigned bins[BINS];
    clear_bins<BINS>(bins);
    int64_t threads = (int64_t)gridDim.x * BLOCK;
    int64_t thread = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    // [aggregated]
    const uint4 *pieces = (const uint4 *)x;
    run r = {BINS, 0}; // of no bin yet
    for (int64_t i = thread; i < n / 16; i += threads) {
        uint4 piece = pieces[i];
        const uint8_t *byte = (const uint8_t *)&piece;
#pragma unroll
        for (int j = 0; j < 16; j++)
            extend<BINS>(&r, bins, byte[j]);
    }
    if (r.bin < BINS)
        atomicAdd(&bins[r.bin], r.length); // the last run has no successor
    // [aggregated]
    if (tail_at(n) < n)
        count_byte<BINS>(bins, x[tail_at(n)]);
    merge_bins<BINS>(bins, counts);
}

template <int BINS>
static void launch_aggregated(const histogram *h)
{
    unsigned grid = full_grid(h->n, 16 * BLOCK, PER_SM);
    aggregated_kernel<BINS><<<grid, BLOCK>>>(h->n, h->x, h->counts);
    CHECK_LAUNCH(aggregated_kernel<BINS>, grid, BLOCK, 0);
}
