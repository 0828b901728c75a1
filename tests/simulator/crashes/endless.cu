// A kernel that never ends, for Ctrl-C.

#include <cuda_runtime.h>

__global__ void wait(volatile int *flag)
{
    while (*flag == 0) {
    }
}

int main()
{
    int *flag;
    cudaMalloc((void **)&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    wait<<<4, 32>>>(flag);
    return cudaDeviceSynchronize();
}
