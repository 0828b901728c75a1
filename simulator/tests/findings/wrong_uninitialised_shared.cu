// A tile with a halo of one element on each side, and nobody loads the halo.

#include <cuda_runtime.h>

__global__ void blur(const int *in, int *out)
{
    __shared__ int tile[34];
    int t = threadIdx.x;
    tile[t + 1] = in[t];
#ifdef RIGHT
    if (t == 31)
        tile[33] = 0;
    __syncthreads(); // tile and halo are complete
    out[t] = tile[t + 1] + tile[t + 2];
#else
    __syncthreads();         // the tile is complete, but not its halo
    int right = tile[t + 2]; // expect: uninitialised-shared
    out[t] = tile[t + 1] + right;
#endif
}

int main()
{
    int *in, *out;
    cudaMalloc((void **)&in, 32 * sizeof(int));
    cudaMalloc((void **)&out, 32 * sizeof(int));
    cudaMemset(in, 0, 32 * sizeof(int));
    blur<<<1, 32>>>(in, out);
    return cudaDeviceSynchronize();
}
