/**
 * @file 3_tiled.cuh
 * @brief A block loads its pixels once, with those around them: the halo.
 *
 * Change: as many threads as pixels that the block needs, EDGE x EDGE. Each
 *         loads one; those of the inside then compute one.
 * Reason: 5 x 5 weights: 28 x 28 results of 50 operations from 32 x 32 pixels
 *         of 4 bytes: 9.57 operations a byte of global memory.
 * Limit:  the halo is loaded by up to four blocks, its threads idle then.
 */

/**
 * Launch: block (EDGE, EDGE), a tile of EDGE - 2 * radius results a side.
 */
__global__ void tiled_kernel(int width, int height, int pitch, const float *x,
                             int radius, float *y)
{
    __shared__ float tile[EDGE][EDGE];  // with its halo
    const int edge = EDGE - 2 * radius; // of the results
    int across = ceil_div(width, edge); // tiles
    // [tiled]
    int row = blockIdx.x / across * edge + threadIdx.y - radius;
    int col = blockIdx.x % across * edge + threadIdx.x - radius;
    tile[threadIdx.y][threadIdx.x] = pixel(width, height, pitch, x, row, col);
    __syncthreads(); // nobody reads a pixel before all are there

    int tile_row = threadIdx.y - radius; // where its window begins
    int tile_col = threadIdx.x - radius;
    if (tile_row < 0 || tile_row >= edge || tile_col < 0 || tile_col >= edge)
        return; // a thread of the halo
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    int side = 2 * radius + 1;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            sum += constant_filter[i * side + j] *
                   tile[tile_row + i][tile_col + j];
    y[(int64_t)row * pitch + col] = sum;
    // [tiled]
}

static void tiled(const void *problem)
{
    const conv *c = (const conv *)problem;
    dim3 block(EDGE, EDGE);
    unsigned grid = tiles(c, EDGE - 2 * c->radius);
    copy_filter(c);
    tiled_kernel<<<grid, block>>>((int)c->width, (int)c->height, c->pitch, c->x,
                                  c->radius, c->y);
    CHECK_LAUNCH(tiled_kernel, grid, block, 0);
}
