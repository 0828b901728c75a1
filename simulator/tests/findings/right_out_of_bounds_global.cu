// The guard stops at the end; the last word is used.

#include <cuda_runtime.h>

__global__ void fill(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = i;
}

int main()
{
    int *x;
    cudaMalloc((void **)&x, 1000 * sizeof(int));
    fill<<<4, 256>>>(x, 1000);
    return cudaDeviceSynchronize();
}
