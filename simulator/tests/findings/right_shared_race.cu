// The barrier orders the stores of all warps before the loads of all warps.

#include <cuda_runtime.h>

__global__ void reverse(int *data)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = data[t];
    __syncthreads(); // the tile is complete
    data[t] = tile[63 - t];
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 64 * sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    reverse<<<1, 64>>>(data);
    return cudaDeviceSynchronize();
}
