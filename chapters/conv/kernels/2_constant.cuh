/**
 * @file 2_constant.cuh
 * @brief The filter in constant memory.
 *
 * Change: the weights lie in 64 KiB that a kernel can only read. They have a
 *         cache of their own, which hands a word to all lanes at once.
 * Reason: a pixel is all that is left to load: 2 operations for 4 bytes, 0.5
 *         operations a byte.
 * Limit:  each pixel is loaded SIDE * SIDE times.
 * Uses:   tile_grid (device.cuh)
 */

// [constant_memory]
__constant__ float constant_filter[MOST_SIDE * MOST_SIDE];
// [constant_memory]

/**
 * Launch: block (EDGE, EDGE), a tile of EDGE x EDGE pixels each.
 */
template <int RADIUS>
__global__ void constant_kernel(int width, int height, int pitch,
                                const float *x, float *y)
{
    const int SIDE = 2 * RADIUS + 1;
    int row = blockIdx.y * EDGE + threadIdx.y;
    int col = blockIdx.x * EDGE + threadIdx.x;
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            int at_row = row + i - RADIUS;
            int at_col = col + j - RADIUS;
            if (at_row >= 0 && at_row < height && at_col >= 0 && at_col < width)
                sum += constant_filter[i * SIDE + j] *
                       x[(int64_t)at_row * pitch + at_col];
        }
    }
    y[(int64_t)row * pitch + col] = sum;
}

/** Bring the filter there: a part of each run, so that its time counts. */
static void copy_filter(const conv *c)
{
    // [copy]
    size_t bytes = (size_t)(side(c) * side(c)) * sizeof(float);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_filter, c->f, bytes, 0,
                                       cudaMemcpyDeviceToDevice,
                                       cudaStreamPerThread));
    // [copy]
}

template <int RADIUS>
static void launch_constant(const conv *c)
{
    dim3 block(EDGE, EDGE), grid = tile_grid(c, EDGE);
    copy_filter(c);
    constant_kernel<RADIUS>
        <<<grid, block>>>((int)c->width, (int)c->height, c->pitch, c->x, c->y);
    CHECK_LAUNCH(constant_kernel<RADIUS>, grid, block, 0);
}
