/**
 * @file device.c
 * @brief What programs ask about the device.
 *
 * The device is made up; limits.h has the numbers that others need, too.
 */
#include "api.h"

/* ---- versions and devices ------------------------------------------------ */

/** A call that answers with one number. */
#define ANSWER(name, number)                                                   \
    cudaError_t name(int *answer)                                              \
    {                                                                          \
        *answer = number;                                                      \
        return sim_return(cudaSuccess);                                        \
    }
ANSWER(cudaDriverGetVersion, CUDART_VERSION)
ANSWER(cudaRuntimeGetVersion, CUDART_VERSION)
ANSWER(cudaGetDeviceCount, 1)
ANSWER(cudaGetDevice, 0)

/** A call that changes nothing here. */
#define ACCEPT(name, type)                                                     \
    cudaError_t name(type unused)                                              \
    {                                                                          \
        (void)unused;                                                          \
        return sim_return(cudaSuccess);                                        \
    }
ACCEPT(cudaSetDeviceFlags, unsigned int)
ACCEPT(cudaDeviceSetCacheConfig, enum cudaFuncCache)
ACCEPT(cudaDeviceSetSharedMemConfig, enum cudaSharedMemConfig)

/** There is one device, number 0. */
static cudaError_t check_device(int device)
{
    if (device)
        return sim_refuse(
            cudaErrorInvalidDevice,
            sim_format("device %d: there is one here, number 0", device));
    return sim_return(cudaSuccess);
}

cudaError_t cudaSetDevice(int device)
{
    return check_device(device);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    if (check_device(device))
        return cudaErrorInvalidDevice;
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
                                 .clusterLaunch = 1,
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

/** One fact; -1: there is no such attribute. */
static int attribute_of(const struct cudaDeviceProp *p, int attribute)
{
#define FACT(name, number, value)                                              \
    case number:                                                               \
        return (int)(value);
    switch (attribute) {
        SIM_DEVICE_ATTRIBUTES(FACT)
    }
#undef FACT
    /* Textures and surfaces, of which this device has none. */
    return attribute >= cudaDevAttrMaxThreadsPerBlock &&
                   attribute <= cudaDevAttrOnlyPartialHostNativeAtomicSupported
               ? 0
               : -1;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
                                   int device)
{
    struct cudaDeviceProp p;
    cudaError_t error = cudaGetDeviceProperties(&p, device);
    if (error)
        return error;
    int answer = attribute_of(&p, (int)attribute);
    RETURN_IF(answer < 0, cudaErrorInvalidValue);
    *value = answer;
    return sim_return(cudaSuccess);
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
    RETURN_IF((unsigned)limit >= sizeof limits / sizeof *limits,
              cudaErrorInvalidValue);
    limits[limit] = value;
    return sim_return(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    RETURN_IF((unsigned)limit >= sizeof limits / sizeof *limits,
              cudaErrorInvalidValue);
    *value = limits[limit];
    return sim_return(cudaSuccess);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return sim_return(cudaSuccess);
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

/* ---- the profiler's range ------------------------------------------------ */

cudaError_t cudaProfilerStart(void)
{
    sim_range(true);
    return sim_return(cudaSuccess);
}

cudaError_t cudaProfilerStop(void)
{
    sim_range(false);
    return sim_return(cudaSuccess);
}
