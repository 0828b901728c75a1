/**
 * @file 4_cached_halo.cuh
 * @brief The tile without its halo, which comes from the caches.
 *
 * Change: shared memory holds what the block computes, and no more. A pixel of
 *         the halo is read where it is needed: a neighbour has just loaded it,
 *         so it is in the L2, or even in the L1.
 * Reason: no thread idles, tiles are 32 x 32 whatever the radius is.
 * Limit:  a comparison for each product, and lanes that part.
 * Uses:   pixel, tile_grid (device.cuh), constant_filter, copy_filter (2)
 */

/**
 * Launch: block (EDGE, EDGE), a tile of EDGE x EDGE pixels each.
 */
template <int RADIUS>
__global__ void cached_halo_kernel(int width, int height, int pitch,
                                   const float *x, float *y)
{
    const int SIDE = 2 * RADIUS + 1;
    __shared__ float tile[EDGE][EDGE];
    int row = blockIdx.y * EDGE + threadIdx.y;
    int col = blockIdx.x * EDGE + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = pixel(width, height, pitch, x, row, col);
    __syncthreads(); // nobody reads a pixel before all are there
    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            // [cached_halo]
            int tile_row = (int)threadIdx.y + i - RADIUS;
            int tile_col = (int)threadIdx.x + j - RADIUS;
            bool here = tile_row >= 0 && tile_row < EDGE && tile_col >= 0 &&
                        tile_col < EDGE;
            float value = here ? tile[tile_row][tile_col]
                               : pixel(width, height, pitch, x,
                                       row + i - RADIUS, col + j - RADIUS);
            sum += constant_filter[i * SIDE + j] * value;
            // [cached_halo]
        }
    }
    y[(int64_t)row * pitch + col] = sum;
}

template <int RADIUS>
static void launch_cached_halo(const conv *c)
{
    dim3 block(EDGE, EDGE), grid = tile_grid(c, EDGE);
    copy_filter(c);
    cached_halo_kernel<RADIUS>
        <<<grid, block>>>((int)c->width, (int)c->height, c->pitch, c->x, c->y);
    CHECK_LAUNCH(cached_halo_kernel<RADIUS>, grid, block, 0);
}
