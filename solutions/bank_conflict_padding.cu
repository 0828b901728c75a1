// Padding, the exercise: a tile of 16 rows and 64 columns.
#include "../chapters/bank_conflict_padding/host/problem.cuh"

#define HIGH 16     /**< rows of a tile of the input */
#define WIDE 64     /**< columns of it */
#define THREADS 256 /**< of a block, each moves 4 elements */

// [write 1] words from one row of the tile in shared memory to the next
#define PITCH (WIDE + 2)
//: #define PITCH WIDE
// [end]

/** Launch: block THREADS, grid (ceil(cols / WIDE), ceil(rows / HIGH)). */
__global__ void flat_kernel(transposition t)
{
    __shared__ float tile[HIGH][PITCH];
    int64_t first_row = (int64_t)blockIdx.y * HIGH;
    int64_t first_col = (int64_t)blockIdx.x * WIDE;
    for (int i = threadIdx.x; i < HIGH * WIDE; i += THREADS) {
        int64_t row = first_row + i / WIDE, col = first_col + i % WIDE;
        if (row < t.rows && col < t.cols)
            tile[i / WIDE][i % WIDE] = t.in[row * t.ld_in + col];
    }
    __syncthreads(); // the whole tile is there
    for (int i = threadIdx.x; i < HIGH * WIDE; i += THREADS) {
        // [write 4] element i of the transposed tile, which has WIDE rows
        // of HIGH: from the tile to its place in the output, if it has one
        int64_t row = first_col + i / HIGH, col = first_row + i % HIGH;
        if (row < t.cols && col < t.rows)
            t.out[row * t.ld_out + col] = tile[i % HIGH][i / HIGH];
        //: int64_t row = first_row + i / WIDE, col = first_col + i % WIDE;
        //: if (row < t.cols && col < t.rows)
        //:     t.out[row * t.ld_out + col] = tile[i / WIDE][i % WIDE];
        // [end]
    }
}

static void flat(const void *problem)
{
    transposition t = *(const transposition *)problem;
    dim3 grid((unsigned)((t.cols - 1) / WIDE + 1),
              (unsigned)((t.rows - 1) / HIGH + 1));
    REQUIRE(grid.y <= MAX_GRID_Y, "--rows %lld: at most %d", (long long)t.rows,
            MAX_GRID_Y * HIGH);
    flat_kernel<<<grid, THREADS>>>(t);
    CHECK_LAUNCH(flat_kernel, grid, THREADS, 0);
}

static const variant variants[] = {
    {"flat", "through a flat tile in shared memory", flat},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    return variants_main(&e, argc, argv);
}
