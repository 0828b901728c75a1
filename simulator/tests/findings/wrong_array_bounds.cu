// Index 33 of a row of 33: it is the first element of the next row, so no
// other memory is touched, and compute-sanitizer is content.

#include <cuda_runtime.h>

__global__ void diagonal(int *out)
{
#ifdef RIGHT
    __shared__ int tile[32][34];
#else
    __shared__ int tile[32][33];
#endif
    int t = threadIdx.x;
#ifdef RIGHT
    for (int x = 0; x < 34; x++)
#else
    for (int x = 0; x < 33; x++)
#endif
        tile[t][x] = x;
    __syncwarp();            // the tile is complete
    out[t] = tile[t][t + 2]; // expect: array-bounds
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 32 * sizeof(int));
    diagonal<<<1, 32>>>(out);
#ifdef RIGHT
    return cudaDeviceSynchronize();
#else
    cudaDeviceSynchronize();
    return 0;
#endif
}
