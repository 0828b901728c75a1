// Between store and load lie 65,536 __syncwarp: a clock of 16 bits would show
// the same time again.

#include <cuda_runtime.h>

__global__ void rotate(int *data)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t];
    for (int i = 0; i < 65536; i++)
        __syncwarp(); // all have written
    data[t] = s[(t + 1) % 32];
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    rotate<<<1, 32>>>(data);
    return cudaDeviceSynchronize();
}
