// Lanes of one warp exchange values through shared memory without __syncwarp.
// It works where the lanes run in lockstep; since Volta they need not.
// consequence: uninitialised-shared

#include <cuda_runtime.h>

__global__ void reverse(int *data)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = data[t]; // expect-one: warp-race
#ifdef RIGHT
    __syncwarp(); // the tile is complete
#endif
    data[t] = tile[31 - t]; // expect-one: warp-race
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    reverse<<<1, 32>>>(data);
    return cudaDeviceSynchronize();
}
