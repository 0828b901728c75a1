// Two blocks write one word. Blocks run in any order and at the same time.

#include <cuda_runtime.h>

__global__ void last_wins(int *out)
{
    if (threadIdx.x == 0)
        out[0] = blockIdx.x; // expect: global-race
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, sizeof(int));
    last_wins<<<8, 32>>>(out);
    return cudaDeviceSynchronize();
}
