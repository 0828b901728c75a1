/**
 * @file 4_cached_halo.cuh
 * @brief The tile without its halo, which comes from the caches.
 *
 * Change: shared memory holds what the block computes, and no more. A pixel of
 *         the halo is read where it is needed: a neighbour has just loaded it,
 *         so it is in the L2, or even in the L1.
 * Reason: no thread idles, tiles are 32 x 32 whatever the radius is.
 * Limit:  an address and a comparison for each product.
 */

/**
 * Launch: block (EDGE, EDGE), a tile of EDGE x EDGE pixels each.
 */
__global__ void cached_halo_kernel(int width, int height, int pitch,
                                   const float *x, int radius, float *y)
{
    __shared__ float tile[EDGE][EDGE];
    int across = ceil_div(width, EDGE); // tiles
    int row = blockIdx.x / across * EDGE + threadIdx.y;
    int col = blockIdx.x % across * EDGE + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = pixel(width, height, pitch, x, row, col);
    __syncthreads(); // nobody reads a pixel before all are there
    if (row >= height || col >= width)
        return;
    // [cached_halo]
    float sum = 0.0f;
    int side = 2 * radius + 1;
    for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
            int tile_row = threadIdx.y + i - radius;
            int tile_col = threadIdx.x + j - radius;
            bool here = tile_row >= 0 && tile_row < EDGE && tile_col >= 0 &&
                        tile_col < EDGE;
            float value = here ? tile[tile_row][tile_col]
                               : pixel(width, height, pitch, x,
                                       row + i - radius, col + j - radius);
            sum += constant_filter[i * side + j] * value;
        }
    }
    // [cached_halo]
    y[(int64_t)row * pitch + col] = sum;
}

static void cached_halo(const void *problem)
{
    const conv *c = (const conv *)problem;
    dim3 block(EDGE, EDGE);
    unsigned grid = tiles(c, EDGE);
    copy_filter(c);
    cached_halo_kernel<<<grid, block>>>((int)c->width, (int)c->height, c->pitch,
                                        c->x, c->radius, c->y);
    CHECK_LAUNCH(cached_halo_kernel, grid, block, 0);
}
