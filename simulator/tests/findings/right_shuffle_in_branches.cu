// Half of a warp waits in its branch for the other half, which first goes
// through more accesses than the log holds.

#include <cuda_runtime.h>

__global__ void meet(int *out, const int *in)
{
    int t = threadIdx.x, value;
    if (t < 16) {
        value = __shfl_sync(0xffffffffu, t, 31);
    } else {
        int sum = 0;
        for (int i = 0; i < 1000 + t; i++)
            sum += in[i % 32];
        value = __shfl_sync(0xffffffffu, sum + t, 31);
    }
    out[t] = value;
}

int main()
{
    int *in, *out, got[32];
    cudaMalloc((void **)&in, 32 * sizeof(int));
    cudaMalloc((void **)&out, 32 * sizeof(int));
    cudaMemset(in, 0, 32 * sizeof(int));
    meet<<<1, 32>>>(out, in);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    return cudaDeviceSynchronize() != cudaSuccess || got[0] != 31 ||
           got[31] != 31;
}
