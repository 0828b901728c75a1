#include "cases.h"

// feature: cudaGetDeviceCount, cudaGetDeviceProperties, cudaDeviceGetAttribute,
// versions

CASE(device_properties)
{
    int count = 0, device = -1, value = 0, driver = 0, runtime = 0;
    cudaDeviceProp p;
    CHECK_CUDA(cudaGetDeviceCount(&count));
    CHECK(count >= 1);
    CHECK_CUDA(cudaSetDevice(0));
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_EQUAL(device, 0);
    CHECK_CUDA(cudaGetDeviceProperties(&p, 0));
    CHECK(p.name[0] != 0 && p.major >= 7 && p.multiProcessorCount >= 1);
    CHECK_EQUAL(p.warpSize, 32);
    CHECK_EQUAL(p.maxThreadsPerBlock, 1024);
    CHECK_EQUAL(p.maxThreadsDim[2], 64);
    CHECK_EQUAL(p.maxGridSize[1], 65535);
    CHECK_EQUAL(p.sharedMemPerBlock, 48 * 1024);
    CHECK(p.totalGlobalMem > 0 && p.l2CacheSize > 0 && p.regsPerBlock > 0);
    CHECK_CUDA(
        cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
    CHECK_EQUAL(value, 1024);
    CHECK_CUDA(
        cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK_EQUAL(value, p.multiProcessorCount);
    CHECK_CUDA(cudaDeviceGetAttribute(
        &value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(value > 48 * 1024);
    CHECK_CUDA(cudaDriverGetVersion(&driver));
    CHECK_CUDA(cudaRuntimeGetVersion(&runtime));
    CHECK(driver >= 12000 && runtime >= 12000);
}
