// hunt of conv
// A fine line along some of the tiles, in some of the pictures.
#include "../chapters/conv/problem.cuh"

#define TILE (EDGE + 2 * MOST_RADIUS) /**< edge of a tile with its halo */

__constant__ float weight[MOST_SIDE * MOST_SIDE];

/** Launch: block (EDGE, EDGE), a tile of EDGE x EDGE pixels each. */
__global__ void seams_kernel(int width, int height, int pitch, const float *x,
                             int radius, float *y)
{
    __shared__ float tile[TILE][TILE];
    int across = ceil_div(width, EDGE); // tiles
    int row = blockIdx.x / across * EDGE + threadIdx.y;
    int col = blockIdx.x % across * EDGE + threadIdx.x;
    int tile_row = threadIdx.y + radius, tile_col = threadIdx.x + radius;

    // Its own pixel; the first ones also bring what is around the block.
    tile[tile_row][tile_col] = pixel(width, height, pitch, x, row, col);
    // [hunt]
    //: __syncthreads(); // nobody reads a pixel before all are there
    // [end]
    for (int i = -1; i <= 1; i++) {
        for (int j = -1; j <= 1; j++) { // one of the eight blocks around
            int down = i < 0 ? -radius : i * EDGE;
            int right = j < 0 ? -radius : j * EDGE;
            bool mine = (i == 0 || (int)threadIdx.y < radius) &&
                        (j == 0 || (int)threadIdx.x < radius);
            if (mine && (i != 0 || j != 0))
                tile[tile_row + down][tile_col + right] =
                    pixel(width, height, pitch, x, row + down, col + right);
        }
    }
    // [hunt]
    __syncthreads(); // nobody reads a pixel before all are there
    // [end]

    if (row >= height || col >= width)
        return;
    float sum = 0.0f;
    int side = 2 * radius + 1;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            sum +=
                weight[i * side + j] * tile[threadIdx.y + i][threadIdx.x + j];
    y[(int64_t)row * pitch + col] = sum;
}

static void seams(const void *problem)
{
    const conv *c = (const conv *)problem;
    dim3 block(EDGE, EDGE);
    unsigned grid = tiles(c, EDGE);
    size_t bytes = (size_t)(side(c) * side(c)) * sizeof(float);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(
        weight, c->f, bytes, 0, cudaMemcpyDeviceToDevice, cudaStreamPerThread));
    seams_kernel<<<grid, block>>>((int)c->width, (int)c->height, c->pitch, c->x,
                                  c->radius, c->y);
    CHECK_LAUNCH(seams_kernel, grid, block, 0);
}

static const variant variants[] = {
    {"seams", "a tile and its halo in shared memory", seams},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    variants_open(&e, argc, argv);
    variants_verify(&e);
    variants_time(&e);
    return variants_close(&e);
}
