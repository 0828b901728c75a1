// Shifting an array in place: the next warp may have stored already.

#include <cuda_runtime.h>

__global__ void shift(int *x)
{
    int t = threadIdx.x;
    int next = x[t + 1]; // expect-one: global-race
    __syncwarp();        // all lanes have read, but not all warps
    x[t] = next;         // expect-one: global-race
}

int main()
{
    int *x;
    cudaMalloc((void **)&x, 257 * sizeof(int));
    cudaMemset(x, 0, 257 * sizeof(int));
    shift<<<1, 256>>>(x);
    return cudaDeviceSynchronize();
}
