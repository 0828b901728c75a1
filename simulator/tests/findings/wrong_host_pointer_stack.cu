// An array of main() is host memory, too.

#include <cuda_runtime.h>

__global__ void fill(int *x)
{
    x[threadIdx.x] = 1; // expect: host-pointer
}

int main()
{
    int x[32] = {0};
    fill<<<1, 32>>>(x);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress || x[0] != 0;
}
