/**
 * @file 2_private_global.cuh
 * @brief A copy of the bins for each block, in global memory.
 *
 * Change: a block counts in a copy of its own, which it adds to the result when
 *         all of its threads are done.
 * Reason: 1024 threads share a word, not millions. The result gets one addition
 *         for each bin that a block has met, not one for each byte.
 * Limit:  an atomic in global memory happens in the L2 cache, far from the SM.
 * Uses:   nothing
 */

/**
 * One thread counts byte i, in copy blockIdx.x.
 *
 * @param copies  [gridDim.x x BINS], all 0
 *
 * Launch: block BLOCK, grid ceil(n / BLOCK); counts are 0 before.
 */
// [private_global]
template <int BINS>
__global__ void private_global_kernel(int64_t n, const uint8_t *x,
                                      unsigned *copies, unsigned *counts)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    unsigned *copy = copies + (int64_t)blockIdx.x * BINS;
    unsigned bin = i < n ? bin_of<BINS>(x[i]) : BINS;
    if (bin < BINS)
        atomicAdd(&copy[bin], 1);
    __syncthreads(); // all have counted before the copy is read
    if (threadIdx.x < BINS && copy[threadIdx.x] > 0)
        atomicAdd(&counts[threadIdx.x], copy[threadIdx.x]);
}
// [private_global]

template <int BINS>
static void launch_private_global(const histogram *h)
{
    unsigned grid = device_blocks(h->n, BLOCK);
    CUDA_CHECK(cudaMemsetAsync(h->copies, 0,
                               (size_t)grid * BINS * sizeof(unsigned),
                               cudaStreamPerThread));
    private_global_kernel<BINS>
        <<<grid, BLOCK>>>(h->n, h->x, h->copies, h->counts);
    CHECK_LAUNCH(private_global_kernel<BINS>, grid, BLOCK, 0);
}
