/**
 * @file 2_block_row.cuh
 * @brief A block for each row, in three passes.
 *
 * Change: the threads of a block share a row. Each has every BLOCK-th element;
 *         what all of them have found is combined by shuffles.
 * Reason: what a warp asks for is 128 bytes in a row, 4 sectors instead of 32.
 * Limit:  x is asked for three times: for the largest element, for the sum,
 *         for the result.
 * Uses:   block_max, block_sum (device.cuh)
 */

/**
 * A block computes a row.
 *
 * Launch: block BLOCK, a block a row.
 */
__global__ void __launch_bounds__(BLOCK) block_row_kernel(softmax s)
{
    const float *x = s.x + blockIdx.x * s.pitch;
    float *y = s.y + blockIdx.x * s.pitch;
    // [block_row]
    float most = -INFINITY, sum = 0.0f;
    for (int c = threadIdx.x; c < s.cols; c += BLOCK)
        most = fmaxf(most, x[c]);
    most = block_max(most);
    for (int c = threadIdx.x; c < s.cols; c += BLOCK)
        sum += expf(x[c] - most);
    sum = block_sum(sum);
    for (int c = threadIdx.x; c < s.cols; c += BLOCK)
        y[c] = expf(x[c] - most) / sum;
    // [block_row]
}

static void block_row(const void *problem)
{
    const softmax *s = (const softmax *)problem;
    unsigned grid = device_blocks(s->rows, 1);
    block_row_kernel<<<grid, BLOCK>>>(*s);
    CHECK_LAUNCH(block_row_kernel, grid, BLOCK, 0);
}
