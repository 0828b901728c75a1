// An assertion that holds has no effect.

#include <assert.h>
#include <cuda_runtime.h>

__global__ void positive(const int *x)
{
    assert(x[threadIdx.x] > 0);
}

int main()
{
    int *x, h[32];
    for (int i = 0; i < 32; i++)
        h[i] = i + 1;
    cudaMalloc((void **)&x, sizeof h);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    positive<<<1, 32>>>(x);
    return cudaDeviceSynchronize();
}
