// Convolution, the exercise: as many threads as results.
#include "../chapters/conv/host/problem.cuh"

#define COLS 32 /**< results of a block in a row, and threads */
#define ROWS 8  /**< rows of results of a block */

__constant__ float weight[MOST_SIDE * MOST_SIDE];

/** Launch: block (COLS, ROWS), a block for each COLS x ROWS pixels. */
template <int RADIUS>
__global__ void outputs_kernel(int width, int height, int pitch, const float *x,
                               float *y)
{
    // The pixels of the block and those around them; the first of them is
    // RADIUS rows above and RADIUS columns left of the first result.
    const int SIDE = 2 * RADIUS + 1;
    const int WIDE = COLS + 2 * RADIUS, HIGH = ROWS + 2 * RADIUS;
    __shared__ float tile[HIGH][WIDE];
    int first_row = blockIdx.y * ROWS, first_col = blockIdx.x * COLS;
    int thread = threadIdx.y * COLS + threadIdx.x;
    // [write 5] all pixels into tile, by pixel(), which gives 0 outside of
    // the picture: some threads bring more than others
    for (int i = thread; i < WIDE * HIGH; i += COLS * ROWS)
        tile[i / WIDE][i % WIDE] =
            pixel(width, height, pitch, x, first_row + i / WIDE - RADIUS,
                  first_col + i % WIDE - RADIUS);
    __syncthreads(); // nobody reads a pixel before all are there
    //: tile[threadIdx.y][threadIdx.x] =
    //:     pixel(width, height, pitch, x, first_row + (int)threadIdx.y,
    //:           first_col + thread % COLS);
    // [end]

    float sum = 0.0f;
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            // [write 1] the pixel of this weight, from tile
            float value = tile[threadIdx.y + i][threadIdx.x + j];
            //: float value = tile[threadIdx.y][threadIdx.x];
            // [end]
            sum += weight[i * SIDE + j] * value;
        }
    }
    int row = first_row + threadIdx.y, col = first_col + threadIdx.x;
    if (row < height && col < width)
        y[(int64_t)row * pitch + col] = sum;
}

template <int RADIUS>
static void launch_outputs(const conv *c)
{
    dim3 block(COLS, ROWS);
    dim3 grid(ceil_div((int)c->width, COLS), ceil_div((int)c->height, ROWS));
    REQUIRE(grid.y <= MAX_GRID_Y, "--height %d: at most %d", (int)c->height,
            MAX_GRID_Y * ROWS);
    size_t bytes = (size_t)(side(c) * side(c)) * sizeof(float);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(
        weight, c->f, bytes, 0, cudaMemcpyDeviceToDevice, cudaStreamPerThread));
    outputs_kernel<RADIUS>
        <<<grid, block>>>((int)c->width, (int)c->height, c->pitch, c->x, c->y);
    CHECK_LAUNCH(outputs_kernel<RADIUS>, grid, block, 0);
}

static void outputs(const void *problem)
{
    FOR_RADIUS(launch_outputs, (const conv *)problem);
}

static const variant variants[] = {
    {"outputs", "a tile and its halo, loaded by the threads of the tile",
     outputs},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    return variants_main(&e, argc, argv);
}
