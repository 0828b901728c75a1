// atomicExch whose result nobody uses is a store: it may be the first.

#include <cuda_runtime.h>

__global__ void exchange(int *out)
{
    __shared__ int value;
    if (threadIdx.x == 0)
        atomicExch(&value, 7);
    __syncthreads(); // value is 7
    out[threadIdx.x] = value;
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 64 * sizeof(int));
    exchange<<<1, 64>>>(out);
    return cudaDeviceSynchronize();
}
