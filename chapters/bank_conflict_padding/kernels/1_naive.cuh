/**
 * @file 1_naive.cuh
 * @brief Transpose straight from row to column: the stores are not coalesced.
 *
 * Reason: a warp reads 32 neighbours, 4 sectors, and writes each into a row of
 *         its own: 32 sectors of 32 bytes for 128 bytes.
 * Limit:  those sectors. Whichever way the threads lie, one side is a column.
 * Uses:   tile_origin, tile_grid (device.cuh)
 */

/**
 * One thread moves 4 elements of a column.
 *
 * Launch: block TILE x ROWS, grid tile_grid().
 */
// [naive]
__global__ void naive_kernel(transposition t)
{
    origin tile = tile_origin(t.rows, TILE);
    int64_t col = tile.col + threadIdx.x;
    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        int64_t row = tile.row + y;
        if (row < t.rows && col < t.cols)
            t.out[col * t.ld_out + row] = t.in[row * t.ld_in + col];
    }
}
// [naive]

static void naive(const void *problem)
{
    transposition t = *(const transposition *)problem;
    dim3 grid = tile_grid(&t, TILE), block(TILE, ROWS);
    naive_kernel<<<grid, block>>>(t);
    CHECK_LAUNCH(naive_kernel, grid, block, 0);
}
