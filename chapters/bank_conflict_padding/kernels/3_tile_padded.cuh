/**
 * @file 3_tile_padded.cuh
 * @brief A tile whose rows are 33 words long: its columns meet every bank once.
 *
 * Change: one word of padding after each row.
 * Reason: two rows lie 33 words apart, so the words of a column lie in 32
 *         different banks: 1 wavefront instead of 32.
 * Limit:  128 bytes of shared memory that hold nothing, and no 16-byte access
 *         to a row: 33 words are no multiple of 16 bytes.
 * Uses:   tile_origin, tile_grid (device.cuh)
 */

/**
 * A block moves a tile; one thread 4 elements.
 *
 * Launch: block TILE x ROWS, grid tile_grid().
 */
__global__ void padded_kernel(transposition t)
{
    __shared__ float tile[TILE][TILE + 1];
    origin from = tile_origin(t.rows, TILE);
    int x = threadIdx.x;
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
}

static void tile_padded(const void *problem)
{
    transposition t = *(const transposition *)problem;
    dim3 grid = tile_grid(&t, TILE), block(TILE, ROWS);
    padded_kernel<<<grid, block>>>(t);
    CHECK_LAUNCH(padded_kernel, grid, block, 0);
}
