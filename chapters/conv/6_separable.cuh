/**
 * @file 6_separable.cuh
 * @brief A filter that is the product of a column and a row: along, then down.
 *
 * Change: each row of pixels is filtered along with `across` first; what comes
 *         of it, one number a column, goes down with `down`. Both passes are in
 *         one kernel: what is between them stays in registers.
 * Reason: 2 * side products a result instead of side * side: 30, not 225.
 * Limit:  DRAM, at every radius.
 */

/** The two factors of a filter. */
template <int RADIUS>
struct factors {
    float down[2 * RADIUS + 1];
    float across[2 * RADIUS + 1];
};

/**
 * One thread computes @p rows x COLUMNS results.
 *
 * Launch: block THREADS; blocks for the columns first, then for the rows.
 */
template <int RADIUS>
__global__ void __launch_bounds__(THREADS)
    separable_kernel(int width, int height, int pitch, const float *x,
                     const factors<RADIUS> f, float *y, int rows)
{
    const int SIDE = 2 * RADIUS + 1;
    int across = ceil_div(width, THREADS * COLUMNS); // blocks
    int col = (blockIdx.x % across * THREADS + threadIdx.x) * COLUMNS;
    int first = blockIdx.x / across * rows;
    int end = min(first + rows, height);
    int bottom = min(end + RADIUS, height); // no pixels are needed from here on
    if (col >= width)
        return;
    float sum[SIDE][COLUMNS] = {}; // of the results row - RADIUS and further
    float next[WINDOW<RADIUS>], in[WINDOW<RADIUS>];
    load_row<RADIUS>(bottom, pitch, x, first - RADIUS, col, next);
    for (int row = first - RADIUS; row < end + RADIUS; row++) {
#pragma unroll
        for (int k = 0; k < WINDOW<RADIUS>; k++)
            in[k] = next[k];
        load_row<RADIUS>(bottom, pitch, x, row + 1, col, next);
        // [separable]
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            float along = 0.0f; // the first pass
#pragma unroll
            for (int j = 0; j < SIDE; j++)
                along += f.across[j] * in[MARGIN<RADIUS> - RADIUS + c + j];
#pragma unroll
            for (int s = 0; s < SIDE; s++) // the second pass
                sum[s][c] = (s < SIDE - 1 ? sum[s + 1][c] : 0.0f) +
                            f.down[SIDE - 1 - s] * along;
        }
        // [separable]
        if (row - RADIUS >= first) // complete: it has had all its rows
            store_row(width, pitch, y, row - RADIUS, col, sum[0]);
    }
}

template <int RADIUS>
static void launch_separable(const conv *c)
{
    factors<RADIUS> f;
    memcpy(f.down, c->weights.down, sizeof(f.down));
    memcpy(f.across, c->weights.across, sizeof(f.across));
    int across = ceil_div((int)c->width, THREADS * COLUMNS);
    int rows =
        rows_of_thread(c, (const void *)separable_kernel<RADIUS>, across);
    unsigned grid =
        device_blocks((int64_t)across * ceil_div((int)c->height, rows), 1);
    separable_kernel<RADIUS><<<grid, THREADS>>>((int)c->width, (int)c->height,
                                                c->pitch, c->x, f, c->y, rows);
    CHECK_LAUNCH(separable_kernel<RADIUS>, grid, THREADS, 0);
}

static void separable(const void *problem)
{
    LAUNCH_BY_RADIUS(launch_separable, (const conv *)problem);
}
