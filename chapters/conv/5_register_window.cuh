/**
 * @file 5_register_window.cuh
 * @brief A thread slides down eight columns, with all it needs in registers.
 *
 * Change: no shared memory. A thread loads a row of pixels, adds it to the
 *         results of all the rows that it is a part of, and goes on to the next
 *         row; then one row of results is complete. The next row is on its
 *         way meanwhile.
 * Reason: a row is loaded once for side rows of results; eight neighbouring
 *         results share their pixels; a weight is an operand of the FFMA.
 * Limit:  DRAM for small filters, the FMA pipes for large ones.
 */

#ifndef THREADS
#define THREADS 64 /**< of a block, side by side */
#endif
#ifndef COLUMNS
#define COLUMNS 8 /**< of a thread; a multiple of 4 */
#endif

/** The weights, as a parameter of a kernel: these are constant memory, too. */
template <int RADIUS>
struct taps {
    float at[2 * RADIUS + 1][2 * RADIUS + 1];
};

/** Columns that are loaded on each side, 16 bytes at a time. */
template <int RADIUS>
constexpr int MARGIN = (RADIUS + 3) / 4 * 4;

/** Columns that a thread loads. */
template <int RADIUS>
constexpr int WINDOW = COLUMNS + 2 * MARGIN<RADIUS>;

/**
 * A row of pixels from column @p col - MARGIN on; 0 outside of the picture, and
 * from row @p bottom on. Four columns lie in a row, or behind its end,
 * together: behind the last column up to the pitch, a multiple of 4, there are
 * zeros.
 */
// [row]
template <int RADIUS>
__device__ void load_row(int bottom, int pitch, const float *x, int row,
                         int col, float *in)
{
    const float *x_row = x + (int64_t)row * pitch;
#pragma unroll
    for (int k = 0; k < WINDOW<RADIUS>; k += 4) {
        int at = col - MARGIN<RADIUS> + k;
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (row >= 0 && row < bottom && at >= 0 && at < pitch)
            v = *(const float4 *)&x_row[at];
        in[k] = v.x;
        in[k + 1] = v.y;
        in[k + 2] = v.z;
        in[k + 3] = v.w;
    }
}
// [row]

/** Store a row of results, 16 bytes at a time where four are in the picture. */
__device__ void store_row(int width, int pitch, float *y, int row, int col,
                          const float *sum)
{
    float *y_row = y + (int64_t)row * pitch;
#pragma unroll
    for (int k = 0; k < COLUMNS; k += 4) {
        int at = col + k;
        if (at + 3 < width)
            *(float4 *)&y_row[at] =
                make_float4(sum[k], sum[k + 1], sum[k + 2], sum[k + 3]);
        else
            for (int l = 0; l < 3; l++)
                if (at + l < width)
                    y_row[at + l] = sum[k + l];
    }
}

/**
 * One thread computes @p rows x COLUMNS results.
 *
 * Launch: block THREADS; blocks for the columns first, then for the rows.
 */
template <int RADIUS>
__global__ void __launch_bounds__(THREADS)
    register_window_kernel(int width, int height, int pitch, const float *x,
                           const taps<RADIUS> f, float *y, int rows)
{
    const int SIDE = 2 * RADIUS + 1;
    int across = ceil_div(width, THREADS * COLUMNS); // blocks
    int col = (blockIdx.x % across * THREADS + threadIdx.x) * COLUMNS;
    int first = blockIdx.x / across * rows;
    int end = min(first + rows, height);
    int bottom = min(end + RADIUS, height); // no pixels are needed from here on
    if (col >= width)
        return;
    // [window]
    float sum[SIDE][COLUMNS] = {}; // of the results row - RADIUS and further
    float next[WINDOW<RADIUS>], in[WINDOW<RADIUS>];
    load_row<RADIUS>(bottom, pitch, x, first - RADIUS, col, next);
    for (int row = first - RADIUS; row < end + RADIUS; row++) {
#pragma unroll
        for (int k = 0; k < WINDOW<RADIUS>; k++)
            in[k] = next[k];
        load_row<RADIUS>(bottom, pitch, x, row + 1, col, next);
#pragma unroll
        for (int s = 0; s < SIDE; s++) {
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                // The window moves by a row: sums begin with their neighbours'.
                float value = s < SIDE - 1 ? sum[s + 1][c] : 0.0f;
#pragma unroll
                for (int j = 0; j < SIDE; j++)
                    value += f.at[SIDE - 1 - s][j] *
                             in[MARGIN<RADIUS> - RADIUS + c + j];
                sum[s][c] = value;
            }
        }
        if (row - RADIUS >= first) // complete: it has had all its rows
            store_row(width, pitch, y, row - RADIUS, col, sum[0]);
    }
    // [window]
}

/**
 * Rows of a thread: so many that all blocks run at the same time, in one wave,
 * and end together. But the 2 * radius rows around them are loaded twice, so a
 * small picture has fewer blocks.
 */
static int rows_of_thread(const conv *c, const void *kernel, int blocks_across)
{
    int device, sms, per_sm;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel,
                                                             THREADS, 0));
    int bands = sms * per_sm / blocks_across;
    int rows = ceil_div((int)c->height, bands > 0 ? bands : 1);
    return rows > 8 * c->radius ? rows : 8 * c->radius;
}

template <int RADIUS>
static void launch_register_window(const conv *c)
{
    taps<RADIUS> f;
    memcpy(f.at, c->weights.at, sizeof(f.at));
    int across = ceil_div((int)c->width, THREADS * COLUMNS);
    int rows =
        rows_of_thread(c, (const void *)register_window_kernel<RADIUS>, across);
    unsigned grid =
        device_blocks((int64_t)across * ceil_div((int)c->height, rows), 1);
    register_window_kernel<RADIUS><<<grid, THREADS>>>(
        (int)c->width, (int)c->height, c->pitch, c->x, f, c->y, rows);
    CHECK_LAUNCH(register_window_kernel<RADIUS>, grid, THREADS, 0);
}

/** LAUNCH_BY_RADIUS(f, c) calls f<R>(c) for the radius R of the problem. */
#define LAUNCH_BY_RADIUS(launch, c)                                            \
    do {                                                                       \
        static void (*const by_radius[])(const conv *) = {                     \
            launch<1>, launch<2>, launch<3>, launch<4>,                        \
            launch<5>, launch<6>, launch<7>};                                  \
        by_radius[(c)->radius - 1](c);                                         \
    } while (0)

static void register_window(const void *problem)
{
    LAUNCH_BY_RADIUS(launch_register_window, (const conv *)problem);
}
