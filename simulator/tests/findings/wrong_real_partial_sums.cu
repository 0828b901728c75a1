// A bug of a public project, in our words (docs/experiments/bugs_found.md):
// room for 32 partial sums of a column, where small blocks make 176.

#include <cuda_runtime.h>

// Each block adds some rows: gridDim.y partial sums for each column.
__global__ void partial_sums(float *partial, const float *in, int rows,
                             int cols)
{
    int col = blockIdx.x * 64 + threadIdx.x * 2;
    float x = 0.0f, y = 0.0f;
    for (int row = blockIdx.y; row < rows; row += gridDim.y) {
        x += in[row * cols + col];
        y += in[row * cols + col + 1];
    }
    partial[blockIdx.y * cols + col] = x; // expect: out-of-bounds-global
    partial[blockIdx.y * cols + col + 1] = y;
}

int main()
{
    const int rows = 33, cols = 3072, threads = 32;
    // As many blocks as an H200 holds threads: 132 SMs, 2048 on each.
    dim3 grid(cols / 64, 132 * 2048 / (threads * (cols / 64)));
    float *in, *partial;
    cudaMalloc((void **)&in, rows * cols * sizeof(float));
#if RIGHT
    cudaMalloc((void **)&partial, grid.y * cols * sizeof(float));
#else
    cudaMalloc((void **)&partial, 32 * cols * sizeof(float));
#endif
    cudaMemset(in, 0, rows * cols * sizeof(float));
    partial_sums<<<grid, threads>>>(partial, in, rows, cols);
#if RIGHT
    return cudaDeviceSynchronize();
#else
    cudaDeviceSynchronize();
    return 0;
#endif
}
