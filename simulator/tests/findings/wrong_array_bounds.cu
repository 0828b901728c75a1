// Index 33 of a row of 33: it is the first element of the next row, so no
// other memory is touched, and compute-sanitizer is content.

#include <cuda_runtime.h>

__global__ void diagonal(int *out)
{
    __shared__ int tile[32][33];
    int t = threadIdx.x;
    for (int x = 0; x < 33; x++)
        tile[t][x] = x;
    __syncwarp();            // the tile is complete
    out[t] = tile[t][t + 2]; // expect: array-bounds
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 32 * sizeof(int));
    diagonal<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
