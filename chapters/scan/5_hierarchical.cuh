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

/* ---- lanes, warps, blocks ------------------------------------------------ */

/** What stands before this lane in its warp; @p value becomes inclusive. */
template <operation OP>
__device__ float scan_warp(float *value)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int stride = 1; stride < 32; stride *= 2) {
        float other = __shfl_up_sync(ALL_LANES, *value, stride);
        if (lane >= stride)
            *value = combine<OP>(other, *value);
    }
    float before = __shfl_up_sync(ALL_LANES, *value, 1);
    return lane > 0 ? before : identity<OP>();
}

/** The values of all lanes as one, in all lanes. */
template <operation OP>
__device__ float reduce_warp(float value)
{
#pragma unroll
    for (int offset = 16; offset >= 1; offset /= 2)
        value = combine<OP>(value, __shfl_xor_sync(ALL_LANES, value, offset));
    return value;
}

/**
 * What stands before this warp in the block, of a value of each warp.
 *
 * @param[in,out] value  of this warp, in all lanes; becomes the block's
 */
template <operation OP>
__device__ float scan_block(float *value)
{
    __shared__ float sums[WARPS];
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (lane == 0)
        sums[warp] = *value;
    __syncthreads(); // a value of each warp, before all warps read them
    float sum = lane < WARPS ? sums[lane] : identity<OP>();
    float before = scan_warp<OP>(&sum);
    *value = __shfl_sync(ALL_LANES, sum, WARPS - 1);
    return __shfl_sync(ALL_LANES, before, warp);
}

/* ---- rows ---------------------------------------------------------------- */

/** The fours of a thread lie 32 apart: a warp's load is 512 bytes in a row. */
__device__ int first_of_thread()
{
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    return 4 * (warp * ROWS * 32 + lane);
}

/** Load x[0] to x[3], as far as @p left reaches; then come identities. */
template <operation OP>
__device__ float4 load_four(const float *x, int64_t left)
{
    if (left >= 4)
        return *(const float4 *)x;
    return make_float4(element<OP>(left, x, 0), element<OP>(left, x, 1),
                       element<OP>(left, x, 2), identity<OP>());
}

/** Load this thread's fours of a tile of @p left elements. */
template <operation OP>
__device__ void load_rows(int64_t left, const float *x, float4 v[ROWS])
{
    int first = first_of_thread();
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        v[r] = load_four<OP>(x + first + 128 * r, left - first - 128 * r);
}

/** Store v, or what of it is within @p left elements. */
__device__ void store_four(float *y, int64_t left, float4 v)
{
    if (left >= 4) {
        *(float4 *)y = v;
        return;
    }
    if (left > 0)
        y[0] = v.x;
    if (left > 1)
        y[1] = v.y;
    if (left > 2)
        y[2] = v.z;
}

/** The four of @p v as one. */
template <operation OP>
__device__ float combine_four(float4 v)
{
    return combine<OP>(combine<OP>(v.x, v.y), combine<OP>(v.z, v.w));
}

/**
 * Scan @p rows rows of 128 elements, a float4 of each in every lane.
 *
 * @param before  receives what stands before each of this lane's fours
 * @return all rows as one, in all lanes
 */
// [rows]
template <operation OP, int rows>
__device__ float scan_rows(const float4 v[rows], float before[rows])
{
    float carry = identity<OP>(); // of the rows before
#pragma unroll
    for (int r = 0; r < rows; r++) {
        float sum = combine_four<OP>(v[r]);
        before[r] = combine<OP>(carry, scan_warp<OP>(&sum));
        carry = combine<OP>(carry, __shfl_sync(ALL_LANES, sum, 31));
    }
    return carry;
}
// [rows]

/** The four results for @p v, with @p before in front of it. */
template <operation OP, scan_kind KIND>
__device__ float4 scan_four(float before, float4 v)
{
    float x = combine<OP>(before, v.x);
    float y = combine<OP>(x, v.y);
    float z = combine<OP>(y, v.z);
    return KIND == INCLUSIVE ? make_float4(x, y, z, combine<OP>(z, v.w))
                             : make_float4(before, x, y, z);
}

/** Store this thread's results; @p front stands before its warp. */
template <operation OP, scan_kind KIND>
__device__ void store_rows(int64_t left, float *y, float front,
                           const float4 v[ROWS], const float before[ROWS])
{
    int first = first_of_thread();
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        store_four(y + first + 128 * r, left - first - 128 * r,
                   scan_four<OP, KIND>(combine<OP>(front, before[r]), v[r]));
}

/* ---- the kernels --------------------------------------------------------- */

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
