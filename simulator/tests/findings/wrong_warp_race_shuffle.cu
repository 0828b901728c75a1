// A shuffle brings the lanes together, but it is no fence: CUDA promises
// nothing about what they stored before.

#include <cuda_runtime.h>

__global__ void exchange(int *data)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t]; // expect-one: warp-race
    int sum = __shfl_xor_sync(0xffffffff, t, 1);
    data[t] = s[31 - t] + sum; // expect-one: warp-race
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    exchange<<<1, 32>>>(data);
    return cudaDeviceSynchronize();
}
