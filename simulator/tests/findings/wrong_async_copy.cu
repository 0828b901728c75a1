// Nobody waits for the copies: the barrier does not.
// consequence: uninitialised-shared

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void reverse(int *data)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &data[t], 4);
    __pipeline_commit();
#ifdef RIGHT
    __pipeline_wait_prior(0);
#endif
    __syncthreads();        // the tile is complete
    data[t] = tile[63 - t]; // expect: async-copy
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 64 * sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    reverse<<<1, 64>>>(data);
    return cudaDeviceSynchronize();
}
