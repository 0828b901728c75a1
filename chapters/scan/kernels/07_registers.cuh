/**
 * @file 07_registers.cuh
 * @brief The same three kernels; a block's tile stays in registers.
 *
 * Change: a thread's elements do not go to shared memory. They are what it
 *         loads: ROWS times 16 bytes, four neighbours each. A warp scans a row
 *         of 4 x 32 elements after the other (rows.cuh).
 * Reason: no word is stored in shared memory and loaded again; and each thread
 *         has ROWS loads of 16 bytes under way at a time.
 * Limit:  memory: N words more than it takes to read x once and write y.
 * Uses:   scan_warp, reduce_warp, scan_block (6), three_phase (4)
 */

#ifndef THREADS
#define THREADS 512 /**< of a block, variants 7 to 9 */
#endif
#ifndef ROWS
#define ROWS 8 /**< 16-byte loads of a thread, all under way at a time */
#endif
#define TILE (4 * ROWS * THREADS) /**< elements of a block's tile */

static_assert(TILE >= MIN_TILE, "the arrays are made for MIN_TILE");
static_assert(THREADS <= 1024, "a warp has a lane for each warp of the block");

#include "rows.cuh"

/** Block b sums tile b. Launch: block THREADS, a block for each tile. */
template <operation OP>
__global__ void __launch_bounds__(THREADS)
    tile_sums_kernel(int64_t n, const float *x, float *sums)
{
    int64_t start = (int64_t)blockIdx.x * TILE;
    float4 v[ROWS];
    load_rows<OP>(n - start, x + start, v);
    float sum = identity<OP>();
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        sum = combine<OP>(sum, combine_four<OP>(v[r]));
    sum = reduce_warp<OP>(sum);
    scan_block<OP>(&sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

/**
 * Block b scans tile b, after all that stands before it.
 *
 * @param sums  an exclusive scan of what tile_sums_kernel found
 *
 * Launch: block THREADS, a block for each tile.
 */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(THREADS)
    tile_scan_kernel(int64_t n, const float *x, const float *sums, float *y)
{
    // [registers]
    int64_t start = (int64_t)blockIdx.x * TILE;
    float4 v[ROWS];
    float before[ROWS];
    load_rows<OP>(n - start, x + start, v);
    float sum = scan_rows<OP, ROWS>(v, before);
    float front = combine<OP>(sums[blockIdx.x], scan_block<OP>(&sum));
    store_rows<OP, KIND>(n - start, y + start, front, v, before);
    // [registers]
}

template <operation OP, scan_kind KIND>
static void launch_registers(const scan *s)
{
    unsigned tiles = device_blocks(s->n, TILE);
    tile_sums_kernel<OP><<<tiles, THREADS>>>(s->n, s->x, s->sums);
    CHECK_LAUNCH(tile_sums_kernel<OP>, tiles, THREADS, 0);
    three_phase_kernel<OP, EXCLUSIVE><<<1, BLOCK>>>(tiles, s->sums, s->sums);
    CHECK_LAUNCH((three_phase_kernel<OP, EXCLUSIVE>), 1, BLOCK, 0);
    tile_scan_kernel<OP, KIND><<<tiles, THREADS>>>(s->n, s->x, s->sums, s->y);
    CHECK_LAUNCH((tile_scan_kernel<OP, KIND>), tiles, THREADS, 0);
}
