/**
 * @file 2_tile.cuh
 * @brief Transpose through a tile in shared memory: both sides are coalesced.
 *
 * Change: rows go into a tile, columns of the tile come out as rows.
 * Reason: 4 sectors a request on both sides instead of 4 and 32.
 * Limit:  a column of the tile is 32 words of one bank: 32 wavefronts.
 * Uses:   tile_origin, tile_grid (device.cuh)
 */

/**
 * A block moves a tile; one thread 4 elements.
 *
 * Launch: block TILE x ROWS, grid tile_grid().
 */
__global__ void tile_kernel(transposition t)
{
    __shared__ float tile[TILE][TILE];
    origin from = tile_origin(t.rows, TILE);
    int x = threadIdx.x;
    // [tile]
    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        int64_t row = from.row + y, col = from.col + x;
        if (row < t.rows && col < t.cols)
            tile[y][x] = t.in[row * t.ld_in + col];
    }
    __syncthreads(); // the whole tile is there
    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        int64_t row = from.col + y, col = from.row + x; // of the output
        if (row < t.cols && col < t.rows)
            t.out[row * t.ld_out + col] = tile[x][y];
    }
    // [tile]
}

static void tile(const void *problem)
{
    transposition t = *(const transposition *)problem;
    dim3 grid = tile_grid(&t, TILE), block(TILE, ROWS);
    tile_kernel<<<grid, block>>>(t);
    CHECK_LAUNCH(tile_kernel, grid, block, 0);
}
