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

/**
 * A row of pixels from column @p col - MARGIN on; @p x points to its column @p
 * col. 0 outside of the picture, which @p inside says of the row. Four columns
 * lie in a row, or past its end, together: past the last column up to the
 * pitch, a multiple of 4, there are zeros.
 */
// [row]
template <int MARGIN, bool WHOLE>
__device__ void load_row(bool inside, int pitch, const float *x, int col,
                         float *in)
{
#pragma unroll
    for (int k = -MARGIN; k < COLUMNS + MARGIN; k += 4) {
        bool own = WHOLE && k >= 0 && k < COLUMNS; // surely in the row
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (inside && (own || (col + k >= 0 && col + k < pitch)))
            v = *(const float4 *)&x[k];
        in[MARGIN + k] = v.x;
        in[MARGIN + k + 1] = v.y;
        in[MARGIN + k + 2] = v.z;
        in[MARGIN + k + 3] = v.w;
    }
}
// [row]

/** Store @p left results of a row, 16 bytes at a time where there are four. */
template <bool WHOLE>
__device__ void store_row(int left, float *y, const float *sum)
{
#pragma unroll
    for (int k = 0; k < COLUMNS; k += 4) {
        if (WHOLE || k + 3 < left)
            *(float4 *)&y[k] =
                make_float4(sum[k], sum[k + 1], sum[k + 2], sum[k + 3]);
        else
            for (int l = 0; l < 3; l++)
                if (k + l < left)
                    y[k + l] = sum[k + l];
    }
}

/**
 * One thread computes @p rows x COLUMNS results.
 *
 * @p f knows by add_row(f, in, sum) what a row of pixels adds to the results of
 * 2 * RADIUS + 1 rows; in[0] is the pixel RADIUS to the left of the thread's
 * first column. It moves the sums up by a row as well.
 *
 * WHOLE: the width is a multiple of COLUMNS, so that no thread has fewer.
 */
template <int RADIUS, bool WHOLE, class WEIGHTS>
__device__ void slide(int width, int height, int pitch,
                      const float *__restrict__ x, WEIGHTS f,
                      float *__restrict__ y, int rows)
{
    const int SIDE = 2 * RADIUS + 1;
    const int MARGIN = (RADIUS + 3) / 4 * 4; // columns loaded on each side
    const int WIDE = COLUMNS + 2 * MARGIN;   // of a row as loaded
    int col = (blockIdx.x * THREADS + threadIdx.x) * COLUMNS;
    int first = blockIdx.y * rows;
    int end = min(first + rows, height);
    int bottom = min(end + RADIUS, height); // no pixels are needed from here on
    if (col >= width)
        return;
    float sum[SIDE][COLUMNS] = {}; // of the results row - RADIUS and further
    float next[WIDE], in[WIDE];
    int row = first - RADIUS;
    x += (int64_t)row * pitch + col;
    y += (int64_t)first * pitch + col;
    load_row<MARGIN, WHOLE>(row >= 0, pitch, x, col, next);
    // [window]
    for (; row < end + RADIUS; row++) {
#pragma unroll
        for (int k = 0; k < WIDE; k++)
            in[k] = next[k];
        x += pitch;
        bool there = row + 1 >= 0 && row + 1 < bottom;
        load_row<MARGIN, WHOLE>(there, pitch, x, col, next);
        add_row(f, in + MARGIN - RADIUS, sum);
        if (row - RADIUS >= first) { // complete: it has had all its rows
            store_row<WHOLE>(width - col, y, sum[0]);
            y += pitch;
        }
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
    int sms = device_attribute(cudaDevAttrMultiProcessorCount), per_sm;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel,
                                                             THREADS, 0));
    int across = ceil_div((int)c->width, THREADS * COLUMNS); // blocks
    int bands = sms * per_sm / across;
    int rows = ceil_div((int)c->height, bands > 0 ? bands : 1);
    return rows > 8 * c->radius ? rows : 8 * c->radius;
}

/** Blocks for bands of @p rows rows; they are few, see rows_of_thread(). */
static dim3 window_grid(const conv *c, int rows)
{
    return dim3(ceil_div((int)c->width, THREADS * COLUMNS),
                ceil_div((int)c->height, rows));
}
