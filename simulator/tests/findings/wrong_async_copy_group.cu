// One group may still be under way: the one that is needed now.

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void reverse(int *data)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x;
    tile[1][t] = 0;
    __syncthreads(); // before the copies write there
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&tile[i][t], &data[64 * i + t], 4);
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads(); // tile[0] is complete
    data[t] = tile[0][63 - t];
#ifdef RIGHT
    __pipeline_wait_prior(0);
    __syncthreads(); // tile[1] is complete
#endif
    data[64 + t] = tile[1][63 - t]; // expect: async-copy
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 128 * sizeof(int));
    cudaMemset(data, 0, 128 * sizeof(int));
    reverse<<<1, 64>>>(data);
    return cudaDeviceSynchronize();
}
