// A histogram with one bin too few.

#include <cuda_runtime.h>

__global__ void histogram(int *bins)
{
    atomicAdd(&bins[threadIdx.x % 17], 1); // expect: out-of-bounds-global
}

int main()
{
    int *bins;
    cudaMalloc((void **)&bins, 16 * sizeof(int));
    cudaMemset(bins, 0, 16 * sizeof(int));
    histogram<<<1, 32>>>(bins);
    cudaDeviceSynchronize();
    return 0;
}
