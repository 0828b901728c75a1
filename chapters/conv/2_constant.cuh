/**
 * @file 2_constant.cuh
 * @brief The filter in constant memory.
 *
 * Change: the weights lie in 64 KiB that a kernel can only read. They have a
 *         cache of their own, which hands a word to all lanes at once.
 * Reason: a pixel is all that is left to load: 2 operations for 4 bytes, 0.5
 *         operations a byte.
 * Limit:  each pixel is loaded side * side times.
 */

// [constant_memory]
__constant__ float constant_filter[MOST_SIDE * MOST_SIDE];
// [constant_memory]

/**
 * Launch: block (EDGE, EDGE), a tile of EDGE x EDGE pixels each.
 */
__global__ void constant_kernel(int width, int height, int pitch,
                                const float *x, int radius, float *y)
{
    int across = ceil_div(width, EDGE); // tiles
    int row = blockIdx.x / across * EDGE + threadIdx.y;
    int col = blockIdx.x % across * EDGE + threadIdx.x;
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    int side = 2 * radius + 1;
    for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
            int at_row = row + i - radius;
            int at_col = col + j - radius;
            if (at_row >= 0 && at_row < height && at_col >= 0 && at_col < width)
                sum += constant_filter[i * side + j] *
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

static void constant(const void *problem)
{
    const conv *c = (const conv *)problem;
    dim3 block(EDGE, EDGE);
    unsigned grid = tiles(c, EDGE);
    copy_filter(c);
    constant_kernel<<<grid, block>>>((int)c->width, (int)c->height, c->pitch,
                                     c->x, c->radius, c->y);
    CHECK_LAUNCH(constant_kernel, grid, block, 0);
}
