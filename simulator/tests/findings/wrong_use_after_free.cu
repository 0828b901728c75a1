// The buffer was given back before the kernel wrote to it.

#include <cuda_runtime.h>

__global__ void fill(int *x)
{
    x[threadIdx.x] = 1; // expect: out-of-bounds-global
}

int main()
{
    int *x;
    cudaMalloc((void **)&x, 32 * sizeof(int));
    cudaFree(x);
    fill<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    return 0;
}
