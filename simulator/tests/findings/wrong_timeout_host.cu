// A kernel waits for the host, and the host for the kernel.

#include <cuda_runtime.h>

__global__ void wait_for(volatile int *gate)
{
    while (!*gate)
        ;
}

int main()
{
    int *gate;
    cudaMallocHost((void **)&gate, sizeof *gate);
    *gate = 0;
    wait_for<<<1, 1>>>(gate); // expect: timeout
    cudaError_t error = cudaDeviceSynchronize();
    *gate = 1; // too late
    return error != cudaErrorLaunchTimeout;
}
