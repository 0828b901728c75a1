/**
 * @file device.cuh
 * @brief Transposition: what the kernels share, the tile that a block moves.
 */

#define TILE 32 /**< rows and columns of a tile, variants 1 to 4 */
#define ROWS 8  /**< of threads in a block: a thread moves TILE / ROWS */

/** The first element of a tile of the input. */
typedef struct {
    int64_t row, col;
} origin;

/** Blocks for tiles of @p side x @p side. */
static inline dim3 tile_grid(const transposition *t, int side)
{
    int64_t tiles = ((t->rows - 1) / side + 1) * ((t->cols - 1) / side + 1);
    return dim3(device_blocks(tiles, 1));
}

/**
 * The tile of this block. Neighbouring blocks lie one below the other in the
 * input: they write the same rows of the output.
 */
static inline __device__ origin tile_origin(int64_t rows, int side)
{
    unsigned down = (unsigned)((rows - 1) / side + 1);
    return {(int64_t)(blockIdx.x % down) * side,
            (int64_t)(blockIdx.x / down) * side};
}
