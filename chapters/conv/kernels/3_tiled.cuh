/**
 * @file 3_tiled.cuh
 * @brief A block loads its pixels once, with those around them: the halo.
 *
 * Change: as many threads as pixels that the block needs, EDGE x EDGE. Each
 *         loads one; those of the inside then compute one.
 * Reason: 5 x 5 weights: 28 x 28 results of 50 operations from 32 x 32 pixels
 *         of 4 bytes: 9.57 operations a byte of global memory.
 * Limit:  the halo is loaded by up to four blocks, and its threads idle after
 *         that.
 * Uses:   pixel, tile_grid (device.cuh), constant_filter, copy_filter (2)
 */

/**
 * Launch: block (EDGE, EDGE), a tile of EDGE - 2 * RADIUS results a side.
 */
template <int RADIUS>
__global__ void tiled_kernel(int width, int height, int pitch, const float *x,
                             float *y)
{
    const int SIDE = 2 * RADIUS + 1;
    const int INNER = EDGE - 2 * RADIUS; // edge of the results
    // [load]
    __shared__ float tile[EDGE][EDGE]; // with its halo
    int row = (int)(blockIdx.y * INNER + threadIdx.y) - RADIUS;
    int col = (int)(blockIdx.x * INNER + threadIdx.x) - RADIUS;
    tile[threadIdx.y][threadIdx.x] = pixel(width, height, pitch, x, row, col);
    __syncthreads(); // nobody reads a pixel before all are there
    // [load]

    // [compute]
    int tile_row = (int)threadIdx.y - RADIUS; // where its window begins
    int tile_col = (int)threadIdx.x - RADIUS;
    if (tile_row < 0 || tile_row >= INNER || tile_col < 0 || tile_col >= INNER)
        return; // a thread of the halo
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            sum += constant_filter[i * SIDE + j] *
                   tile[tile_row + i][tile_col + j];
    y[(int64_t)row * pitch + col] = sum;
    // [compute]
}

template <int RADIUS>
static void launch_tiled(const conv *c)
{
    dim3 block(EDGE, EDGE), grid = tile_grid(c, EDGE - 2 * RADIUS);
    copy_filter(c);
    tiled_kernel<RADIUS>
        <<<grid, block>>>((int)c->width, (int)c->height, c->pitch, c->x, c->y);
    CHECK_LAUNCH(tiled_kernel<RADIUS>, grid, block, 0);
}
