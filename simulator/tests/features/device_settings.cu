#include "cases.h"

// feature: cudaDeviceReset, cache and shared memory preferences, limits, flags

__global__ void fill(int *x)
{
    x[threadIdx.x] = 1;
}

CASE(device_settings)
{
    size_t limit = 0;
    int low = 0, high = 0;
    CHECK_CUDA(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    CHECK_CUDA(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    CHECK_CUDA(cudaFuncSetCacheConfig(fill, cudaFuncCachePreferShared));
    CHECK_CUDA(cudaFuncSetAttribute(
        fill, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    CHECK_CUDA(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
    CHECK_CUDA(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
    CHECK_CUDA(cudaDeviceGetStreamPriorityRange(&low, &high));
    int *x = shared_zeros<int>(32);
    fill<<<1, 32>>>(x);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(x[31], 1);
    CHECK_CUDA(cudaFree(x));
    CHECK_CUDA(cudaDeviceReset());
}
