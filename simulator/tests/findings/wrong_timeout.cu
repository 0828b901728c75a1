// A thread waits for a flag that nobody raises. The finding stands at the
// launch and says where each warp is.

#include <cuda_runtime.h>

__global__ void wait(volatile int *flag)
{
    while (*flag == 0) { // says: wrong_timeout.cu:8
    }
}

int main()
{
    int *flag;
    cudaMalloc((void **)&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    wait<<<1, 1>>>(flag); // expect: timeout
    cudaDeviceSynchronize();
    return 0;
}
