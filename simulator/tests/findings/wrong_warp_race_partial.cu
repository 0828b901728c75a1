// Only half of the warp waits for each other; the other half reads too early.

#include <cuda_runtime.h>

__global__ void swap(int *data)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t]; // expect-one: warp-race
    if (t < 16)
        __syncwarp(0xffff); // the lower half has written
    data[t] = s[t ^ 1];     // expect-one: warp-race
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    swap<<<1, 32>>>(data);
    return cudaDeviceSynchronize();
}
