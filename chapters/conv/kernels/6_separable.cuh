/**
 * @file 6_separable.cuh
 * @brief A filter that is the product of a column and a row: along, then down.
 *
 * Change: each row of pixels is filtered along with `across` first; what comes
 *         of it, one number a column, goes down with `down`. Both passes are in
 *         one kernel: what is between them stays in registers.
 * Reason: 2 * SIDE products a result instead of SIDE * SIDE: 30, not 225.
 * Limit:  DRAM for small filters; for large ones neither DRAM nor arithmetic.
 * Uses:   slide, window_grid, rows_of_thread (window.cuh)
 */

/** The two factors of a filter. */
template <int RADIUS>
struct factors {
    float down[2 * RADIUS + 1];
    float across[2 * RADIUS + 1];
};

/** Filter a row of pixels along, then add it to the results below and above. */
template <int RADIUS>
__device__ void add_row(const factors<RADIUS> &f, const float *in,
                        float (*sum)[COLUMNS])
{
    const int SIDE = 2 * RADIUS + 1;
    // [separable]
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        float along = 0.0f; // the first pass
#pragma unroll
        for (int j = 0; j < SIDE; j++)
            along += f.across[j] * in[c + j];
#pragma unroll
        for (int s = 0; s < SIDE; s++) // the second pass
            sum[s][c] = (s < SIDE - 1 ? sum[s + 1][c] : 0.0f) +
                        f.down[SIDE - 1 - s] * along;
    }
    // [separable]
}

/**
 * Launch: block THREADS, grid window_grid().
 */
template <int RADIUS, bool WHOLE>
__global__ void __launch_bounds__(THREADS, 1)
    separable_kernel(int width, int height, int pitch, const float *x,
                     const factors<RADIUS> f, float *y, int rows)
{
    slide<RADIUS, WHOLE>(width, height, pitch, x, f, y, rows);
}

template <int RADIUS, bool WHOLE>
static void start_separable(const conv *c)
{
    factors<RADIUS> f;
    memcpy(f.down, c->weights.down, sizeof(f.down));
    memcpy(f.across, c->weights.across, sizeof(f.across));
    int rows = rows_of_thread(c, (const void *)separable_kernel<RADIUS, WHOLE>);
    dim3 grid = window_grid(c, rows);
    separable_kernel<RADIUS, WHOLE><<<grid, THREADS>>>(
        (int)c->width, (int)c->height, c->pitch, c->x, f, c->y, rows);
    CHECK_LAUNCH((separable_kernel<RADIUS, WHOLE>), grid, THREADS, 0);
}

template <int RADIUS>
static void launch_separable(const conv *c)
{
    if (c->width % COLUMNS == 0)
        start_separable<RADIUS, true>(c);
    else
        start_separable<RADIUS, false>(c);
}
