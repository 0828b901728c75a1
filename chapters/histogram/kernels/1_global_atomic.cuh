/**
 * @file 1_global_atomic.cuh
 * @brief A thread for each byte, an atomic addition for each thread.
 *
 * Change: none; this is the loop "counts[x[i]]++" with a thread for each i.
 * Limit:  all threads of the GPU add to the same few words of memory, and the
 *         additions to one word happen one after the other.
 * Uses:   nothing
 */

/**
 * One thread counts byte i.
 *
 * Launch: block BLOCK, grid ceil(n / BLOCK); counts are 0 before.
 */
// [global_atomic]
template <int BINS>
__global__ void global_atomic_kernel(int64_t n, const uint8_t *x,
                                     unsigned *counts)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    unsigned bin = i < n ? bin_of<BINS>(x[i]) : BINS;
    if (bin < BINS)
        atomicAdd(&counts[bin], 1);
}
// [global_atomic]

template <int BINS>
static void launch_global_atomic(const histogram *h)
{
    unsigned grid = device_blocks(h->n, BLOCK);
    global_atomic_kernel<BINS><<<grid, BLOCK>>>(h->n, h->x, h->counts);
    CHECK_LAUNCH(global_atomic_kernel<BINS>, grid, BLOCK, 0);
}
