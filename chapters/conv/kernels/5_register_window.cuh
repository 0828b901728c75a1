/**
 * @file 5_register_window.cuh
 * @brief A thread slides down eight columns, with all it needs in registers.
 *
 * Change: no shared memory. A thread loads a row of pixels, adds it to the
 *         results of all the rows that it is a part of, and goes on to the next
 *         row; then one row of results is complete. The next row is being
 *         loaded meanwhile.
 * Reason: a row is loaded once for SIDE rows of results; eight neighbouring
 *         results share their pixels; a weight is an operand of the FFMA.
 * Limit:  DRAM for small filters, the FMA pipes for large ones.
 * Uses:   slide, window_grid, rows_of_thread (window.cuh)
 */

#include "window.cuh"

/** The weights, as a parameter of a kernel: these are constant memory, too. */
template <int RADIUS>
struct weights {
    float at[2 * RADIUS + 1][2 * RADIUS + 1];
};

/** Add a row of pixels to the results of all rows that it is a part of. */
template <int RADIUS>
__device__ void add_row(const weights<RADIUS> &f, const float *in,
                        float (*sum)[COLUMNS])
{
    const int SIDE = 2 * RADIUS + 1;
    // [add_row]
#pragma unroll
    for (int s = 0; s < SIDE; s++) {
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            float value = s < SIDE - 1 ? sum[s + 1][c] : 0.0f; // a row up
#pragma unroll
            for (int j = 0; j < SIDE; j++)
                value += f.at[SIDE - 1 - s][j] * in[c + j];
            sum[s][c] = value;
        }
    }
    // [add_row]
}

/**
 * Bounds that ask for one block on an SM, no more, leave nvcc all registers:
 * with fewer it puts the loads of the next row after the arithmetic.
 *
 * Launch: block THREADS, grid window_grid().
 */
template <int RADIUS, bool WHOLE>
__global__ void __launch_bounds__(THREADS, 1)
    register_window_kernel(int width, int height, int pitch, const float *x,
                           const weights<RADIUS> f, float *y, int rows)
{
    slide<RADIUS, WHOLE>(width, height, pitch, x, f, y, rows);
}

template <int RADIUS, bool WHOLE>
static void start_register_window(const conv *c)
{
    weights<RADIUS> f;
    memcpy(f.at, c->weights.at, sizeof(f.at));
    int rows =
        rows_of_thread(c, (const void *)register_window_kernel<RADIUS, WHOLE>);
    dim3 grid = window_grid(c, rows);
    register_window_kernel<RADIUS, WHOLE><<<grid, THREADS>>>(
        (int)c->width, (int)c->height, c->pitch, c->x, f, c->y, rows);
    CHECK_LAUNCH((register_window_kernel<RADIUS, WHOLE>), grid, THREADS, 0);
}

template <int RADIUS>
static void launch_register_window(const conv *c)
{
    if (c->width % COLUMNS == 0)
        start_register_window<RADIUS, true>(c);
    else
        start_register_window<RADIUS, false>(c);
}
