// A global array without __device__ is host memory; one with it is not.

#include <cuda_runtime.h>

static int on_host[32];
__device__ int on_device[32];

__global__ void fill(int *x)
{
    on_device[threadIdx.x] = 1;
    x[threadIdx.x] = 1; // expect: host-pointer
}

int main()
{
    fill<<<1, 32>>>(on_host);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress ||
           on_host[0] != 0;
}
