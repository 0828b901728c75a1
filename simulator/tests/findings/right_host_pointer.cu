// Pinned and managed memory belong to both sides.

#include <cuda_runtime.h>

__global__ void fill(int *pinned, int *managed)
{
    pinned[threadIdx.x] = 1;
    managed[threadIdx.x] = 2;
}

int main()
{
    int *pinned, *managed;
    cudaMallocHost((void **)&pinned, 32 * sizeof(int));
    cudaMallocManaged((void **)&managed, 32 * sizeof(int));
    fill<<<1, 32>>>(pinned, managed);
    cudaError_t error = cudaDeviceSynchronize();
    return error != cudaSuccess || pinned[31] != 1 || managed[31] != 2;
}
