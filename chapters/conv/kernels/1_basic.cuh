/**
 * @file 1_basic.cuh
 * @brief One thread a pixel: it reads the pixels around it, and the filter.
 *
 * Reason: the formula, and nothing else. For 2 operations it asks for a pixel
 *         and a weight, 8 bytes: 0.25 operations a byte.
 * Limit:  half of what it asks for is the same for all threads.
 * Uses:   tile_grid (device.cuh)
 */

/**
 * Launch: block (EDGE, EDGE), a tile of EDGE x EDGE pixels each.
 */
template <int RADIUS>
__global__ void basic_kernel(int width, int height, int pitch, const float *x,
                             const float *f, float *y)
{
    const int SIDE = 2 * RADIUS + 1;
    int row = blockIdx.y * EDGE + threadIdx.y;
    int col = blockIdx.x * EDGE + threadIdx.x;
    if (row >= height || col >= width)
        return;
    // [basic]
    float sum = 0.0f;
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            int at_row = row + i - RADIUS;
            int at_col = col + j - RADIUS;
            if (at_row >= 0 && at_row < height && at_col >= 0 && at_col < width)
                sum += f[i * SIDE + j] * x[(int64_t)at_row * pitch + at_col];
        }
    }
    y[(int64_t)row * pitch + col] = sum;
    // [basic]
}

template <int RADIUS>
static void launch_basic(const conv *c)
{
    dim3 block(EDGE, EDGE), grid = tile_grid(c, EDGE);
    basic_kernel<RADIUS><<<grid, block>>>((int)c->width, (int)c->height,
                                          c->pitch, c->x, c->f, c->y);
    CHECK_LAUNCH(basic_kernel<RADIUS>, grid, block, 0);
}
