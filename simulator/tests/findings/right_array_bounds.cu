// The whole of the array and nothing else.

#include <cuda_runtime.h>

__global__ void diagonal(int *out)
{
    __shared__ int tile[32][34];
    int t = threadIdx.x;
    for (int x = 0; x < 34; x++)
        tile[t][x] = x;
    __syncwarp(); // the tile is complete
    out[t] = tile[t][t + 2];
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 32 * sizeof(int));
    diagonal<<<1, 32>>>(out);
    return cudaDeviceSynchronize();
}
