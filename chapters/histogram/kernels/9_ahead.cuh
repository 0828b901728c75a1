/**
 * @file 9_ahead.cuh
 * @brief Pieces that are under way while others are counted.
 *
 * Change: a thread has LOADS pieces in registers. Before it counts one it asks
 *         for the piece that will take its place.
 * Reason: while it counts 16 bytes, the next 64 are under way. The first ones
 *         travel while the table is cleared.
 * Limit:  the memory itself.
 * Uses:   tail_at (6); row, clear_table, count_piece, merge_table (8)
 */

#ifndef LOADS
#define LOADS 4 /**< 16-byte loads of a thread that are under way at a time */
#endif

/** Piece i, or zeros past the end. */
__device__ uint4 load_piece(const uint4 *pieces, int i, int count)
{
    return i < count ? pieces[i] : make_uint4(0, 0, 0, 0);
}

/** As bank_private_kernel, which says how it is launched. */
template <int BINS>
__global__ void __launch_bounds__(BLOCK)
    ahead_kernel(int64_t n, const uint8_t *x, unsigned *counts)
{
    __shared__ row table[BYTE_BINS];
    const uint4 *pieces = (const uint4 *)x;
    int count = (int)(n / 16); // less than 2^28, since n is below 2^32
    int threads = gridDim.x * BLOCK;
    int i = blockIdx.x * BLOCK + threadIdx.x;
    uint4 ahead[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        ahead[k] = load_piece(pieces, i + k * threads, count);
    clear_table(table);
    // [ahead]
    for (; i < count; i += LOADS * threads) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            uint4 now = ahead[k];
            ahead[k] = load_piece(pieces, i + (k + LOADS) * threads, count);
            if (i + k * threads < count)
                count_piece(table, now);
        }
    }
    // [ahead]
    if (tail_at(n) < n)
        atomicAdd(&table[x[tail_at(n)]][threadIdx.x % COLUMNS], 1);
    merge_table<BINS>(table, counts);
}

template <int BINS>
static void launch_ahead(const histogram *h)
{
    unsigned grid = full_grid(h->n, 16 * BLOCK, 1);
    ahead_kernel<BINS><<<grid, BLOCK>>>(h->n, h->x, h->counts);
    CHECK_LAUNCH(ahead_kernel<BINS>, grid, BLOCK, 0);
}
