#include "cases.h"
#include <builtin_types.h>
#include <channel_descriptor.h>
#include <common_functions.h>
#include <crt/host_defines.h>
#include <cuda_profiler_api.h>
#include <driver_functions.h>
#include <host_config.h>
#include <math_constants.h>
#include <nvtx3/nvToolsExt.h>
#include <sm_20_intrinsics.h>
#include <sm_30_intrinsics.h>
#include <sm_60_atomic_functions.h>
#include <vector_functions.hpp>

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

// feature: calls for several devices, answered as with one: peers, copies
// between them

CASE(device_peers)
{
    int can = -1, rank = -1, *x = shared_zeros<int>(2);
    CHECK_CUDA(cudaDeviceCanAccessPeer(&can, 0, 0));
    CHECK_EQUAL(can, 0);
    CHECK_EQUAL(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
    CHECK_EQUAL(cudaDeviceDisablePeerAccess(1), cudaErrorInvalidDevice);
    CHECK_EQUAL(
        cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, 0, 1),
        cudaErrorInvalidDevice);
    CHECK_EQUAL(cudaSetDevice(1), cudaErrorInvalidDevice);
    cudaGetLastError();
    x[1] = 7;
    CHECK_CUDA(cudaMemcpyPeer(&x[0], 0, &x[1], 0, sizeof *x));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(x[0], 7);
    CHECK_EQUAL(cudaMemcpyPeer(&x[0], 1, &x[1], 0, sizeof *x),
                cudaErrorInvalidDevice);
    cudaGetLastError();
}

// feature: cudaDeviceReset, cache and shared memory preferences, limits, flags

__global__ void fill(int *x, int value)
{
    x[threadIdx.x] = value;
}

CASE(device_settings)
{
    size_t limit = 0;
    int low = 0, high = 0;
    CHECK_CUDA(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    CHECK_CUDA(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    CHECK_CUDA(cudaFuncSetCacheConfig(fill, cudaFuncCachePreferShared));
    CHECK_CUDA(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    CHECK_CUDA(
        cudaFuncSetSharedMemConfig(fill, cudaSharedMemBankSizeEightByte));
    CHECK_CUDA(cudaFuncSetAttribute(
        fill, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    CHECK_CUDA(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
    CHECK_CUDA(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
    CHECK_CUDA(cudaDeviceGetStreamPriorityRange(&low, &high));
    int *x = zeros<int>(32);
    fill<<<1, 32>>>(x, 1);
    CHECK_EQUAL(fetch(x + 31), 1);
    CHECK_CUDA(cudaDeviceReset());
}

// feature: names that helper headers test: `__DRIVER_TYPES_H__`,
// `__CUDA_RUNTIME_H__`, every error, every attribute of a device;
// <cuda_profiler_api.h>; `<math_constants.h>`; `<nvtx3/nvToolsExt.h>`, whose
// ranges do nothing; <sm_20_intrinsics.h> and others whose content is always
// here

#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__) ||            \
    !defined(__CUDA_RUNTIME_API_H__) || !defined(__CUDACC__)
#error "a helper header would leave its functions out"
#endif

__global__ void constants(float x)
{
    CHECK_EQUAL(CUDART_PI_F * x, 3.14159274f);
    CHECK_EQUAL(CUDART_SQRT_TWO - sqrt(2.0 * x), 0);
    CHECK(isinf(CUDART_INF_F) && isnan(CUDART_NAN * x));
}

CASE(header_names)
{
    CHECK_EQUAL(nvtxRangePush("a range"), 0);
    constants<<<1, 1>>>(1);
    nvtxRangePop();
    CHECK_EQUAL(cudaErrorGraphExecUpdateFailure, 910);
    CHECK_EQUAL(cudaErrorInvalidResourceConfiguration, 915);
    CHECK(!strcmp(cudaGetErrorName(cudaErrorECCUncorrectable),
                  "cudaErrorECCUncorrectable"));
    CHECK(strlen(cudaGetErrorString(cudaErrorNotMapped)) > 0);
    int mode = -1, patience = -1;
    CHECK_CUDA(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0));
    CHECK_EQUAL(mode, cudaComputeModeDefault);
    CHECK(mode != cudaComputeModeProhibited);
    CHECK_CUDA(
        cudaDeviceGetAttribute(&patience, cudaDevAttrKernelExecTimeout, 0));
    CHECK_EQUAL(patience, 0);
    CHECK_EQUAL(cudaDeviceGetAttribute(&mode, (cudaDeviceAttr)9999, 0),
                cudaErrorInvalidValue);
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidValue);
    CHECK_CUDA(cudaProfilerStart());
    CHECK_CUDA(cudaProfilerStop());
}

// feature: error codes: names, texts, cudaGetLastError, cudaPeekAtLastError

__global__ void nothing()
{
}

CASE(errors)
{
    CHECK(strcmp(cudaGetErrorName(cudaErrorInvalidValue),
                 "cudaErrorInvalidValue") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration),
                 "invalid configuration argument") == 0);

    CHECK(cudaMemset(NULL, 0, 4) == cudaErrorInvalidValue);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
    CHECK(cudaEventQuery(NULL) != cudaSuccess);
    cudaGetLastError();
    nothing<<<1, 1>>>();
    CHECK(cudaGetLastError() == cudaSuccess);
}

// feature: cudaLaunchKernel; launches over several lines, through macros, in
// templates; arguments 0, NULL and in braces

#define THREADS 32
#define ON_ONE_WARP(kernel, ...) kernel<<<1, THREADS>>>(__VA_ARGS__)

template <int N>
__global__ void fill_number(int *x)
{
    x[threadIdx.x] = N;
}

template <int N>
static void launch_number(int *x)
{
    fill_number<N><<<dim3(1), dim3(THREADS)>>>(x);
}

static int evaluated;

static int once()
{
    return ++evaluated;
}

struct range {
    int first, last;
};

__global__ void fill_range(int *x, const int *add, range r, float2 scale)
{
    int i = threadIdx.x;
    if (i >= r.first && i <= r.last)
        x[i] = (int)(i * scale.x + scale.y) + (add ? add[i] : 1);
}

template <class T>
__global__ void fill_any(T *x, T value, const T *add)
{
    x[threadIdx.x] = value + (add ? add[threadIdx.x] : 5);
}

static void without_types(int *x)
{
    fill_range<<<1, 32>>>(x, 0, {8, 9}, {2, 0.5f});
    CHECK(fetch(x + 8) == 17 && fetch(x + 9) == 19 && fetch(x + 10) == 3);
    fill_range<<<1, 32>>>(x, NULL, range{0, 3}, {});
    CHECK(fetch(x) == 1 && fetch(x + 3) == 1 && fetch(x + 4) == 3);
    fill_any<<<1, 32>>>(x, 0, (const int *)0);
    CHECK(fetch(x + 31) == 5);
    fill_any<int><<<1, 32>>>(x, 0, 0);
    CHECK(fetch(x + 31) == 5);
}

CASE(launch_api)
{
    int *x = zeros<int>(32);
    ON_ONE_WARP(fill, x, 3);
    CHECK_EQUAL(fetch(x + 31), 3);
    without_types(x);

    fill<<<     // comments
        1,      // and > >> >>> in them
        THREADS // do no harm
        >>>(x, once());
    CHECK_EQUAL(fetch(x + 31), 1);
    CHECK_EQUAL(evaluated, 1);

    const char *text = "fill<<<1, 1>>>(x, 0);"; // a string is no launch
    CHECK_EQUAL(strlen(text), 21);

    if (fetch(x) == 1)
        launch_number<8>(x);
    else
        fill<<<1, 1>>>(x, 0);
    CHECK_EQUAL(fetch(x + 31), 8);

    int value = 21;
    void *arguments[] = {&x, &value};
    CHECK_CUDA(cudaLaunchKernel(fill, dim3(1), dim3(32), arguments, 0, 0));
    CHECK_EQUAL(fetch(x + 31), 21);
}

// feature: cudaFuncGetAttributes: static shared memory, threads per block
// counted only: the compiler's own output says what a kernel uses

__global__ void kernel(float *x)
{
    __shared__ float s[256];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads(); // the array is complete
    x[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void __launch_bounds__(128) bounded()
{
}

CASE(function_attributes)
{
    cudaFuncAttributes attributes;
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, kernel));
    CHECK_EQUAL(attributes.sharedSizeBytes, 256 * sizeof(float));
    CHECK_EQUAL(attributes.maxThreadsPerBlock, 1024);
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, bounded));
    CHECK_EQUAL(attributes.maxThreadsPerBlock, 128);
    int blocks, size;
    CHECK_CUDA(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, bounded));
    CHECK_EQUAL(size, 128);
}

// feature: occupancy calls

CASE(occupancy)
{
    int blocks = 0, more = 0, grid = 0, block = 0;
    CHECK_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
    CHECK(blocks >= 1 && blocks <= 8); // 2048 threads per multiprocessor
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&more, kernel, 256,
                                                             40 * 1024));
    CHECK(more >= 1 && more <= blocks);
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &more, kernel, 256, 0, cudaOccupancyDefault));
    CHECK_EQUAL(more, blocks);
    CHECK_CUDA(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        &grid, &block, kernel, [](int threads) { return 4 * threads; }));
    CHECK(block >= 32 && block <= 1024 && grid >= 1);
    CHECK_CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0));
    CHECK(block >= 32 && block <= 1024 && grid >= 1);
}
