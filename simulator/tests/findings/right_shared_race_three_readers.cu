// Three warps read, all wait, then a fourth warp writes.

#include <cuda_runtime.h>

__global__ void overwrite(int *out)
{
    __shared__ int value;
    int t = threadIdx.x;
    if (t == 0)
        value = 1;
    __syncthreads(); // the first value is there
    if (t < 96)
        out[t] = value;
    __syncthreads(); // all have read it
    if (t == 96)
        value = 2;
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 128 * sizeof(int));
    overwrite<<<1, 128>>>(out);
    return cudaDeviceSynchronize();
}
