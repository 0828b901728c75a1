/**
 * @file 6_wide.cuh
 * @brief Sixteen bytes a load.
 *
 * Change: a thread loads a piece of 16 neighbouring bytes and counts them one
 *         after the other.
 * Reason: it waits once for 16 bytes, and the lanes of a warp still have
 *         neighbouring pieces: 512 bytes, all of each sector.
 * Limit:  an atomic for each byte. Where bytes differ, some meet in a bank.
 * Uses:   clear_bins, merge_bins (3)
 */

/** Count a byte in the bins of the block. */
template <int BINS>
__device__ void count_byte(unsigned *bins, unsigned byte)
{
    unsigned bin = bin_of<BINS>(byte);
    if (bin < BINS)
        atomicAdd(&bins[bin], 1);
}

/**
 * Up to 15 bytes are left after the last piece: thread t of block 0 has byte
 * tail_at(n), if that is below n.
 */
__device__ int64_t tail_at(int64_t n)
{
    return blockIdx.x == 0 ? n / 16 * 16 + threadIdx.x : n;
}

/**
 * Thread t of all threads counts pieces t, t + threads, t + 2 * threads, ...
 *
 * Launch: block BLOCK, grid full_grid(h->n, 16 * BLOCK, PER_SM); counts are 0
 * before.
 */
template <int BINS>
__global__ void __launch_bounds__(BLOCK, PER_SM)
    wide_kernel(int64_t n, const uint8_t *x, unsigned *counts)
{
    __shared__ unsigned bins[BINS];
    clear_bins<BINS>(bins);
    int64_t threads = (int64_t)gridDim.x * BLOCK;
    int64_t thread = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    // [wide]
    const uint4 *pieces = (const uint4 *)x;
    for (int64_t i = thread; i < n / 16; i += threads) {
        uint4 piece = pieces[i];
        const uint8_t *byte = (const uint8_t *)&piece;
#pragma unroll
        for (int j = 0; j < 16; j++)
            count_byte<BINS>(bins, byte[j]);
    }
    // [wide]
    if (tail_at(n) < n)
        count_byte<BINS>(bins, x[tail_at(n)]);
    merge_bins<BINS>(bins, counts);
}

template <int BINS>
static void launch_wide(const histogram *h)
{
    unsigned grid = full_grid(h->n, 16 * BLOCK, PER_SM);
    wide_kernel<BINS><<<grid, BLOCK>>>(h->n, h->x, h->counts);
    CHECK_LAUNCH(wide_kernel<BINS>, grid, BLOCK, 0);
}
