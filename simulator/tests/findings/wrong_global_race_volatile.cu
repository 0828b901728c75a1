// volatile makes no atomic operation: ++ is a load and a store, and another
// block may come between them.

#include <cuda_runtime.h>

__global__ void count(volatile int *blocks)
{
    if (threadIdx.x == 0)
        (*blocks)++; // expect: global-race
}

__global__ void sum(volatile float *total, const float *x)
{
    float own = x[blockIdx.x];
    if (threadIdx.x == 0)
        *total = *total + own; // expect: global-race
}

__global__ void count_in_block(volatile int *warps, int *other)
{
    if (threadIdx.x % 32 == 0)
        *warps += 1; // expect: global-race
    other[threadIdx.x] = 1;
}

int main()
{
    int *x;
    cudaMalloc(&x, 1024 * sizeof(int));
    cudaMemset(x, 0, 1024 * sizeof(int));
    count<<<8, 32>>>(x);
    sum<<<8, 32>>>((float *)x + 1, (float *)x + 2);
    count_in_block<<<1, 256>>>(x, x + 512);
    return cudaDeviceSynchronize();
}
