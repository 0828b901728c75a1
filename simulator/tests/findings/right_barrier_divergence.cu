// All threads of a block take the same branch, so all meet at one barrier.

#include <cuda_runtime.h>

__global__ void blocks(int *out)
{
    if (blockIdx.x == 0) {
        __syncthreads(); // all of block 0
        out[threadIdx.x] = 1;
    } else {
        __syncthreads(); // all of block 1
        out[64 + threadIdx.x] = 2;
    }
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 128 * sizeof(int));
    blocks<<<2, 64>>>(out);
    return cudaDeviceSynchronize();
}
