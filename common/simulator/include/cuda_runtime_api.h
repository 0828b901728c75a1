/**
 * @file cuda_runtime_api.h
 * @brief The CUDA runtime API as far as the simulator has it.
 *
 * Valid C11 and C++17. Names, numbers and signatures are those of CUDA 13, so
 * that a program compiles here and with nvcc. What is different here:
 *
 *   - Streams: everything is done at once and in order. A missing
 *     synchronisation is therefore not noticed.
 *   - Events: times are those of the simulator, never those of a GPU.
 *   - Occupancy: computed from block size and shared memory for a GPU like an
 *     H100, with 32 registers per thread, since no registers are known.
 *   - Default stream: the legacy one (0, cudaStreamLegacy) and the per-thread
 *     one (cudaStreamPerThread) are one stream, which can be captured.
 */
#ifndef CUDA_RUNTIME_API_H
#define CUDA_RUNTIME_API_H

#include <stddef.h>

#define __CUDASIM__ 1        /**< this is the simulator */
#define CUDART_VERSION 13000 /**< version of the API: 13.0 */
#define CUDA_VERSION 13000   /**< the same, as the driver calls it */
#define __CUDART_API_VERSION CUDART_VERSION

#ifndef CUDART_CB
#define CUDART_CB /**< calling convention of callbacks */
#endif

/* ---- errors -------------------------------------------------------------- */

/** Every error: name, number, text. */
#define SIM_CUDA_ERRORS(X)                                                     \
    X(cudaSuccess, 0, "no error")                                              \
    X(cudaErrorInvalidValue, 1, "invalid argument")                            \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                           \
    X(cudaErrorInitializationError, 3, "initialization error")                 \
    X(cudaErrorCudartUnloading, 4, "driver shutting down")                     \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")      \
    X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                \
    X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                     \
    X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")             \
    X(cudaErrorInvalidMemcpyDirection, 21,                                     \
      "invalid copy direction for memcpy")                                     \
    X(cudaErrorInsufficientDriver, 35,                                         \
      "CUDA driver version is insufficient for CUDA runtime version")          \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")           \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")            \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                   \
    X(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")      \
    X(cudaErrorNoKernelImageForDevice, 209,                                    \
      "no kernel image is available for execution on the device")              \
    X(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")                \
    X(cudaErrorOperatingSystem, 304,                                           \
      "OS call failed or operation not "                                       \
      "supported on this OS")                                                  \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")          \
    X(cudaErrorIllegalState, 401,                                              \
      "the operation cannot be performed in the present state")                \
    X(cudaErrorSymbolNotFound, 500, "named symbol not found")                  \
    X(cudaErrorNotReady, 600, "device not ready")                              \
    X(cudaErrorIllegalAddress, 700,                                            \
      "an illegal memory access was encountered")                              \
    X(cudaErrorLaunchOutOfResources, 701,                                      \
      "too many resources requested for launch")                               \
    X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")  \
    X(cudaErrorPeerAccessAlreadyEnabled, 704,                                  \
      "peer access is already enabled")                                        \
    X(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")  \
    X(cudaErrorAssert, 710, "device-side assert triggered")                    \
    X(cudaErrorHostMemoryAlreadyRegistered, 712,                               \
      "part or all of the requested memory range is already mapped")           \
    X(cudaErrorHostMemoryNotRegistered, 713,                                   \
      "pointer does not correspond to a registered memory region")             \
    X(cudaErrorHardwareStackError, 714, "hardware stack error")                \
    X(cudaErrorIllegalInstruction, 715,                                        \
      "an illegal instruction was encountered")                                \
    X(cudaErrorMisalignedAddress, 716, "misaligned address")                   \
    X(cudaErrorInvalidAddressSpace, 717,                                       \
      "operation not supported on global/shared address space")                \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure")               \
    X(cudaErrorCooperativeLaunchTooLarge, 720,                                 \
      "too many blocks in cooperative launch")                                 \
    X(cudaErrorNotPermitted, 800, "operation not permitted")                   \
    X(cudaErrorNotSupported, 801, "operation not supported")                   \
    X(cudaErrorStreamCaptureUnsupported, 900,                                  \
      "operation not permitted when stream is capturing")                      \
    X(cudaErrorStreamCaptureInvalidated, 901,                                  \
      "operation failed due to a previous error during capture")               \
    X(cudaErrorStreamCaptureMerge, 902,                                        \
      "operation would result in a merge of separate capture sequences")       \
    X(cudaErrorStreamCaptureUnmatched, 903,                                    \
      "capture was not ended in the same stream as it began")                  \
    X(cudaErrorStreamCaptureUnjoined, 904,                                     \
      "capturing stream has unjoined work")                                    \
    X(cudaErrorStreamCaptureIsolation, 905,                                    \
      "dependency created on uncaptured work in another stream")               \
    X(cudaErrorStreamCaptureImplicit, 906,                                     \
      "operation would make the legacy stream depend on a capturing blocking " \
      "stream")                                                                \
    X(cudaErrorCapturedEvent, 907,                                             \
      "operation not permitted on an event last recorded in a capturing "      \
      "stream")                                                                \
    X(cudaErrorStreamCaptureWrongThread, 908,                                  \
      "attempt to terminate a thread-local capture sequence from another "     \
      "thread")                                                                \
    X(cudaErrorTimeout, 909, "wait operation timed out")                       \
    X(cudaErrorGraphExecUpdateFailure, 910,                                    \
      "the graph update was not performed because it included changes which "  \
      "violated constraints specific to instantiated graph update")            \
    X(cudaErrorUnknown, 999, "unknown error")

#define SIM_ERROR_ENUMERATOR(name, number, text) name = number,
/** What nearly every function returns. */
enum cudaError { SIM_CUDA_ERRORS(SIM_ERROR_ENUMERATOR) };
#undef SIM_ERROR_ENUMERATOR
typedef enum cudaError cudaError_t; /**< the name that programs use */

/* ---- types --------------------------------------------------------------- */

/** Sizes of a grid or a block. */
struct dim3 {
    unsigned int x; /**< fastest-varying */
    unsigned int y; /**< rows */
    unsigned int z; /**< layers */
#ifdef __cplusplus
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1,
                   unsigned int z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
    /** From a uint3, such as blockDim. */
    template <class V, unsigned int V::*X = &V::x, unsigned int V::*Z = &V::z>
    constexpr dim3(const V &v) : x(v.x), y(v.y), z(v.z)
    {
    }
#endif
};
typedef struct dim3 dim3; /**< so that C may leave out `struct` */

typedef struct CUstream_st *cudaStream_t;       /**< opaque */
typedef struct CUevent_st *cudaEvent_t;         /**< opaque */
typedef struct CUgraph_st *cudaGraph_t;         /**< opaque */
typedef struct CUgraphExec_st *cudaGraphExec_t; /**< opaque */
typedef struct CUgraphNode_st *cudaGraphNode_t; /**< opaque */

#define cudaStreamLegacy ((cudaStream_t)0x1)    /**< see the head comment */
#define cudaStreamPerThread ((cudaStream_t)0x2) /**< see the head comment */

#define cudaStreamDefault 0x00              /**< flag of cudaStreamCreate */
#define cudaStreamNonBlocking 0x01          /**< flag; no effect */
#define cudaEventDefault 0x00               /**< flag of cudaEventCreate */
#define cudaEventBlockingSync 0x01          /**< flag; no effect */
#define cudaEventDisableTiming 0x02         /**< flag: no elapsed time */
#define cudaEventInterprocess 0x04          /**< flag; no effect */
#define cudaEventRecordDefault 0x00         /**< flag */
#define cudaEventWaitDefault 0x00           /**< flag */
#define cudaHostAllocDefault 0x00           /**< flag */
#define cudaHostAllocPortable 0x01          /**< flag; no effect */
#define cudaHostAllocMapped 0x02            /**< flag; no effect: all are */
#define cudaHostAllocWriteCombined 0x04     /**< flag; no effect */
#define cudaHostRegisterDefault 0x00        /**< flag */
#define cudaMemAttachGlobal 0x01            /**< flag of cudaMallocManaged */
#define cudaMemAttachHost 0x02              /**< flag; no effect */
#define cudaDeviceScheduleAuto 0x00         /**< flag; no effect */
#define cudaDeviceScheduleSpin 0x01         /**< flag; no effect */
#define cudaDeviceScheduleYield 0x02        /**< flag; no effect */
#define cudaDeviceScheduleBlockingSync 0x04 /**< flag; no effect */
#define cudaDeviceMapHost 0x08              /**< flag; no effect */
#define cudaOccupancyDefault 0x00           /**< flag */
#define cudaCpuDeviceId ((int)-1)           /**< the host, for prefetching */
#define cudaInvalidDeviceId ((int)-2)       /**< no device */

/** Direction of a copy. */
enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4 /**< found out from the pointers */
};

/** What may happen elsewhere while a stream captures; no effect here. */
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2
};

/** Does a stream capture? */
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1,
    cudaStreamCaptureStatusInvalidated = 2
};

/** Where a pointer points. */
enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3
};

/** Answer of cudaPointerGetAttributes(). */
struct cudaPointerAttributes {
    enum cudaMemoryType type; /**< kind of memory */
    int device;               /**< 0, or -2 for plain host memory */
    void *devicePointer;      /**< NULL if kernels cannot use it */
    void *hostPointer;        /**< NULL if the host cannot use it */
};

/** Answer of cudaFuncGetAttributes(). */
struct cudaFuncAttributes {
    size_t sharedSizeBytes;        /**< static shared memory */
    size_t constSizeBytes;         /**< 0 here */
    size_t localSizeBytes;         /**< arrays not in registers, per thread */
    int maxThreadsPerBlock;        /**< 1024 */
    int numRegs;                   /**< 0 here: not known */
    int ptxVersion;                /**< 90 */
    int binaryVersion;             /**< 90 */
    int cacheModeCA;               /**< 0 */
    int maxDynamicSharedSizeBytes; /**< see cudaFuncSetAttribute() */
    int preferredShmemCarveout;    /**< -1: default */
};

/** What cudaFuncSetAttribute() can set. */
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeMax
};

/** Wish for L1 or shared memory; no effect here. */
enum cudaFuncCache {
    cudaFuncCachePreferNone = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaFuncCachePreferEqual = 3
};

/** Limits of cudaDeviceSetLimit(); kept, without effect. */
enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitPersistingL2CacheSize = 6
};

/** Hints of cudaMemAdvise(); no effect here. */
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6
};

/** Modes of a device: anyone may use it. */
enum cudaComputeMode { cudaComputeModeDefault = 0 };

/** 16 bytes that identify a device. */
typedef struct {
    char bytes[16]; /**< the identifier */
} cudaUUID_t;

/** Facts of the simulated device, which resembles an H100 (sm_90). */
struct cudaDeviceProp {
    char name[256];                    /**< "simulator" */
    cudaUUID_t uuid;                   /**< zeros */
    size_t totalGlobalMem;             /**< from the host's memory (bytes) */
    size_t sharedMemPerBlock;          /**< 48 KB */
    int regsPerBlock;                  /**< 65536 */
    int warpSize;                      /**< 32 */
    size_t memPitch;                   /**< largest pitch (bytes) */
    int maxThreadsPerBlock;            /**< 1024 */
    int maxThreadsDim[3];              /**< largest block */
    int maxGridSize[3];                /**< largest grid */
    int clockRate;                     /**< kHz (CUDA 12; gone in 13) */
    size_t totalConstMem;              /**< 64 KB */
    int major;                         /**< 9 */
    int minor;                         /**< 0 */
    size_t textureAlignment;           /**< bytes */
    size_t texturePitchAlignment;      /**< bytes */
    int deviceOverlap;                 /**< 1 (CUDA 12; gone in 13) */
    int multiProcessorCount;           /**< 132 */
    int kernelExecTimeoutEnabled;      /**< 0 (CUDA 12; gone in 13) */
    int integrated;                    /**< 0 */
    int canMapHostMemory;              /**< 1 */
    int computeMode;                   /**< 0 (CUDA 12; gone in 13) */
    int concurrentKernels;             /**< 1 */
    int ECCEnabled;                    /**< 1 */
    int pciBusID;                      /**< 0 */
    int pciDeviceID;                   /**< 0 */
    int pciDomainID;                   /**< 0 */
    int tccDriver;                     /**< 0 */
    int asyncEngineCount;              /**< 3 */
    int unifiedAddressing;             /**< 1 */
    int memoryClockRate;               /**< kHz (CUDA 12; gone in 13) */
    int memoryBusWidth;                /**< bits */
    int l2CacheSize;                   /**< bytes */
    int persistingL2CacheMaxSize;      /**< bytes */
    int maxThreadsPerMultiProcessor;   /**< 2048 */
    int streamPrioritiesSupported;     /**< 1 */
    int globalL1CacheSupported;        /**< 1 */
    int localL1CacheSupported;         /**< 1 */
    size_t sharedMemPerMultiprocessor; /**< 228 KB */
    int regsPerMultiprocessor;         /**< 65536 */
    int managedMemory;                 /**< 1 */
    int isMultiGpuBoard;               /**< 0 */
    int multiGpuBoardGroupID;          /**< 0 */
    int hostNativeAtomicSupported;     /**< 0 */
    int pageableMemoryAccess;          /**< 0 */
    int concurrentManagedAccess;       /**< 1 */
    int computePreemptionSupported;    /**< 1 */
    int canUseHostPointerForRegisteredMem; /**< 0 */
    int cooperativeLaunch;                 /**< 0: not simulated */
    size_t sharedMemPerBlockOptin;         /**< 227 KB */
    int maxBlocksPerMultiProcessor;        /**< 32 */
    int accessPolicyMaxWindowSize;         /**< 0 */
    size_t reservedSharedMemPerBlock;      /**< 1 KB */
    int clusterLaunch;                     /**< 0: not simulated */
};

/** Single facts, with the numbers that CUDA gives them. */
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxPitch = 11,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrTextureAlignment = 14,
    cudaDevAttrGpuOverlap = 15,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrKernelExecTimeout = 17,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrEccEnabled = 32,
    cudaDevAttrPciBusId = 33,
    cudaDevAttrPciDeviceId = 34,
    cudaDevAttrTccDriver = 35,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrPciDomainId = 50,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrStreamPrioritiesSupported = 78,
    cudaDevAttrGlobalL1CacheSupported = 79,
    cudaDevAttrLocalL1CacheSupported = 80,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrIsMultiGpuBoard = 84,
    cudaDevAttrHostNativeAtomicSupported = 86,
    cudaDevAttrSingleToDoublePrecisionPerfRatio = 87,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrComputePreemptionSupported = 90,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrClusterLaunch = 120
};

typedef enum cudaMemcpyKind cudaMemcpyKind;                   /**< for C */
typedef enum cudaMemoryType cudaMemoryType;                   /**< for C */
typedef enum cudaFuncAttribute cudaFuncAttribute;             /**< for C */
typedef enum cudaFuncCache cudaFuncCache;                     /**< for C */
typedef enum cudaDeviceAttr cudaDeviceAttr;                   /**< for C */
typedef enum cudaLimit cudaLimit;                             /**< for C */
typedef struct cudaDeviceProp cudaDeviceProp;                 /**< for C */
typedef struct cudaFuncAttributes cudaFuncAttributes;         /**< for C */
typedef struct cudaPointerAttributes cudaPointerAttributes;   /**< for C */
typedef enum cudaStreamCaptureMode cudaStreamCaptureMode;     /**< for C */
typedef enum cudaStreamCaptureStatus cudaStreamCaptureStatus; /**< for C */

/** What cudaLaunchHostFunc() calls. */
typedef void(CUDART_CB *cudaHostFn_t)(void *data);

/** What cudaStreamAddCallback() calls. */
typedef void(CUDART_CB *cudaStreamCallback_t)(cudaStream_t stream,
                                              cudaError_t status, void *data);

#ifdef __cplusplus
#define SIM_DEFAULT(value) = value /**< C++ may leave out the argument */
extern "C" {
#else
#define SIM_DEFAULT(value) /**< C may not */
#endif

/* ---- errors and versions ------------------------------------------------- */

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);

/* ---- the device ---------------------------------------------------------- */

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaInitDevice(int device, unsigned int device_flags,
                           unsigned int flags);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties,
                                    int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
                                   int device);
cudaError_t cudaChooseDevice(int *device,
                             const struct cudaDeviceProp *properties);
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

/* ---- memory -------------------------------------------------------------- */

/** cudaMalloc() that knows the line of the call, for reports. */
cudaError_t sim_malloc(void **pointer, size_t bytes, const char *file,
                       int line);

#ifdef __cplusplus
} // the real cudaMalloc has C++ linkage here: it takes the caller's line

/** Device memory, filled with 0xFF bytes; at least 256-byte aligned. */
static inline cudaError_t cudaMalloc(void **pointer, size_t bytes,
                                     const char *file = __builtin_FILE(),
                                     int line = __builtin_LINE())
{
    return sim_malloc(pointer, bytes, file, line);
}

/** The same for any type of pointer. */
template <class T>
static inline cudaError_t cudaMalloc(T **pointer, size_t bytes,
                                     const char *file = __builtin_FILE(),
                                     int line = __builtin_LINE())
{
    return sim_malloc((void **)(void *)pointer, bytes, file, line);
}

extern "C" {
#else
/** Device memory, filled with 0xFF bytes; at least 256-byte aligned. */
#define cudaMalloc(pointer, bytes)                                             \
    sim_malloc((pointer), (bytes), __FILE__, __LINE__)
#endif

cudaError_t cudaFree(void *pointer);
cudaError_t cudaMallocHost(void **pointer, size_t bytes);
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaHostGetDevicePointer(void **device, void *host,
                                     unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags);
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width,
                            size_t height);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind,
                            cudaStream_t stream SIM_DEFAULT(0));
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                         size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                              size_t from_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind,
                              cudaStream_t stream SIM_DEFAULT(0));
cudaError_t cudaMemset(void *pointer, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes,
                            cudaStream_t stream SIM_DEFAULT(0));
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width,
                         size_t height);
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value,
                              size_t width, size_t height,
                              cudaStream_t stream SIM_DEFAULT(0));
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                               size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                    size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind,
                                    cudaStream_t stream);
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                      size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind,
                                      cudaStream_t stream);
cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol);

/* ---- streams and events -------------------------------------------------- */

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream,
                                         unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void *data);
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback, void *data,
                                  unsigned int flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start,
                                 cudaEvent_t end);
cudaError_t cudaEventRecord(cudaEvent_t event,
                            cudaStream_t stream SIM_DEFAULT(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned int flags SIM_DEFAULT(0));
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags SIM_DEFAULT(0));

/* ---- graphs: recorded launches, copies and memsets ----------------------- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *status);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags SIM_DEFAULT(0));
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec,
                                          cudaGraph_t graph,
                                          unsigned long long flags);
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *count);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

/* ---- kernels ------------------------------------------------------------- */

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                  const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel,
                                 enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *kernel,
                                   enum cudaFuncCache config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *kernel,
                                                          int block_size,
                                                          size_t dynamic_bytes);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *kernel, int block_size, size_t dynamic_bytes,
    unsigned int flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                      const void *kernel,
                                                      int blocks,
                                                      int block_size);

#ifdef __cplusplus
}
#endif

/* ---- what C and C++ spell differently ------------------------------------ */

#ifdef __cplusplus

static inline cudaError_t cudaEventCreate(cudaEvent_t *event,
                                          unsigned int flags = cudaEventDefault)
{
    return cudaEventCreateWithFlags(event, flags);
}

template <class T>
static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes,
                                         unsigned int flags = 0)
{
    return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}

template <class T>
static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes,
                                        unsigned int flags)
{
    return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}

template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host,
                                                   unsigned int flags)
{
    return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}

template <class T>
static inline cudaError_t
cudaMallocManaged(T **pointer, size_t bytes,
                  unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)(void *)pointer, bytes, flags);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes,
                                          cudaStream_t stream)
{
    return cudaMallocAsync((void **)(void *)pointer, bytes, stream);
}

template <class T>
static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch,
                                          size_t width, size_t height)
{
    return cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}

/* A symbol is the variable itself. */

template <class T>
static inline cudaError_t
cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                   size_t offset = 0,
                   enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}

template <class T>
static inline cudaError_t
cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                     enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}

template <class T>
static inline cudaError_t
cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                        size_t offset, enum cudaMemcpyKind kind,
                        cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset,
                                   kind, stream);
}

template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol,
                                                    size_t bytes, size_t offset,
                                                    enum cudaMemcpyKind kind,
                                                    cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset,
                                     kind, stream);
}

template <class T>
static inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol)
{
    return cudaGetSymbolAddress(pointer, (const void *)&symbol);
}

template <class T>
static inline cudaError_t cudaGetSymbolAddress(T **pointer, const T &symbol)
{
    return cudaGetSymbolAddress((void **)(void *)pointer,
                                (const void *)&symbol);
}

template <class T>
static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    (void)symbol;
    *bytes = sizeof symbol;
    return cudaSuccess;
}

/* Kernels may be given by their type instead of const void *. */

template <class... A>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                                void (*kernel)(A...))
{
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}

template <class... A>
static inline cudaError_t cudaFuncSetAttribute(void (*kernel)(A...),
                                               cudaFuncAttribute attribute,
                                               int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

template <class... A>
static inline cudaError_t cudaFuncSetCacheConfig(void (*kernel)(A...),
                                                 cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)kernel, config);
}

template <class... A>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, void (*kernel)(A...), int block_size, size_t dynamic_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, (const void *)kernel, block_size, dynamic_bytes);
}

/** Block size of the highest occupancy, and the grid that fills the GPU. */
extern "C" cudaError_t sim_best_block(int *grid_size, int *block_size,
                                      const void *kernel, size_t dynamic_bytes,
                                      int limit);

template <class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size, T kernel,
                                   size_t dynamic_bytes = 0, int limit = 0)
{
    return sim_best_block(grid_size, block_size, (const void *)kernel,
                          dynamic_bytes, limit);
}

/** As in CUDA 11: five arguments. */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec,
                                               cudaGraph_t graph,
                                               cudaGraphNode_t *error_node,
                                               char *log, size_t log_bytes)
{
    if (error_node)
        *error_node = 0;
    if (log && log_bytes)
        *log = 0;
    return cudaGraphInstantiate(exec, graph, 0ULL);
}

#else

/** Event with timing. */
static inline cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

#endif

#undef SIM_DEFAULT

#endif
