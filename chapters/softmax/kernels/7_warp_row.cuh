/**
 * @file 7_warp_row.cuh
 * @brief A warp for each row of up to 1,024 elements.
 *
 * Change: a row is a warp's, not a block's. The rest is as it was.
 * Reason: lanes meet in shuffles: no barrier, no shared memory, and no warp
 *         that waits for another.
 * Limit:  of a row of 33 elements a warp has most lanes idle.
 * Uses:   part, weight, warp_merge (3), fours.cuh
 */

#define WARP_THREADS 256 /**< of a block: eight rows */

/**
 * A warp computes a row.
 *
 * Launch: block WARP_THREADS, grid ceil(rows / warps of a block).
 */
template <int FOURS>
__global__ void __launch_bounds__(WARP_THREADS) warp_row_kernel(softmax s)
{
    // [warp_row]
    int lane = threadIdx.x % 32;
    int64_t row = ((int64_t)blockIdx.x * WARP_THREADS + threadIdx.x) / 32;
    if (row >= s.rows)
        return; // the whole warp
    cut_row r = cut(s, row);
    piece<FOURS> p;
    load_piece(r, lane, 32, &p);
    part mine = exp_piece(&p);
    part all = warp_merge(mine);
    store_piece(r, lane, 32, p, weight(mine.most, all.most) / all.sum);
    // [warp_row]
}

template <int FOURS>
static void launch_warp_row(const softmax *s)
{
    unsigned grid = device_blocks(s->rows, WARP_THREADS / 32);
    warp_row_kernel<FOURS><<<grid, WARP_THREADS>>>(*s);
    CHECK_LAUNCH(warp_row_kernel<FOURS>, grid, WARP_THREADS, 0);
}

static const char *warp_row_refuse(const void *problem)
{
    return most_fours((const softmax *)problem) > 32 * 8
               ? "a row does not fit into the registers of a warp"
               : NULL;
}

static void warp_row(const void *problem)
{
    const softmax *s = (const softmax *)problem;
    int fours = most_fours(s);
    if (fours <= 32)
        launch_warp_row<1>(s);
    else if (fours <= 64)
        launch_warp_row<2>(s);
    else if (fours <= 128)
        launch_warp_row<4>(s);
    else
        launch_warp_row<8>(s);
}
