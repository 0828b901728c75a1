// hunt of conv
// Wrong at the left and the upper edge of each tile.
#include "../chapters/conv/host/problem.cuh"

__constant__ float weight[MOST_SIDE * MOST_SIDE];

/** Launch: block (EDGE, EDGE), a tile of EDGE - 2 * RADIUS results a side. */
template <int RADIUS>
__global__ void left_edge_kernel(int width, int height, int pitch,
                                 const float *x, float *y)
{
    __shared__ float tile[EDGE][EDGE]; // with its halo
    const int SIDE = 2 * RADIUS + 1;
    const int INNER = EDGE - 2 * RADIUS; // edge of the results
    int row = (int)(blockIdx.y * INNER + threadIdx.y) - RADIUS;
    int col = (int)(blockIdx.x * INNER + threadIdx.x) - RADIUS;
    tile[threadIdx.y][threadIdx.x] = pixel(width, height, pitch, x, row, col);
    __syncthreads(); // nobody reads a pixel before all are there

    // [hunt]
    int tile_row = (int)threadIdx.y - RADIUS; // where its window begins
    int tile_col = (int)threadIdx.x - RADIUS;
    if (tile_row < 0 || tile_row >= INNER || tile_col < 0 || tile_col >= INNER)
        return; // a thread of the halo
    //: unsigned tile_row = threadIdx.y - RADIUS; // where its window begins
    //: unsigned tile_col = threadIdx.x - RADIUS;
    //: if (tile_row < 0 || threadIdx.y >= EDGE - RADIUS || tile_col < 0 ||
    //:     threadIdx.x >= EDGE - RADIUS)
    //:     return; // a thread of the halo
    // [end]
    if (row < 0 || row >= height || col < 0 || col >= width)
        return;
    float sum = 0.0f;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            sum += weight[i * SIDE + j] * tile[tile_row + i][tile_col + j];
    y[(int64_t)row * pitch + col] = sum;
}

template <int RADIUS>
static void launch_left_edge(const conv *c)
{
    dim3 block(EDGE, EDGE), grid = tile_grid(c, EDGE - 2 * RADIUS);
    size_t bytes = (size_t)(side(c) * side(c)) * sizeof(float);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(
        weight, c->f, bytes, 0, cudaMemcpyDeviceToDevice, cudaStreamPerThread));
    left_edge_kernel<RADIUS>
        <<<grid, block>>>((int)c->width, (int)c->height, c->pitch, c->x, c->y);
    CHECK_LAUNCH(left_edge_kernel<RADIUS>, grid, block, 0);
}

static void left_edge(const void *problem)
{
    FOR_RADIUS(launch_left_edge, (const conv *)problem);
}

static const variant variants[] = {
    {"left_edge", "a tile and its halo in shared memory", left_edge},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    return variants_main(&e, argc, argv);
}
