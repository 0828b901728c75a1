// Both halves of the warp wait, each for itself; then lane 0 learns of lane 31
// through lane 16, which has waited with both.

#include <cuda_runtime.h>

__global__ void swap(int *data)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t];
    if (t < 16)
        __syncwarp(0x0000ffff); // the lower half has written
    else
        __syncwarp(0xffff0000); // so has the upper half
    data[t] = s[t ^ 1];
    if (t == 0 || t == 16)
        __syncwarp(0x00010001); // lane 16 knows what lane 31 wrote
    if (t == 0)
        data[0] = s[31];
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    swap<<<1, 32>>>(data);
    return cudaDeviceSynchronize();
}
