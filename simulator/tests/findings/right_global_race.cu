// Each block writes its own word; what all blocks share is changed by atomics.

#include <cuda_runtime.h>

__global__ void own_word(int *out, int *count)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = blockIdx.x;
    atomicAdd(count, 1);
}

int main()
{
    int *out, *count;
    cudaMalloc((void **)&out, 8 * sizeof(int));
    cudaMalloc((void **)&count, sizeof(int));
    cudaMemset(count, 0, sizeof(int));
    own_word<<<8, 32>>>(out, count);
    return cudaDeviceSynchronize();
}
