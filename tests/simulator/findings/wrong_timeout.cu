// A thread waits for a flag that nobody raises.

#include <cuda_runtime.h>

__global__ void wait(volatile int *flag)
{
    while (*flag == 0) { // expect: timeout
    }
}

int main()
{
    int *flag;
    cudaMalloc((void **)&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    wait<<<1, 1>>>(flag);
    cudaDeviceSynchronize();
    return 0;
}
