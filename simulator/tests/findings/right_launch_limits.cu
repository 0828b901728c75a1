// The largest of everything that needs no permission, and what needs it.

#include <cuda_runtime.h>

__global__ void nothing()
{
}

int main()
{
    nothing<<<1, dim3(32, 32)>>>();
    nothing<<<1, dim3(1, 1, 64)>>>();
    nothing<<<dim3(1, 65535), 1>>>();
    nothing<<<1, 32, 48 * 1024>>>();
    cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         64 * 1024);
    nothing<<<1, 32, 64 * 1024>>>();
    cudaError_t error = cudaGetLastError();
    return error ? error : cudaDeviceSynchronize();
}
