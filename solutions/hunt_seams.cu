// hunt of conv
// A fine line along some of the tiles, in some of the pictures.
#include "../chapters/conv/host/problem.cuh"

__constant__ float weight[MOST_SIDE * MOST_SIDE];

/** Launch: block (EDGE, EDGE), a tile of EDGE x EDGE pixels each. */
template <int RADIUS>
__global__ void seams_kernel(int width, int height, int pitch, const float *x,
                             float *y)
{
    const int SIDE = 2 * RADIUS + 1;
    const int WIDE = EDGE + 2 * RADIUS; // edge of a tile with its halo
    __shared__ float tile[WIDE][WIDE];
    int row = blockIdx.y * EDGE + threadIdx.y;
    int col = blockIdx.x * EDGE + threadIdx.x;
    int tile_row = threadIdx.y + RADIUS, tile_col = threadIdx.x + RADIUS;

    // Its own pixel; the first ones also bring what is around the block.
    tile[tile_row][tile_col] = pixel(width, height, pitch, x, row, col);
    // [hunt]
    //: __syncthreads(); // nobody reads a pixel before all are there
    // [end]
    for (int i = -1; i <= 1; i++) {
        for (int j = -1; j <= 1; j++) { // one of the eight blocks around
            int down = i < 0 ? -RADIUS : i * EDGE;
            int right = j < 0 ? -RADIUS : j * EDGE;
            bool mine = (i == 0 || (int)threadIdx.y < RADIUS) &&
                        (j == 0 || (int)threadIdx.x < RADIUS);
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
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            sum +=
                weight[i * SIDE + j] * tile[threadIdx.y + i][threadIdx.x + j];
    y[(int64_t)row * pitch + col] = sum;
}

template <int RADIUS>
static void launch_seams(const conv *c)
{
    dim3 block(EDGE, EDGE), grid = tile_grid(c, EDGE);
    size_t bytes = (size_t)(side(c) * side(c)) * sizeof(float);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(
        weight, c->f, bytes, 0, cudaMemcpyDeviceToDevice, cudaStreamPerThread));
    seams_kernel<RADIUS>
        <<<grid, block>>>((int)c->width, (int)c->height, c->pitch, c->x, c->y);
    CHECK_LAUNCH(seams_kernel<RADIUS>, grid, block, 0);
}

static void seams(const void *problem)
{
    FOR_RADIUS(launch_seams, (const conv *)problem);
}

static const variant variants[] = {
    {"seams", "a tile and its halo in shared memory", seams},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    return variants_main(&e, argc, argv);
}
