// hunt of conv
// Wrong at the left and the upper edge of each tile.
#include "../chapters/conv/problem.cuh"

__constant__ float weight[MOST_SIDE * MOST_SIDE];

/** Launch: block (EDGE, EDGE), a tile of EDGE - 2 * radius results a side. */
__global__ void left_edge_kernel(int width, int height, int pitch,
                                 const float *x, int radius, float *y)
{
    __shared__ float tile[EDGE][EDGE];  // with its halo
    const int edge = EDGE - 2 * radius; // of the results
    int across = ceil_div(width, edge); // tiles
    int row = blockIdx.x / across * edge + threadIdx.y - radius;
    int col = blockIdx.x % across * edge + threadIdx.x - radius;
    tile[threadIdx.y][threadIdx.x] = pixel(width, height, pitch, x, row, col);
    __syncthreads(); // nobody reads a pixel before all are there

    // [hunt]
    int tile_row = (int)threadIdx.y - radius; // where its window begins
    int tile_col = (int)threadIdx.x - radius;
    if (tile_row < 0 || tile_row >= edge || tile_col < 0 || tile_col >= edge)
        return; // a thread of the halo
    //: unsigned tile_row = threadIdx.y - radius; // where its window begins
    //: unsigned tile_col = threadIdx.x - radius;
    //: if (tile_row < 0 || threadIdx.y >= EDGE - radius || tile_col < 0 ||
    //:     threadIdx.x >= EDGE - radius)
    //:     return; // a thread of the halo
    // [end]
    if (row < 0 || row >= height || col < 0 || col >= width)
        return;
    float sum = 0.0f;
    int side = 2 * radius + 1;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            sum += weight[i * side + j] * tile[tile_row + i][tile_col + j];
    y[(int64_t)row * pitch + col] = sum;
}

static void left_edge(const void *problem)
{
    const conv *c = (const conv *)problem;
    dim3 block(EDGE, EDGE);
    unsigned grid = tiles(c, EDGE - 2 * c->radius);
    size_t bytes = (size_t)(side(c) * side(c)) * sizeof(float);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(
        weight, c->f, bytes, 0, cudaMemcpyDeviceToDevice, cudaStreamPerThread));
    left_edge_kernel<<<grid, block>>>((int)c->width, (int)c->height, c->pitch,
                                      c->x, c->radius, c->y);
    CHECK_LAUNCH(left_edge_kernel, grid, block, 0);
}

static const variant variants[] = {
    {"left_edge", "a tile and its halo in shared memory", left_edge},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    variants_open(&e, argc, argv);
    variants_verify(&e);
    variants_time(&e);
    return variants_close(&e);
}
