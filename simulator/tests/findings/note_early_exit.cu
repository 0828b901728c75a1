// Some threads return before the barrier. Since Volta the hardware waits only
// for the others, but the manual asks that all threads come.

#include <cuda_runtime.h>

__global__ void shift(const int *in, int *out, int n)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    tile[t] = in[t];
    __syncthreads(); // expect: early-exit-note
    out[t] = tile[n - 1 - t];
}

int main()
{
    int *in, *out;
    cudaMalloc((void **)&in, 64 * sizeof(int));
    cudaMalloc((void **)&out, 64 * sizeof(int));
    cudaMemset(in, 0, 64 * sizeof(int));
    shift<<<1, 64>>>(in, out, 50);
    return cudaDeviceSynchronize();
}
