// A thread reads what a thread of another warp wrote, with no barrier between.
// Which value it gets depends on the order in which the warps run.
// consequence: uninitialised-shared

#include <cuda_runtime.h>

__global__ void reverse(int *data)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = data[t]; // expect-one: shared-race
#ifdef RIGHT
    __syncthreads(); // the tile is complete
#endif
    data[t] = tile[63 - t]; // expect-one: shared-race
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 64 * sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    reverse<<<1, 64>>>(data);
    return cudaDeviceSynchronize();
}
