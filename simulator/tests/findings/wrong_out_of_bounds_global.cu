// The guard says <= where < is meant: one thread writes past the end.

#include <cuda_runtime.h>

__global__ void fill(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef RIGHT
    if (i < n)
#else
    if (i <= n)
#endif
        x[i] = i; // expect: out-of-bounds-global
}

int main()
{
    int *x;
    cudaMalloc((void **)&x, 1000 * sizeof(int));
    fill<<<4, 256>>>(x, 1000);
#ifdef RIGHT
    return cudaDeviceSynchronize();
#else
    cudaDeviceSynchronize();
    return 0;
#endif
}
