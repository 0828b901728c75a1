// A program that fails by itself keeps its own status, finding or not.

#include <cuda_runtime.h>

__global__ void last_wins(int *out)
{
    out[0] = blockIdx.x; // expect: global-race
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, sizeof(int));
    last_wins<<<8, 1>>>(out);
    cudaDeviceSynchronize();
    return 3; // status: 3
}
