/**
 * @file 5_vector.cuh
 * @brief Loads and stores of 16 bytes, and a tile large enough for them.
 *
 * Change: a thread loads and stores float4, in a tile of 64 x 64.
 * Reason: a quarter of the requests to global memory.
 * Limit:  DRAM.
 * Uses:   tile_origin, tile_grid (device.cuh)
 */

#ifndef SIDE
#define SIDE 64 /**< of the tile, a multiple of 32 */
#endif
#define THREADS (8 * SIDE) /**< of a block: 8 for each row of the tile */
#define PITCH (SIDE + 1)   /**< words from row to row: 1 bank */

/**
 * A block moves a tile; one thread SIDE / 32 float4.
 *
 * A warp has 4 rows of 8 float4 on both sides: whole lines of 128 bytes. In the
 * tile the words of a float4 go one by one: row r and float4 f meet bank
 * r + 4 f, and the next ones, different for each of the 32 lanes.
 *
 * __stwb stores as an assignment does, but always by one instruction: of a
 * float4 that is assigned nvcc may make four stores of 4 bytes.
 *
 * Launch: block THREADS, grid tile_grid().
 */
__global__ void __launch_bounds__(THREADS) vector_kernel(transposition t)
{
    __shared__ float tile[SIDE][PITCH];
    origin from = tile_origin(t.rows, SIDE);
    int lane_row = threadIdx.x / 8; // 8 lanes of a row, 128 bytes
    int four = threadIdx.x % 8 * 4; // the first of this thread's columns
    // [load]
    for (int i = 0; i < SIDE; i += 32) {
        int64_t row = from.row + lane_row, col = from.col + four + i;
        if (row < t.rows && col < t.cols) { // what follows is padding
            float4 x = *(const float4 *)&t.in[row * t.ld_in + col];
            tile[lane_row][four + i + 0] = x.x;
            tile[lane_row][four + i + 1] = x.y;
            tile[lane_row][four + i + 2] = x.z;
            tile[lane_row][four + i + 3] = x.w;
        }
    }
    // [load]
    __syncthreads(); // the whole tile is there
    for (int i = 0; i < SIDE; i += 32) {
        int64_t row = from.col + lane_row, col = from.row + four + i;
        if (row >= t.cols)
            break;
        float *out = &t.out[row * t.ld_out + col];
        if (col + 3 < t.rows)
            __stwb((float4 *)out, make_float4(tile[four + i + 0][lane_row],
                                              tile[four + i + 1][lane_row],
                                              tile[four + i + 2][lane_row],
                                              tile[four + i + 3][lane_row]));
        else
            for (int j = 0; col + j < t.rows; j++)
                out[j] = tile[four + i + j][lane_row];
    }
}

static void vector(const void *problem)
{
    transposition t = *(const transposition *)problem;
    dim3 grid = tile_grid(&t, SIDE);
    vector_kernel<<<grid, THREADS>>>(t);
    CHECK_LAUNCH(vector_kernel, grid, THREADS, 0);
}
