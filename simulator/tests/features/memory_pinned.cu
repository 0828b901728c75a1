#include "cases.h"

// feature: pinned memory: cudaMallocHost, cudaHostAlloc, mapped, registered

__global__ void fill(int *x)
{
    x[threadIdx.x] = threadIdx.x;
}

CASE(memory_pinned)
{
    int *a, *b, *mapped;
    static int c[32];
    CHECK_CUDA(cudaMallocHost((void **)&a, 32 * sizeof(int)));
    CHECK_CUDA(
        cudaHostAlloc((void **)&b, 32 * sizeof(int), cudaHostAllocMapped));
    CHECK_CUDA(cudaHostGetDevicePointer((void **)&mapped, b, 0));
    CHECK_CUDA(cudaHostRegister(c, sizeof c, cudaHostRegisterDefault));
    fill<<<1, 32>>>(a);
    fill<<<1, 32>>>(mapped);
    fill<<<1, 32>>>(c);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(a[31] == 31 && b[31] == 31 && c[31] == 31);
    CHECK_CUDA(cudaHostUnregister(c));
    CHECK_CUDA(cudaFreeHost(a));
    CHECK_CUDA(cudaFreeHost(b));
}
