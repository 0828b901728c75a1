// hunt of bank_conflict_padding
// Right for square matrices.
#include "../chapters/bank_conflict_padding/host/problem.cuh"

/** A block moves a tile. Launch: block TILE x ROWS, grid tile_grid(). */
__global__ void tall_kernel(transposition t)
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
        // [hunt]
        if (row < t.cols && col < t.rows)
            t.out[row * t.ld_out + col] = tile[x][y];
        //: if (row < t.rows && col < t.cols)
        //:     t.out[row * t.ld_out + col] = tile[x][y];
        // [end]
    }
}

static void tall(const void *problem)
{
    transposition t = *(const transposition *)problem;
    dim3 grid = tile_grid(&t, TILE), block(TILE, ROWS);
    tall_kernel<<<grid, block>>>(t);
    CHECK_LAUNCH(tall_kernel, grid, block, 0);
}

static const variant variants[] = {
    {"tall", "a word after each row of the tile", tall},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    return variants_main(&e, argc, argv);
}
