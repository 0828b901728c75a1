// The halo is loaded, too.

#include <cuda_runtime.h>

__global__ void blur(const int *in, int *out)
{
    __shared__ int tile[34];
    int t = threadIdx.x;
    tile[t + 1] = in[t];
    if (t == 31)
        tile[33] = 0;
    __syncthreads(); // tile and halo are complete
    out[t] = tile[t + 1] + tile[t + 2];
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
