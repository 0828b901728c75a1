/**
 * @file 3_private_shared.cuh
 * @brief The copy of a block in shared memory.
 *
 * Change: the copy is an array in shared memory, which the block clears itself.
 * Reason: an atomic in shared memory never leaves the SM.
 * Limit:  each block counts 1024 bytes, and may then make 256 additions to the
 *         result: one for every four bytes.
 * Uses:   nothing
 */

/** A block clears its bins. */
template <int BINS>
__device__ void clear_bins(unsigned *bins)
{
    if (threadIdx.x < BINS)
        bins[threadIdx.x] = 0;
    __syncthreads(); // all bins are 0 before anybody counts
}

/** A block adds its bins to the result. */
template <int BINS>
__device__ void merge_bins(const unsigned *bins, unsigned *counts)
{
    __syncthreads(); // all have counted before the bins are read
    if (threadIdx.x < BINS && bins[threadIdx.x] > 0)
        atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

/**
 * One thread counts byte i, in the bins of its block.
 *
 * Launch: block BLOCK, grid ceil(n / BLOCK); counts are 0 before.
 */
// [private_shared]
template <int BINS>
__global__ void private_shared_kernel(int64_t n, const uint8_t *x,
                                      unsigned *counts)
{
    __shared__ unsigned bins[BINS];
    clear_bins<BINS>(bins);
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    unsigned bin = i < n ? bin_of<BINS>(x[i]) : BINS;
    if (bin < BINS)
        atomicAdd(&bins[bin], 1);
    merge_bins<BINS>(bins, counts);
}
// [private_shared]

template <int BINS>
static void launch_private_shared(const histogram *h)
{
    unsigned grid = device_blocks(h->n, BLOCK);
    private_shared_kernel<BINS><<<grid, BLOCK>>>(h->n, h->x, h->counts);
    CHECK_LAUNCH(private_shared_kernel<BINS>, grid, BLOCK, 0);
}
