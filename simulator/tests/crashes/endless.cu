// A kernel with a race, and one that never ends, for Ctrl-C.

#include <cuda_runtime.h>
#include <stdio.h>

__global__ void count(int *n)
{
    ++*n;
}

__global__ void wait(volatile int *flag)
{
    while (*flag == 0) {
    }
}

int main()
{
    int *flag, *n;
    cudaMalloc((void **)&flag, sizeof(int));
    cudaMalloc((void **)&n, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    cudaMemset(n, 0, sizeof(int));
    count<<<4, 1>>>(n);
    cudaDeviceSynchronize();
    puts("counted");
    fflush(stdout);
    wait<<<4, 32>>>(flag);
    return cudaDeviceSynchronize();
}
