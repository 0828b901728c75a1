// Two launches of one stream are ordered: the second may read all the first
// wrote, whichever block wrote it.

#include <cuda_runtime.h>

__global__ void fill(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
}

__global__ void reverse(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[n - 1 - i];
}

int main()
{
    int *x, *y;
    cudaMalloc((void **)&x, 256 * sizeof(int));
    cudaMalloc((void **)&y, 256 * sizeof(int));
    fill<<<4, 64>>>(x);
    reverse<<<4, 64>>>(x, y, 256);
    return cudaDeviceSynchronize();
}
