#include "cases.h"
#include <stdint.h>

// feature: pools of memory: cudaMallocAsync, cudaMallocFromPoolAsync, their
// accounts

__global__ void fill(int *x)
{
    x[threadIdx.x] = threadIdx.x;
}

static uint64_t used(cudaMemPool_t pool, cudaMemPoolAttr what)
{
    uint64_t bytes = ~0ull;
    CHECK_CUDA(cudaMemPoolGetAttribute(pool, what, &bytes));
    return bytes;
}

CASE(memory_pools)
{
    int *x, *y, host[32], pools = 0;
    cudaMemPool_t own, standard, now;
    uint64_t threshold = 1 << 20;
    CHECK_CUDA(
        cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0));
    CHECK_EQUAL(pools, 1);
    CHECK_CUDA(cudaDeviceGetDefaultMemPool(&standard, 0));
    CHECK_CUDA(cudaMemPoolSetAttribute(
        standard, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK_EQUAL(used(standard, cudaMemPoolAttrReleaseThreshold), threshold);
    uint64_t before = used(standard, cudaMemPoolAttrUsedMemCurrent);

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CHECK_CUDA(cudaMemPoolCreate(&own, &properties));
    CHECK_CUDA(cudaMallocFromPoolAsync(&x, 128, own, 0));
    CHECK_CUDA(cudaMallocAsync(&y, 256, 0));
    CHECK_EQUAL(used(own, cudaMemPoolAttrUsedMemCurrent), 128);
    CHECK_EQUAL(used(standard, cudaMemPoolAttrUsedMemCurrent), before + 256);
    fill<<<1, 32>>>(x);
    CHECK_CUDA(cudaMemcpyAsync(host, x, 128, cudaMemcpyDeviceToHost, 0));
    CHECK_CUDA(cudaFreeAsync(x, 0));
    CHECK_CUDA(cudaFreeAsync(y, 0));
    CHECK_CUDA(cudaStreamSynchronize(0));
    CHECK_EQUAL(host[31], 31);
    CHECK_EQUAL(used(own, cudaMemPoolAttrUsedMemCurrent), 0);
    CHECK_EQUAL(used(own, cudaMemPoolAttrUsedMemHigh), 128);

    CHECK_CUDA(cudaDeviceSetMemPool(0, own));
    CHECK_CUDA(cudaDeviceGetMemPool(&now, 0));
    CHECK(now == own);
    CHECK_CUDA(cudaDeviceSetMemPool(0, standard));
    CHECK_CUDA(cudaMemPoolDestroy(own));
    properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    CHECK_EQUAL(cudaMemPoolCreate(&own, &properties), cudaErrorNotSupported);
    cudaGetLastError();
}
