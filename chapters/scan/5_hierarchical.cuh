/**
 * @file 5_hierarchical.cuh
 * @brief Three kernels: sums of all tiles, a scan of the sums, then the tiles.
 *
 * Change: every block has a tile. The first kernel only sums, the second one
 *         scans the sums of all tiles, the third one scans each tile behind
 *         what stands before it. Within a tile, 16-byte loads and shuffles.
 * Reason: all SMs work. x is read twice and y written once: 3N words move.
 *         (Were the first kernel to scan and store, and the third one to add
 *         to what is there, it would be 4N.)
 * Limit:  memory: N words more than it takes to read x once and write y.
 */

#ifndef THREADS
#define THREADS 512 /**< of a block, variants 5 to 7 */
#endif
#ifndef ROWS
#define ROWS 8 /**< 16-byte loads of a thread, all under way at a time */
#endif
#define WARPS (THREADS / 32)      /**< of a block */
#define TILE (4 * ROWS * THREADS) /**< elements of a block's tile */
#define ALL_LANES 0xffffffffu     /**< mask of a shuffle of the whole warp */

static_assert(TILE >= MIN_TILE, "the arrays are made for MIN_TILE");
static_assert(WARPS <= 32, "a warp has a lane for each warp of the block");

#include "tile.cuh"

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
 * Block b scans tile b, behind all that stands before it.
 *
 * @param sums  an exclusive scan of what tile_sums_kernel found
 *
 * Launch: block THREADS, a block for each tile.
 */
// [hierarchical]
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(THREADS)
    tile_scan_kernel(int64_t n, const float *x, const float *sums, float *y)
{
    int64_t start = (int64_t)blockIdx.x * TILE;
    float4 v[ROWS];
    float before[ROWS];
    load_rows<OP>(n - start, x + start, v);
    float sum = scan_rows<OP, ROWS>(v, before);
    float front = combine<OP>(sums[blockIdx.x], scan_block<OP>(&sum));
    store_rows<OP, KIND>(n - start, y + start, front, v, before);
}
// [hierarchical]

template <operation OP, scan_kind KIND>
static void launch_hierarchical(const scan *s)
{
    unsigned tiles = device_blocks(s->n, TILE);
    tile_sums_kernel<OP><<<tiles, THREADS>>>(s->n, s->x, s->sums);
    CHECK_LAUNCH(tile_sums_kernel<OP>, tiles, THREADS, 0);
    three_phase_kernel<OP, EXCLUSIVE><<<1, BLOCK>>>(tiles, s->sums, s->sums);
    CHECK_LAUNCH((three_phase_kernel<OP, EXCLUSIVE>), 1, BLOCK, 0);
    tile_scan_kernel<OP, KIND><<<tiles, THREADS>>>(s->n, s->x, s->sums, s->y);
    CHECK_LAUNCH((tile_scan_kernel<OP, KIND>), tiles, THREADS, 0);
}
