// Only half of the warp waits for each other; the other half reads too early.

#include <cuda_runtime.h>

__global__ void swap(int *data)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t]; // expect-one: warp-race
    if (t < 16)
#ifdef RIGHT
        __syncwarp(0x0000ffff); // the lower half has written
    else
        __syncwarp(0xffff0000); // so has the upper half
#else
        __syncwarp(0xffff); // the lower half has written
#endif
    data[t] = s[t ^ 1]; // expect-one: warp-race
#ifdef RIGHT
    if (t == 0 || t == 16)
        __syncwarp(0x00010001); // lane 16 knows what lane 31 wrote
    if (t == 0)
        data[0] = s[31];
#endif
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    swap<<<1, 32>>>(data);
    return cudaDeviceSynchronize();
}
