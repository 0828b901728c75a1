// A null pointer is no device pointer either.

#include <cuda_runtime.h>

__global__ void read(const int *x, int *out)
{
    out[threadIdx.x] = x[threadIdx.x]; // expect: host-pointer
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 32 * sizeof(int));
    read<<<1, 32>>>(nullptr, out);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
