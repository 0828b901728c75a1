// The array was never copied to the GPU: the kernel gets a host address.

#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void fill(int *x)
{
    x[threadIdx.x] = 1; // expect: host-pointer
}

int main()
{
    int *x = (int *)calloc(32, sizeof(int));
    fill<<<1, 32>>>(x);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress || x[0] != 0;
}
