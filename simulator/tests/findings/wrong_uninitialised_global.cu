// cudaMalloc gives memory, not zeros.

#include <cuda_runtime.h>

__global__ void count(int *total)
{
    int before = *total; // expect: uninitialised-global
    *total = before + 1;
}

int main()
{
    int *total;
    cudaMalloc((void **)&total, sizeof(int));
    count<<<1, 1>>>(total);
    return cudaDeviceSynchronize();
}
