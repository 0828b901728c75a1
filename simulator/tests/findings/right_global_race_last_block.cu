// Each block leaves a partial sum; the block that counts itself last adds them
// up. Fence and atomic counter order the stores before the last block's loads.

#include <cuda_runtime.h>

__global__ void sum(const char *data, int *partial, int *finished, int *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        int mine = 0;
        for (int i = 0; i < 32; i++)
            mine += data[blockIdx.x * 32 + i];
        partial[blockIdx.x] = mine;
        __threadfence(); // the partial sum before the count
        last = atomicAdd(finished, 1) == gridDim.x - 1;
    }
    __syncthreads(); // all know whether this is the last block
    if (last && threadIdx.x == 0) {
        int total = 0;
        for (int b = 0; b < gridDim.x; b++)
            total += partial[b];
        *out = total;
    }
}

int main()
{
    char *data;
    int *partial, *finished, *out, total;
    cudaMalloc((void **)&data, 256);
    cudaMalloc((void **)&partial, 8 * sizeof(int));
    cudaMalloc((void **)&finished, sizeof(int));
    cudaMalloc((void **)&out, sizeof(int));
    cudaMemset(data, 1, 256);
    cudaMemset(finished, 0, sizeof(int));
    sum<<<8, 32>>>(data, partial, finished, out);
    cudaMemcpy(&total, out, sizeof(int), cudaMemcpyDeviceToHost);
    return total != 256;
}
