/**
 * @file 1_basic.cuh
 * @brief One thread a pixel: it reads the pixels around it, and the filter.
 *
 * Reason: nothing yet; but in 2 operations it asks for a pixel and a weight, 8
 *         bytes: 0.25 operations a byte.
 * Limit:  half of what it asks for is the same for all threads.
 */

/**
 * Launch: block (EDGE, EDGE), a tile of EDGE x EDGE pixels each.
 */
__global__ void basic_kernel(int width, int height, int pitch, const float *x,
                             int radius, const float *f, float *y)
{
    int across = ceil_div(width, EDGE); // tiles
    int row = blockIdx.x / across * EDGE + threadIdx.y;
    int col = blockIdx.x % across * EDGE + threadIdx.x;
    if (row >= height || col >= width)
        return;
    // [basic]
    float sum = 0.0f;
    int side = 2 * radius + 1;
    for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
            int at_row = row + i - radius;
            int at_col = col + j - radius;
            if (at_row >= 0 && at_row < height && at_col >= 0 && at_col < width)
                sum += f[i * side + j] * x[(int64_t)at_row * pitch + at_col];
        }
    }
    y[(int64_t)row * pitch + col] = sum;
    // [basic]
}

static void basic(const void *problem)
{
    const conv *c = (const conv *)problem;
    dim3 block(EDGE, EDGE);
    unsigned grid = tiles(c, EDGE);
    basic_kernel<<<grid, block>>>((int)c->width, (int)c->height, c->pitch, c->x,
                                  c->radius, c->f, c->y);
    CHECK_LAUNCH(basic_kernel, grid, block, 0);
}
