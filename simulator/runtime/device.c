/**
 * @file device.c
 * @brief What kernels ask about themselves, and programs about the device.
 *
 * The device is made up; limits.h has the numbers that others need, too.
 */
#include <stdio.h>
#include <string.h>

#include "../include/cuda_runtime_api.h"
#include "../include/sim.h"
#include "cost.h"
#include "errors.h"
#include "findings.h"
#include "memory.h"
#include "queue.h"
#include "report.h"
#include "sites.h"
#include "stream.h"
#include "text.h"
#include "worker.h"

#define CLOCK_STEP                                                             \
    61 /**< between two readings of the clock; a prime, so that                \
            spans are no round numbers */
#define CLOCK_DOUBLES 8 /**< readings of a lane until they are twice as far */
#define CLOCK_FASTEST 8 /**< so often doubled, at most */

/* ---- asked by kernels ---------------------------------------------------- */

unsigned sim_thread_x(void)
{
    return sim_self->lane->x;
}

unsigned sim_thread_y(void)
{
    return sim_self->lane->y;
}

unsigned sim_thread_z(void)
{
    return sim_self->lane->z;
}

unsigned sim_block_x(void)
{
    return sim_self->block[0];
}

unsigned sim_block_y(void)
{
    return sim_self->block[1];
}

unsigned sim_block_z(void)
{
    return sim_self->block[2];
}

unsigned sim_block_dim_x(void)
{
    return sim_now.block[0];
}

unsigned sim_block_dim_y(void)
{
    return sim_now.block[1];
}

unsigned sim_block_dim_z(void)
{
    return sim_now.block[2];
}

unsigned sim_grid_dim_x(void)
{
    return sim_now.grid[0];
}

unsigned sim_grid_dim_y(void)
{
    return sim_now.grid[1];
}

unsigned sim_grid_dim_z(void)
{
    return sim_now.grid[2];
}

void *sim_dynamic_shared(void)
{
    return (void *)sim_self->dynamic_low;
}

size_t sim_shared_offset(const void *p)
{
    const sim_worker *w = sim_self;
    uintptr_t a = (uintptr_t)p;
    if (a - w->shared_low < w->shared_bytes)
        return a - w->shared_low;
    return a - w->dynamic_low + w->dynamic_offset;
}

void *sim_shared_pointer(size_t offset)
{
    const sim_worker *w = sim_self;
    if (offset < w->dynamic_offset)
        return (void *)(w->shared_low + offset);
    return (void *)(w->dynamic_low + offset - w->dynamic_offset);
}

/* Who reads it over and over again waits for time to pass: it passes faster. */
uint64_t sim_clock(void)
{
    static _Atomic uint64_t clock;
    unsigned doubled = sim_self->clock_reads++ / CLOCK_DOUBLES;
    if (doubled > CLOCK_FASTEST)
        doubled = CLOCK_FASTEST;
    return atomic_fetch_add(&clock, (uint64_t)CLOCK_STEP << doubled);
}

void sim_assert_failed(const char *expression, const char *file, int line)
{
    sim_worker *w = sim_self;
    if (!w->lane) {
        fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line,
                expression);
        return;
    }
    sim_finding(
        "assertion",
        (sim_place){.file = file, .line = line, .block = w->block_number},
        sim_format("%s is false\nfor %s", expression, sim_here(w)));
    sim_end_launch(w, cudaErrorAssert);
}

/* ---- versions and devices ------------------------------------------------ */

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return sim_return(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return sim_return(cudaSuccess);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return sim_return(cudaSuccess);
}

/** There is one device, number 0. */
static cudaError_t check_device(int device)
{
    return sim_return(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaSetDevice(int device)
{
    return check_device(device);
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags,
                           unsigned int flags)
{
    (void)device_flags;
    (void)flags;
    return check_device(device);
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return sim_return(cudaSuccess);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    (void)flags;
    return sim_return(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    *flags = cudaDeviceScheduleAuto;
    return sim_return(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    if (check_device(device))
        return sim_return(cudaErrorInvalidDevice);
    size_t left;
    *p = (struct cudaDeviceProp){.name = "simulator",
                                 .sharedMemPerBlock = SHARED_DEFAULT,
                                 .regsPerBlock = REGISTERS_PER_SM,
                                 .warpSize = LANES,
                                 .memPitch = 0x7fffffff,
                                 .maxThreadsPerBlock = MAX_THREADS,
                                 .maxThreadsDim = MAX_BLOCK,
                                 .maxGridSize = MAX_GRID,
                                 .clockRate = 1980000,
                                 .totalConstMem = 64 * KIB,
                                 .major = 9,
                                 .textureAlignment = 512,
                                 .texturePitchAlignment = 32,
                                 .deviceOverlap = 1,
                                 .multiProcessorCount = MULTIPROCESSORS,
                                 .canMapHostMemory = 1,
                                 .concurrentKernels = 1,
                                 .ECCEnabled = 1,
                                 .asyncEngineCount = 3,
                                 .unifiedAddressing = 1,
                                 .memoryClockRate = 2619000,
                                 .memoryBusWidth = 5120,
                                 .l2CacheSize = 50 * MIB,
                                 .persistingL2CacheMaxSize = 32768000,
                                 .accessPolicyMaxWindowSize = 134213632,
                                 .memoryPoolsSupported = 1,
                                 .cooperativeLaunch = 1,
                                 .hostRegisterSupported = 1,
                                 .maxThreadsPerMultiProcessor = THREADS_PER_SM,
                                 .streamPrioritiesSupported = 1,
                                 .globalL1CacheSupported = 1,
                                 .localL1CacheSupported = 1,
                                 .sharedMemPerMultiprocessor = SHARED_PER_SM,
                                 .regsPerMultiprocessor = REGISTERS_PER_SM,
                                 .managedMemory = 1,
                                 .concurrentManagedAccess = 1,
                                 .computePreemptionSupported = 1,
                                 .sharedMemPerBlockOptin = SHARED_PER_BLOCK,
                                 .maxBlocksPerMultiProcessor = BLOCKS_PER_SM,
                                 .reservedSharedMemPerBlock = SHARED_RESERVED};
    sim_memory_limits(&p->totalGlobalMem, &left);
    return sim_return(cudaSuccess);
}

/** One fact; -1: this attribute is not known here. */
static int attribute_of(const struct cudaDeviceProp *p,
                        enum cudaDeviceAttr attribute)
{
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        return p->maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
    case cudaDevAttrMaxBlockDimZ:
        return p->maxThreadsDim[attribute - cudaDevAttrMaxBlockDimX];
    case cudaDevAttrMaxGridDimX:
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
        return p->maxGridSize[attribute - cudaDevAttrMaxGridDimX];
    case cudaDevAttrMaxSharedMemoryPerBlock:
        return (int)p->sharedMemPerBlock;
    case cudaDevAttrTotalConstantMemory:
        return (int)p->totalConstMem;
    case cudaDevAttrWarpSize:
        return p->warpSize;
    case cudaDevAttrMaxPitch:
        return (int)p->memPitch;
    case cudaDevAttrMaxRegistersPerBlock:
        return p->regsPerBlock;
    case cudaDevAttrClockRate:
        return p->clockRate;
    case cudaDevAttrTextureAlignment:
        return (int)p->textureAlignment;
    case cudaDevAttrGpuOverlap:
        return p->deviceOverlap;
    case cudaDevAttrMultiProcessorCount:
        return p->multiProcessorCount;
    case cudaDevAttrCanMapHostMemory:
        return p->canMapHostMemory;
    case cudaDevAttrConcurrentKernels:
        return p->concurrentKernels;
    case cudaDevAttrEccEnabled:
        return p->ECCEnabled;
    case cudaDevAttrMemoryClockRate:
        return p->memoryClockRate;
    case cudaDevAttrGlobalMemoryBusWidth:
        return p->memoryBusWidth;
    case cudaDevAttrL2CacheSize:
        return p->l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        return p->maxThreadsPerMultiProcessor;
    case cudaDevAttrAsyncEngineCount:
        return p->asyncEngineCount;
    case cudaDevAttrUnifiedAddressing:
        return p->unifiedAddressing;
    case cudaDevAttrComputeCapabilityMajor:
        return p->major;
    case cudaDevAttrComputeCapabilityMinor:
        return p->minor;
    case cudaDevAttrStreamPrioritiesSupported:
        return p->streamPrioritiesSupported;
    case cudaDevAttrGlobalL1CacheSupported:
        return p->globalL1CacheSupported;
    case cudaDevAttrLocalL1CacheSupported:
        return p->localL1CacheSupported;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        return (int)p->sharedMemPerMultiprocessor;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        return p->regsPerMultiprocessor;
    case cudaDevAttrManagedMemory:
        return p->managedMemory;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        return 2;
    case cudaDevAttrConcurrentManagedAccess:
        return p->concurrentManagedAccess;
    case cudaDevAttrComputePreemptionSupported:
        return p->computePreemptionSupported;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return (int)p->sharedMemPerBlockOptin;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        return p->maxBlocksPerMultiProcessor;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        return (int)p->reservedSharedMemPerBlock;
    case cudaDevAttrMaxPersistingL2CacheSize:
        return p->persistingL2CacheMaxSize;
    case cudaDevAttrMaxAccessPolicyWindowSize:
        return p->accessPolicyMaxWindowSize;
    case cudaDevAttrCooperativeLaunch:
        return p->cooperativeLaunch;
    case cudaDevAttrMemoryPoolsSupported:
        return p->memoryPoolsSupported;
    case cudaDevAttrHostRegisterSupported:
        return p->hostRegisterSupported;
    default: /* what this device lacks: textures, other devices, ... */
        return attribute >= cudaDevAttrMaxThreadsPerBlock &&
                       attribute <=
                           cudaDevAttrOnlyPartialHostNativeAtomicSupported
                   ? 0
                   : -1;
    }
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
                                   int device)
{
    struct cudaDeviceProp p;
    cudaError_t error = cudaGetDeviceProperties(&p, device);
    if (error)
        return error;
    int answer = attribute_of(&p, attribute);
    if (answer < 0)
        return sim_return(cudaErrorInvalidValue);
    *value = answer;
    return sim_return(cudaSuccess);
}

cudaError_t cudaChooseDevice(int *device,
                             const struct cudaDeviceProp *properties)
{
    (void)properties;
    return cudaGetDevice(device);
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    snprintf(text, (size_t)length, "0000:00:00.0");
    return check_device(device);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    *device = 0;
    return check_device(strcmp(text, "0000:00:00.0") != 0);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return sim_return(cudaSuccess);
}

/** Everything as at the start of the program; ends a sticky error. */
cudaError_t cudaDeviceReset(void)
{
    sim_memory_open();
    sim_queue_wait();
    sim_streams_reset();
    sim_memory_reset();
    sim_set_sticky(cudaSuccess);
    cudaGetLastError();
    return cudaSuccess;
}

static size_t limits[8] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = MIB,
    [cudaLimitMallocHeapSize] = 8 * MIB,
};

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    if ((unsigned)limit >= sizeof limits / sizeof *limits)
        return sim_return(cudaErrorInvalidValue);
    limits[limit] = value;
    return sim_return(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    if ((unsigned)limit >= sizeof limits / sizeof *limits)
        return sim_return(cudaErrorInvalidValue);
    *value = limits[limit];
    return sim_return(cudaSuccess);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    (void)config;
    return sim_return(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    *config = cudaFuncCachePreferNone;
    return sim_return(cudaSuccess);
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    (void)config;
    return sim_return(cudaSuccess);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    *config = cudaSharedMemBankSizeFourByte;
    return sim_return(cudaSuccess);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return sim_return(cudaSuccess);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    return check_device(count > 0 ? devices[0] : 0);
}

/* ---- other devices: there are none --------------------------------------- */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = 0;
    return check_device(device ? device : peer);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    (void)peer;
    return sim_return(flags ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return sim_return(peer ? cudaErrorInvalidDevice
                           : cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value,
                                      enum cudaDeviceP2PAttr attribute,
                                      int device, int peer)
{
    (void)attribute;
    (void)device;
    (void)peer;
    *value = 0;
    return sim_return(cudaErrorInvalidDevice);
}

cudaError_t cudaProfilerStart(void)
{
    sim_report_begin_range();
    return sim_return(cudaSuccess);
}

cudaError_t cudaProfilerStop(void)
{
    sim_report_end_range();
    return sim_return(cudaSuccess);
}

/* ---- kernels and occupancy ----------------------------------------------- */

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                  const void *kernel)
{
    if (!kernel || !attributes)
        return sim_return(cudaErrorInvalidDeviceFunction);
    const sim_kernel_info *k = sim_kernel_get(kernel);
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = k->shared_bytes,
        .localSizeBytes = k->local_bytes,
        .maxThreadsPerBlock = (int)k->most_threads,
        .ptxVersion = 90,
        .binaryVersion = 90,
        .maxDynamicSharedSizeBytes = (int)k->dynamic_limit,
        .preferredShmemCarveout = -1};
    return sim_return(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void *kernel,
                                 enum cudaFuncAttribute attribute, int value)
{
    if (!kernel)
        return sim_return(cudaErrorInvalidDeviceFunction);
    sim_kernel_info *k = sim_kernel_get(kernel);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return sim_return(cudaSuccess);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        (size_t)value + k->shared_bytes > SHARED_PER_BLOCK)
        return sim_return(cudaErrorInvalidValue);
    k->dynamic_limit = (size_t)value;
    return sim_return(cudaSuccess);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *kernel,
                                       enum cudaSharedMemConfig config)
{
    (void)config;
    return sim_return(kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncSetCacheConfig(const void *kernel,
                                   enum cudaFuncCache config)
{
    (void)config;
    return sim_return(kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *kernel,
                                                          int block_size,
                                                          size_t dynamic_bytes)
{
    if (!blocks || block_size < 1)
        return sim_return(cudaErrorInvalidValue);
    if (!kernel)
        return sim_return(cudaErrorInvalidDeviceFunction);
    *blocks = 0;
    const sim_kernel_info *k = sim_kernel_get(kernel);
    if (block_size <= (int)k->most_threads && dynamic_bytes <= SHARED_PER_BLOCK)
        *blocks = sim_resident_blocks(block_size, ASSUMED_REGISTERS,
                                      k->shared_bytes + dynamic_bytes);
    return sim_return(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *kernel, int block_size, size_t dynamic_bytes,
    unsigned int flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, kernel, block_size, dynamic_bytes);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                      const void *kernel,
                                                      int blocks,
                                                      int block_size)
{
    if (!bytes || !kernel || blocks < 1 || block_size < 1)
        return sim_return(cudaErrorInvalidValue);
    size_t fixed = sim_kernel_get(kernel)->shared_bytes + SHARED_RESERVED;
    size_t share = (size_t)(SHARED_PER_SM / blocks);
    *bytes = share > fixed ? share - fixed : 0;
    return sim_return(cudaSuccess);
}

cudaError_t sim_best_block(int *grid_size, int *block_size, const void *kernel,
                           size_t dynamic_bytes, int limit)
{
    if (!kernel)
        return sim_return(cudaErrorInvalidDeviceFunction);
    const sim_kernel_info *k = sim_kernel_get(kernel);
    size_t fixed = k->shared_bytes;
    int most = (int)k->most_threads;
    most = limit > 0 && limit < most ? limit : most;
    int best = 0, best_blocks = 0;
    for (int size = most; size > 0; size -= LANES) {
        int blocks =
            sim_resident_blocks(size, ASSUMED_REGISTERS, fixed + dynamic_bytes);
        if (blocks * size > best_blocks * best) {
            best = size;
            best_blocks = blocks;
        }
    }
    *block_size = best;
    *grid_size = best_blocks * MULTIPROCESSORS;
    return sim_return(cudaSuccess);
}
