/**
 * @file 4_tile_swizzled.cuh
 * @brief A tile whose columns change places from row to row, without padding.
 *
 * Change: element (y, x) lies in column x ^ y of its row.
 * Reason: for one y and every x, and for one x and every y, x ^ y takes each of
 *         0 to 31 once: 1 wavefront by rows and by columns, in 4096 bytes.
 * Limit:  as many loads and stores as tile_padded, 4 bytes each.
 * Uses:   tile_origin, tile_grid (device.cuh)
 */

/**
 * A block moves a tile; one thread 4 elements.
 *
 * Launch: block TILE x ROWS, grid tile_grid().
 */
__global__ void swizzled_kernel(transposition t)
{
    __shared__ float tile[TILE][TILE];
    origin from = tile_origin(t.rows, TILE);
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        int64_t row = from.row + y, col = from.col + x;
        if (row < t.rows && col < t.cols)
            tile[y][x ^ y] = t.in[row * t.ld_in + col];
    }
    __syncthreads(); // the whole tile is there
    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        int64_t row = from.col + y, col = from.row + x; // of the output
        if (row < t.cols && col < t.rows)
            t.out[row * t.ld_out + col] = tile[x][y ^ x];
    }
}

static void tile_swizzled(const void *problem)
{
    transposition t = *(const transposition *)problem;
    dim3 grid = tile_grid(&t, TILE), block(TILE, ROWS);
    swizzled_kernel<<<grid, block>>>(t);
    CHECK_LAUNCH(swizzled_kernel, grid, block, 0);
}
