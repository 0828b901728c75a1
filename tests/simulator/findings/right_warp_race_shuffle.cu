// A shuffle waits for the lanes of its mask, so it orders what they did
// before with what they do after.

#include <cuda_runtime.h>

__global__ void exchange(int *data)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t];
    int sum = __shfl_xor_sync(0xffffffff, t, 1);
    data[t] = s[31 - t] + sum;
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    exchange<<<1, 32>>>(data);
    return cudaDeviceSynchronize();
}
