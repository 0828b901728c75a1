// Thread 0 clears the counter, all wait, all add, all wait, thread 0 reads.

#include <cuda_runtime.h>

__global__ void count(int *out)
{
    __shared__ int n;
    if (threadIdx.x == 0)
        n = 0;
    __syncthreads(); // n is 0
    atomicAdd(&n, 1);
    __syncthreads(); // all have counted
    if (threadIdx.x == 0)
        *out = n;
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, sizeof(int));
    count<<<1, 64>>>(out);
    return cudaDeviceSynchronize();
}
