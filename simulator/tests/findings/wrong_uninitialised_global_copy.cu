// What nobody has written stays so when it is copied.

#include <cuda_runtime.h>

__global__ void add(const int *x, int *out)
{
    out[threadIdx.x] = x[threadIdx.x] + 1; // expect: uninitialised-global
}

int main()
{
    int *a, *b, *out;
    cudaMalloc((void **)&a, 64 * sizeof(int));
    cudaMalloc((void **)&b, 64 * sizeof(int));
    cudaMalloc((void **)&out, 32 * sizeof(int));
    cudaMemset(a, 0, 16 * sizeof(int)); // only a half of what is used
    cudaMemcpy(b, a, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
    add<<<1, 32>>>(b, out);
    return cudaDeviceSynchronize();
}
