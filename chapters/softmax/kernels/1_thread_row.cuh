/**
 * @file 1_thread_row.cuh
 * @brief A thread for each row.
 *
 * Change: none; these are the formula's three loops.
 * Limit:  the lanes of a warp are in 32 rows: what they ask for together lies
 *         in 32 places.
 * Uses:   nothing
 */

#define ROWS 128 /**< threads of a block, each with a row */

/**
 * Thread t of all threads computes row t.
 *
 * Launch: block ROWS, grid ceil(rows / ROWS).
 */
__global__ void __launch_bounds__(ROWS) thread_row_kernel(softmax s)
{
    int64_t row = (int64_t)blockIdx.x * ROWS + threadIdx.x;
    if (row >= s.rows)
        return;
    // [thread_row]
    const float *x = s.x + row * s.pitch;
    float *y = s.y + row * s.pitch;
    float most = -INFINITY, sum = 0.0f;
    for (int c = 0; c < s.cols; c++)
        most = fmaxf(most, x[c]);
    for (int c = 0; c < s.cols; c++)
        sum += expf(x[c] - most);
    for (int c = 0; c < s.cols; c++)
        y[c] = expf(x[c] - most) / sum;
    // [thread_row]
}

static void thread_row(const void *problem)
{
    const softmax *s = (const softmax *)problem;
    unsigned grid = device_blocks(s->rows, ROWS);
    thread_row_kernel<<<grid, ROWS>>>(*s);
    CHECK_LAUNCH(thread_row_kernel, grid, ROWS, 0);
}
