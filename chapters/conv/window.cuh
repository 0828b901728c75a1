/**
 * @file window.cuh
 * @brief A thread slides down eight columns with a window of rows in registers.
 *
 * What register_window and separable share: all but what a row of pixels adds
 * to the results, add_row().
 */

#ifndef THREADS
#define THREADS 64 /**< of a block, side by side */
#endif
#ifndef COLUMNS
#define COLUMNS 8 /**< of a thread; a multiple of 4 */
#endif

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
 * @p f knows by add_row(f, in, sum) what a row of pixels adds to the results of
 * 2 * RADIUS + 1 rows. It moves the sums up by a row as well.
 */
template <int RADIUS, class WEIGHTS>
__device__ void slide(int width, int height, int pitch, const float *x,
                      WEIGHTS f, float *y, int rows)
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
        add_row(f, in, sum);
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
static int rows_of_thread(const conv *c, const void *kernel)
{
    int device, sms, per_sm;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel,
                                                             THREADS, 0));
    int across = ceil_div((int)c->width, THREADS * COLUMNS); // blocks
    int bands = sms * per_sm / across;
    int rows = ceil_div((int)c->height, bands > 0 ? bands : 1);
    return rows > 8 * c->radius ? rows : 8 * c->radius;
}

/** Blocks for bands of @p rows rows, those for the columns first. */
static unsigned window_grid(const conv *c, int rows)
{
    int across = ceil_div((int)c->width, THREADS * COLUMNS);
    return device_blocks((int64_t)across * ceil_div((int)c->height, rows), 1);
}

/** LAUNCH_BY_RADIUS(f, c) calls f<R>(c) for the radius R of the problem. */
#define LAUNCH_BY_RADIUS(launch, c)                                            \
    do {                                                                       \
        static void (*const by_radius[])(const conv *) = {                     \
            launch<1>, launch<2>, launch<3>, launch<4>,                        \
            launch<5>, launch<6>, launch<7>};                                  \
        by_radius[(c)->radius - 1](c);                                         \
    } while (0)
