// A bug of a public project, in our words (docs/experiments/bugs_found.md):
// the guard lets one row too many through.

#include <cuda_runtime.h>

__global__ void row_means(float *mean, const float *in, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
#if RIGHT
    if (row >= rows)
#else
    if (row > rows)
#endif
        return;
    float sum = 0.0f;
    for (int i = 0; i < cols; i++)
        sum += in[row * cols + i]; // expect: out-of-bounds-global
    mean[row] = sum / cols;
}

int main()
{
    const int rows = 33,
              cols = 768; // no multiple of 32 threads, a thread a row
    float *in, *mean;
    cudaMalloc((void **)&in, rows * cols * sizeof(float));
    cudaMalloc((void **)&mean, rows * sizeof(float));
    cudaMemset(in, 0, rows * cols * sizeof(float));
    row_means<<<(rows + 31) / 32, 32>>>(mean, in, rows, cols);
#if RIGHT
    return cudaDeviceSynchronize();
#else
    cudaDeviceSynchronize();
    return 0;
#endif
}
