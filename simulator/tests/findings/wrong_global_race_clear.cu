// Thread 0 clears a sum in global memory, and nobody waits for it.

#include <cuda_runtime.h>

__global__ void sum(int *total)
{
    if (threadIdx.x == 0)
        *total = 0;      // expect-one: global-race
    atomicAdd(total, 1); // expect-one: global-race
}

int main()
{
    int *total;
    cudaMalloc((void **)&total, sizeof(int));
    sum<<<1, 64>>>(total);
    return cudaDeviceSynchronize();
}
