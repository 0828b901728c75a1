// __syncwarp orders the stores of the lanes before their loads.

#include <cuda_runtime.h>

__global__ void reverse(int *data)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = data[t];
    __syncwarp(); // the tile is complete
    data[t] = tile[31 - t];
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    reverse<<<1, 32>>>(data);
    return cudaDeviceSynchronize();
}
