// Two warps write one word: the last to come wins, and nobody knows which.

#include <cuda_runtime.h>

__global__ void last_wins(int *out)
{
    __shared__ int value;
    if (threadIdx.x % 32 == 0)
        value = threadIdx.x; // expect: shared-race
    __syncthreads();         // too late: the stores above race
    out[threadIdx.x] = value;
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 64 * sizeof(int));
    last_wins<<<1, 64>>>(out);
    return cudaDeviceSynchronize();
}
