/**
 * @file driver_types.h
 * @brief Types, flags and enumerators of the CUDA runtime API.
 *
 * Valid C11 and C++17. Names, numbers and signatures are those of CUDA 13, and
 * so is the guard, because helper headers ask for it. Where CUDA 12 differs, a
 * program of either builds.
 */
#ifndef __DRIVER_TYPES_H__
#define __DRIVER_TYPES_H__

#include <stddef.h>

#ifndef CUDART_CB
#define CUDART_CB /**< calling convention of callbacks */
#endif

/* ---- errors -------------------------------------------------------------- */

/** Errors that the simulator has words for: name, number, text. */
#define SIM_ERRORS_WITH_TEXT(X)                                                \
    X(cudaSuccess, 0, "no error")                                              \
    X(cudaErrorInvalidValue, 1, "invalid argument")                            \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                           \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")      \
    X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                \
    X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                     \
    X(cudaErrorInvalidMemcpyDirection, 21,                                     \
      "invalid copy direction for memcpy")                                     \
    X(cudaErrorInsufficientDriver, 35,                                         \
      "CUDA driver version is insufficient for CUDA runtime version")          \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")           \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")            \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                   \
    X(cudaErrorNoKernelImageForDevice, 209,                                    \
      "no kernel image is available for execution on the device")              \
    X(cudaErrorNotMapped, 211, "resource not mapped")                          \
    X(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered")   \
    X(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")                \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")          \
    X(cudaErrorIllegalState, 401,                                              \
      "the operation cannot be performed in the present state")                \
    X(cudaErrorNotReady, 600, "device not ready")                              \
    X(cudaErrorIllegalAddress, 700,                                            \
      "an illegal memory access was encountered")                              \
    X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")  \
    X(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")  \
    X(cudaErrorAssert, 710, "device-side assert triggered")                    \
    X(cudaErrorHostMemoryAlreadyRegistered, 712,                               \
      "part or all of the requested memory range is already mapped")           \
    X(cudaErrorHostMemoryNotRegistered, 713,                                   \
      "pointer does not correspond to a registered memory region")             \
    X(cudaErrorIllegalInstruction, 715,                                        \
      "an illegal instruction was encountered")                                \
    X(cudaErrorMisalignedAddress, 716, "misaligned address")                   \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure")               \
    X(cudaErrorCooperativeLaunchTooLarge, 720,                                 \
      "too many blocks in cooperative launch")                                 \
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
    X(cudaErrorCapturedEvent, 907,                                             \
      "operation not permitted on an event last recorded in a capturing "      \
      "stream")                                                                \
    X(cudaErrorGraphExecUpdateFailure, 910,                                    \
      "the graph update was not performed because it included changes which "  \
      "violated constraints specific to instantiated graph update")            \
    X(cudaErrorInvalidClusterSize, 912, "cluster misconfiguration")            \
    X(cudaErrorInvalidResourceConfiguration, 915,                              \
      "invalid resource configuration")                                        \
    X(cudaErrorUnknown, 999, "unknown error")

/** The others, which only a GPU returns: name, number. */
#define SIM_ERRORS_OF_A_GPU(X)                                                 \
    X(cudaErrorInitializationError, 3)                                         \
    X(cudaErrorCudartUnloading, 4)                                             \
    X(cudaErrorProfilerDisabled, 5)                                            \
    X(cudaErrorProfilerNotInitialized, 6)                                      \
    X(cudaErrorProfilerAlreadyStarted, 7)                                      \
    X(cudaErrorProfilerAlreadyStopped, 8)                                      \
    X(cudaErrorInvalidHostPointer, 16)                                         \
    X(cudaErrorInvalidDevicePointer, 17)                                       \
    X(cudaErrorInvalidTexture, 18)                                             \
    X(cudaErrorInvalidTextureBinding, 19)                                      \
    X(cudaErrorInvalidChannelDescriptor, 20)                                   \
    X(cudaErrorAddressOfConstant, 22)                                          \
    X(cudaErrorTextureFetchFailed, 23)                                         \
    X(cudaErrorTextureNotBound, 24)                                            \
    X(cudaErrorSynchronizationError, 25)                                       \
    X(cudaErrorInvalidFilterSetting, 26)                                       \
    X(cudaErrorInvalidNormSetting, 27)                                         \
    X(cudaErrorMixedDeviceExecution, 28)                                       \
    X(cudaErrorNotYetImplemented, 31)                                          \
    X(cudaErrorMemoryValueTooLarge, 32)                                        \
    X(cudaErrorStubLibrary, 34)                                                \
    X(cudaErrorCallRequiresNewerDriver, 36)                                    \
    X(cudaErrorInvalidSurface, 37)                                             \
    X(cudaErrorDuplicateVariableName, 43)                                      \
    X(cudaErrorDuplicateTextureName, 44)                                       \
    X(cudaErrorDuplicateSurfaceName, 45)                                       \
    X(cudaErrorDevicesUnavailable, 46)                                         \
    X(cudaErrorIncompatibleDriverContext, 49)                                  \
    X(cudaErrorMissingConfiguration, 52)                                       \
    X(cudaErrorPriorLaunchFailure, 53)                                         \
    X(cudaErrorLaunchMaxDepthExceeded, 65)                                     \
    X(cudaErrorLaunchFileScopedTex, 66)                                        \
    X(cudaErrorLaunchFileScopedSurf, 67)                                       \
    X(cudaErrorSyncDepthExceeded, 68)                                          \
    X(cudaErrorLaunchPendingCountExceeded, 69)                                 \
    X(cudaErrorDeviceNotLicensed, 102)                                         \
    X(cudaErrorSoftwareValidityNotEstablished, 103)                            \
    X(cudaErrorStartupFailure, 127)                                            \
    X(cudaErrorInvalidKernelImage, 200)                                        \
    X(cudaErrorDeviceUninitialized, 201)                                       \
    X(cudaErrorMapBufferObjectFailed, 205)                                     \
    X(cudaErrorUnmapBufferObjectFailed, 206)                                   \
    X(cudaErrorArrayIsMapped, 207)                                             \
    X(cudaErrorAlreadyMapped, 208)                                             \
    X(cudaErrorAlreadyAcquired, 210)                                           \
    X(cudaErrorNotMappedAsArray, 212)                                          \
    X(cudaErrorNotMappedAsPointer, 213)                                        \
    X(cudaErrorUnsupportedLimit, 215)                                          \
    X(cudaErrorDeviceAlreadyInUse, 216)                                        \
    X(cudaErrorPeerAccessUnsupported, 217)                                     \
    X(cudaErrorInvalidGraphicsContext, 219)                                    \
    X(cudaErrorNvlinkUncorrectable, 220)                                       \
    X(cudaErrorJitCompilerNotFound, 221)                                       \
    X(cudaErrorUnsupportedPtxVersion, 222)                                     \
    X(cudaErrorJitCompilationDisabled, 223)                                    \
    X(cudaErrorUnsupportedExecAffinity, 224)                                   \
    X(cudaErrorUnsupportedDevSideSync, 225)                                    \
    X(cudaErrorContained, 226)                                                 \
    X(cudaErrorInvalidSource, 300)                                             \
    X(cudaErrorFileNotFound, 301)                                              \
    X(cudaErrorSharedObjectSymbolNotFound, 302)                                \
    X(cudaErrorSharedObjectInitFailed, 303)                                    \
    X(cudaErrorOperatingSystem, 304)                                           \
    X(cudaErrorLossyQuery, 402)                                                \
    X(cudaErrorSymbolNotFound, 500)                                            \
    X(cudaErrorLaunchOutOfResources, 701)                                      \
    X(cudaErrorLaunchIncompatibleTexturing, 703)                               \
    X(cudaErrorPeerAccessAlreadyEnabled, 704)                                  \
    X(cudaErrorSetOnActiveProcess, 708)                                        \
    X(cudaErrorContextIsDestroyed, 709)                                        \
    X(cudaErrorTooManyPeers, 711)                                              \
    X(cudaErrorHardwareStackError, 714)                                        \
    X(cudaErrorInvalidAddressSpace, 717)                                       \
    X(cudaErrorInvalidPc, 718)                                                 \
    X(cudaErrorTensorMemoryLeak, 721)                                          \
    X(cudaErrorNotPermitted, 800)                                              \
    X(cudaErrorSystemNotReady, 802)                                            \
    X(cudaErrorSystemDriverMismatch, 803)                                      \
    X(cudaErrorCompatNotSupportedOnDevice, 804)                                \
    X(cudaErrorMpsConnectionFailed, 805)                                       \
    X(cudaErrorMpsRpcFailure, 806)                                             \
    X(cudaErrorMpsServerNotReady, 807)                                         \
    X(cudaErrorMpsMaxClientsReached, 808)                                      \
    X(cudaErrorMpsMaxConnectionsReached, 809)                                  \
    X(cudaErrorMpsClientTerminated, 810)                                       \
    X(cudaErrorCdpNotSupported, 811)                                           \
    X(cudaErrorCdpVersionMismatch, 812)                                        \
    X(cudaErrorStreamCaptureIsolation, 905)                                    \
    X(cudaErrorStreamCaptureImplicit, 906)                                     \
    X(cudaErrorStreamCaptureWrongThread, 908)                                  \
    X(cudaErrorTimeout, 909)                                                   \
    X(cudaErrorExternalDevice, 911)                                            \
    X(cudaErrorFunctionNotLoaded, 913)                                         \
    X(cudaErrorInvalidResourceType, 914)

#define SIM_ERROR_ENUMERATOR(name, number, ...) name = number,
/** What nearly every function returns. */
enum cudaError {
    SIM_ERRORS_WITH_TEXT(SIM_ERROR_ENUMERATOR)
        SIM_ERRORS_OF_A_GPU(SIM_ERROR_ENUMERATOR)
};
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

#define cudaStreamLegacy ((cudaStream_t)0x1)    /**< waits for the others */
#define cudaStreamPerThread ((cudaStream_t)0x2) /**< each host thread's */

#define cudaStreamDefault 0x00              /**< flag of cudaStreamCreate */
#define cudaStreamNonBlocking 0x01          /**< flag: not in step with it */
#define cudaEventDefault 0x00               /**< flag of cudaEventCreate */
#define cudaEventBlockingSync 0x01          /**< flag; no effect */
#define cudaEventDisableTiming 0x02         /**< flag: no elapsed time */
#define cudaEventInterprocess 0x04          /**< flag; no effect */
#define cudaEventRecordDefault 0x00         /**< flag */
#define cudaEventRecordExternal 0x01        /**< flag; no effect */
#define cudaEventWaitDefault 0x00           /**< flag */
#define cudaEventWaitExternal 0x01          /**< flag; no effect */
#define cudaHostAllocDefault 0x00           /**< flag */
#define cudaHostAllocPortable 0x01          /**< flag; no effect */
#define cudaHostAllocMapped 0x02            /**< flag; no effect: all are */
#define cudaHostAllocWriteCombined 0x04     /**< flag; no effect */
#define cudaHostRegisterDefault 0x00        /**< flag */
#define cudaHostRegisterPortable 0x01       /**< flag; no effect */
#define cudaHostRegisterMapped 0x02         /**< flag; no effect: all are */
#define cudaHostRegisterIoMemory 0x04       /**< flag; no effect */
#define cudaHostRegisterReadOnly 0x08       /**< flag; no effect */
#define cudaPeerAccessDefault 0x00          /**< flag */
#define cudaMemAttachGlobal 0x01            /**< flag of cudaMallocManaged */
#define cudaMemAttachHost 0x02              /**< flag; no effect */
#define cudaMemAttachSingle 0x04            /**< flag; no effect */
#define cudaDeviceScheduleAuto 0x00         /**< flag; no effect */
#define cudaDeviceScheduleSpin 0x01         /**< flag; no effect */
#define cudaDeviceScheduleYield 0x02        /**< flag; no effect */
#define cudaDeviceScheduleBlockingSync 0x04 /**< flag; no effect */
#define cudaDeviceBlockingSync 0x04         /**< its older name */
#define cudaDeviceScheduleMask 0x07         /**< all of them */
#define cudaDeviceMapHost 0x08              /**< flag; no effect */
#define cudaDeviceLmemResizeToMax 0x10      /**< flag; no effect */
#define cudaDeviceSyncMemops 0x80           /**< flag; no effect */
#define cudaDeviceMask 0xff                 /**< all flags of a device */
#define cudaOccupancyDefault 0x00           /**< flag */
#define cudaOccupancyDisableCachingOverride 0x01 /**< flag; no effect */
#define cudaCpuDeviceId ((int)-1)     /**< the host, for prefetching */
#define cudaInvalidDeviceId ((int)-2) /**< no device */

/** What cudaLaunchHostFunc() calls. */
typedef void(CUDART_CB *cudaHostFn_t)(void *data);

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
    cudaFuncAttributeClusterDimMustBeSet = 10,
    cudaFuncAttributeRequiredClusterWidth = 11,
    cudaFuncAttributeRequiredClusterHeight = 12,
    cudaFuncAttributeRequiredClusterDepth = 13,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
    cudaFuncAttributeClusterSchedulingPolicyPreference = 15,
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
    cudaLimitDevRuntimeSyncDepth = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitMaxL2FetchGranularity = 5,
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

/** Width of a bank of shared memory; no effect, it is 4 bytes. */
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault = 0,
    cudaSharedMemBankSizeFourByte = 1,
    cudaSharedMemBankSizeEightByte = 2
};

/** Share of shared memory in percent; no effect here. */
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxShared = 100,
    cudaSharedmemCarveoutMaxL1 = 0
};

/** Modes of a device; here it is always the first: anyone may use it. */
enum cudaComputeMode {
    cudaComputeModeDefault = 0,
    cudaComputeModeExclusive = 1,
    cudaComputeModeProhibited = 2,
    cudaComputeModeExclusiveProcess = 3
};

/** 16 bytes that identify a device. */
typedef struct {
    char bytes[16]; /**< the identifier */
} cudaUUID_t;

/** Facts of the simulated device, which resembles an H200 (sm_90). */
struct cudaDeviceProp {
    char name[256];               /**< "simulator" */
    cudaUUID_t uuid;              /**< zeros */
    size_t totalGlobalMem;        /**< from the host's memory (bytes) */
    size_t sharedMemPerBlock;     /**< 48 KB */
    int regsPerBlock;             /**< 65536 */
    int warpSize;                 /**< 32 */
    size_t memPitch;              /**< largest pitch (bytes) */
    int maxThreadsPerBlock;       /**< 1024 */
    int maxThreadsDim[3];         /**< largest block */
    int maxGridSize[3];           /**< largest grid */
    int clockRate;                /**< kHz (CUDA 12; gone in 13) */
    size_t totalConstMem;         /**< 64 KB */
    int major;                    /**< 9 */
    int minor;                    /**< 0 */
    size_t textureAlignment;      /**< bytes */
    size_t texturePitchAlignment; /**< bytes */
    size_t surfaceAlignment;      /**< bytes */
    /* Of textures and surfaces: 0. */
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear;
    int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3];
    int maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3];
    int maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3];
    int deviceOverlap;                     /**< 1 (CUDA 12; gone in 13) */
    int multiProcessorCount;               /**< 132 */
    int kernelExecTimeoutEnabled;          /**< 0 (CUDA 12; gone in 13) */
    int integrated;                        /**< 0 */
    int canMapHostMemory;                  /**< 1 */
    int computeMode;                       /**< 0 (CUDA 12; gone in 13) */
    int concurrentKernels;                 /**< 1 */
    int ECCEnabled;                        /**< 1 */
    int pciBusID;                          /**< 0 */
    int pciDeviceID;                       /**< 0 */
    int pciDomainID;                       /**< 0 */
    int tccDriver;                         /**< 0 */
    int asyncEngineCount;                  /**< 3 */
    int unifiedAddressing;                 /**< 1 */
    int memoryClockRate;                   /**< kHz (CUDA 12; gone in 13) */
    int memoryBusWidth;                    /**< bits */
    int l2CacheSize;                       /**< bytes */
    int persistingL2CacheMaxSize;          /**< bytes */
    int maxThreadsPerMultiProcessor;       /**< 2048 */
    int streamPrioritiesSupported;         /**< 1 */
    int globalL1CacheSupported;            /**< 1 */
    int localL1CacheSupported;             /**< 1 */
    size_t sharedMemPerMultiprocessor;     /**< 228 KB */
    int regsPerMultiprocessor;             /**< 65536 */
    int managedMemory;                     /**< 1 */
    int isMultiGpuBoard;                   /**< 0 */
    int multiGpuBoardGroupID;              /**< 0 */
    int hostNativeAtomicSupported;         /**< 0 */
    int pageableMemoryAccess;              /**< 0 */
    int concurrentManagedAccess;           /**< 1 */
    int computePreemptionSupported;        /**< 1 */
    int canUseHostPointerForRegisteredMem; /**< 0 */
    int cooperativeLaunch;                 /**< 1 */
    int cooperativeMultiDeviceLaunch;      /**< 0 (CUDA 12; gone in 13) */
    int pageableMemoryAccessUsesHostPageTables; /**< 0 */
    int directManagedMemAccessFromHost;         /**< 0 */
    int singleToDoublePrecisionPerfRatio;       /**< 2 (CUDA 12; gone in 13) */
    int hostRegisterSupported;                  /**< 1 */
    int memoryPoolsSupported;                   /**< 1 */
    size_t sharedMemPerBlockOptin;              /**< 227 KB */
    int maxBlocksPerMultiProcessor;             /**< 32 */
    int accessPolicyMaxWindowSize;              /**< bytes */
    size_t reservedSharedMemPerBlock;           /**< 1 KB */
    int clusterLaunch;                          /**< 1 */
};

/** Single facts: name, number, value from the cudaDeviceProp behind @p p. */
#define SIM_DEVICE_ATTRIBUTES(X)                                               \
    X(cudaDevAttrMaxThreadsPerBlock, 1, p->maxThreadsPerBlock)                 \
    X(cudaDevAttrMaxBlockDimX, 2, p->maxThreadsDim[0])                         \
    X(cudaDevAttrMaxBlockDimY, 3, p->maxThreadsDim[1])                         \
    X(cudaDevAttrMaxBlockDimZ, 4, p->maxThreadsDim[2])                         \
    X(cudaDevAttrMaxGridDimX, 5, p->maxGridSize[0])                            \
    X(cudaDevAttrMaxGridDimY, 6, p->maxGridSize[1])                            \
    X(cudaDevAttrMaxGridDimZ, 7, p->maxGridSize[2])                            \
    X(cudaDevAttrMaxSharedMemoryPerBlock, 8, p->sharedMemPerBlock)             \
    X(cudaDevAttrTotalConstantMemory, 9, p->totalConstMem)                     \
    X(cudaDevAttrWarpSize, 10, p->warpSize)                                    \
    X(cudaDevAttrMaxPitch, 11, p->memPitch)                                    \
    X(cudaDevAttrMaxRegistersPerBlock, 12, p->regsPerBlock)                    \
    X(cudaDevAttrClockRate, 13, p->clockRate)                                  \
    X(cudaDevAttrTextureAlignment, 14, p->textureAlignment)                    \
    X(cudaDevAttrGpuOverlap, 15, p->deviceOverlap)                             \
    X(cudaDevAttrMultiProcessorCount, 16, p->multiProcessorCount)              \
    X(cudaDevAttrKernelExecTimeout, 17, 0)                                     \
    X(cudaDevAttrIntegrated, 18, 0)                                            \
    X(cudaDevAttrCanMapHostMemory, 19, p->canMapHostMemory)                    \
    X(cudaDevAttrComputeMode, 20, 0)                                           \
    X(cudaDevAttrConcurrentKernels, 31, p->concurrentKernels)                  \
    X(cudaDevAttrEccEnabled, 32, p->ECCEnabled)                                \
    X(cudaDevAttrPciBusId, 33, 0)                                              \
    X(cudaDevAttrPciDeviceId, 34, 0)                                           \
    X(cudaDevAttrTccDriver, 35, 0)                                             \
    X(cudaDevAttrMemoryClockRate, 36, p->memoryClockRate)                      \
    X(cudaDevAttrGlobalMemoryBusWidth, 37, p->memoryBusWidth)                  \
    X(cudaDevAttrL2CacheSize, 38, p->l2CacheSize)                              \
    X(cudaDevAttrMaxThreadsPerMultiProcessor, 39,                              \
      p->maxThreadsPerMultiProcessor)                                          \
    X(cudaDevAttrAsyncEngineCount, 40, p->asyncEngineCount)                    \
    X(cudaDevAttrUnifiedAddressing, 41, p->unifiedAddressing)                  \
    X(cudaDevAttrPciDomainId, 50, 0)                                           \
    X(cudaDevAttrComputeCapabilityMajor, 75, p->major)                         \
    X(cudaDevAttrComputeCapabilityMinor, 76, p->minor)                         \
    X(cudaDevAttrStreamPrioritiesSupported, 78, p->streamPrioritiesSupported)  \
    X(cudaDevAttrGlobalL1CacheSupported, 79, p->globalL1CacheSupported)        \
    X(cudaDevAttrLocalL1CacheSupported, 80, p->localL1CacheSupported)          \
    X(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 81,                         \
      p->sharedMemPerMultiprocessor)                                           \
    X(cudaDevAttrMaxRegistersPerMultiprocessor, 82, p->regsPerMultiprocessor)  \
    X(cudaDevAttrManagedMemory, 83, p->managedMemory)                          \
    X(cudaDevAttrIsMultiGpuBoard, 84, 0)                                       \
    X(cudaDevAttrMultiGpuBoardGroupID, 85, 0)                                  \
    X(cudaDevAttrHostNativeAtomicSupported, 86, 0)                             \
    X(cudaDevAttrSingleToDoublePrecisionPerfRatio, 87, 2)                      \
    X(cudaDevAttrPageableMemoryAccess, 88, 0)                                  \
    X(cudaDevAttrConcurrentManagedAccess, 89, p->concurrentManagedAccess)      \
    X(cudaDevAttrComputePreemptionSupported, 90,                               \
      p->computePreemptionSupported)                                           \
    X(cudaDevAttrCanUseHostPointerForRegisteredMem, 91, 0)                     \
    X(cudaDevAttrCooperativeLaunch, 95, p->cooperativeLaunch)                  \
    X(cudaDevAttrMaxSharedMemoryPerBlockOptin, 97, p->sharedMemPerBlockOptin)  \
    X(cudaDevAttrCanFlushRemoteWrites, 98, 0)                                  \
    X(cudaDevAttrHostRegisterSupported, 99, p->hostRegisterSupported)          \
    X(cudaDevAttrPageableMemoryAccessUsesHostPageTables, 100, 0)               \
    X(cudaDevAttrDirectManagedMemAccessFromHost, 101, 0)                       \
    X(cudaDevAttrMaxBlocksPerMultiprocessor, 106,                              \
      p->maxBlocksPerMultiProcessor)                                           \
    X(cudaDevAttrMaxPersistingL2CacheSize, 108, p->persistingL2CacheMaxSize)   \
    X(cudaDevAttrMaxAccessPolicyWindowSize, 109, p->accessPolicyMaxWindowSize) \
    X(cudaDevAttrReservedSharedMemoryPerBlock, 111,                            \
      p->reservedSharedMemPerBlock)                                            \
    X(cudaDevAttrSparseCudaArraySupported, 112, 0)                             \
    X(cudaDevAttrHostRegisterReadOnlySupported, 113, 0)                        \
    X(cudaDevAttrTimelineSemaphoreInteropSupported, 114, 0)                    \
    X(cudaDevAttrMemoryPoolsSupported, 115, p->memoryPoolsSupported)           \
    X(cudaDevAttrGPUDirectRDMASupported, 116, 0)                               \
    X(cudaDevAttrGPUDirectRDMAFlushWritesOptions, 117, 0)                      \
    X(cudaDevAttrGPUDirectRDMAWritesOrdering, 118, 0)                          \
    X(cudaDevAttrMemoryPoolSupportedHandleTypes, 119, 0)                       \
    X(cudaDevAttrClusterLaunch, 120, p->clusterLaunch)                         \
    X(cudaDevAttrDeferredMappingCudaArraySupported, 121, 0)                    \
    X(cudaDevAttrIpcEventSupport, 125, 0)                                      \
    X(cudaDevAttrMemSyncDomainCount, 126, 0)                                   \
    X(cudaDevAttrNumaConfig, 130, 0)                                           \
    X(cudaDevAttrNumaId, 131, 0)                                               \
    X(cudaDevAttrMpsEnabled, 133, 0)                                           \
    X(cudaDevAttrHostNumaId, 134, 0)                                           \
    X(cudaDevAttrD3D12CigSupported, 135, 0)                                    \
    X(cudaDevAttrVulkanCigSupported, 138, 0)                                   \
    X(cudaDevAttrGpuPciDeviceId, 139, 0)                                       \
    X(cudaDevAttrGpuPciSubsystemId, 140, 0)                                    \
    X(cudaDevAttrHostNumaMemoryPoolsSupported, 142, 0)                         \
    X(cudaDevAttrHostNumaMultinodeIpcSupported, 143, 0)                        \
    X(cudaDevAttrHostMemoryPoolsSupported, 144, 0)                             \
    X(cudaDevAttrOnlyPartialHostNativeAtomicSupported, 147, 0)

#define SIM_ATTRIBUTE_ENUMERATOR(name, number, value) name = number,
/** What cudaDeviceGetAttribute() answers; textures and surfaces are not here.
 */
enum cudaDeviceAttr { SIM_DEVICE_ATTRIBUTES(SIM_ATTRIBUTE_ENUMERATOR) };
#undef SIM_ATTRIBUTE_ENUMERATOR

/* ---- memory in two and three dimensions, other devices ------------------- */

/** Rows of memory. */
struct cudaPitchedPtr {
    void *ptr;    /**< first byte */
    size_t pitch; /**< from row to row (bytes) */
    size_t xsize; /**< of a row (bytes) */
    size_t ysize; /**< rows of a layer */
};

/** A box: its width in bytes, then rows, then layers. */
struct cudaExtent {
    size_t width;  /**< bytes */
    size_t height; /**< rows */
    size_t depth;  /**< layers */
};

/** Its corner. */
struct cudaPos {
    size_t x; /**< bytes */
    size_t y; /**< rows */
    size_t z; /**< layers */
};

typedef struct cudaArray *cudaArray_t; /**< of textures */

/** A copy of a box. */
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;         /**< NULL */
    struct cudaPos srcPos;        /**< corner there */
    struct cudaPitchedPtr srcPtr; /**< from here */
    cudaArray_t dstArray;         /**< NULL */
    struct cudaPos dstPos;        /**< corner there */
    struct cudaPitchedPtr dstPtr; /**< to here */
    struct cudaExtent extent;     /**< of what is copied */
    enum cudaMemcpyKind kind;     /**< direction */
};

/** What two devices could do with each other. */
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3,
    cudaDevP2PAttrCudaArrayAccessSupported = 4,
    cudaDevP2PAttrOnlyPartialNativeAtomicSupported = 5
};

/** What cudaMemRangeGetAttribute() answers. */
enum cudaMemRangeAttribute {
    cudaMemRangeAttributeReadMostly = 1,
    cudaMemRangeAttributePreferredLocation = 2,
    cudaMemRangeAttributeAccessedBy = 3,
    cudaMemRangeAttributeLastPrefetchLocation = 4,
    cudaMemRangeAttributePreferredLocationType = 5,
    cudaMemRangeAttributePreferredLocationId = 6,
    cudaMemRangeAttributeLastPrefetchLocationType = 7,
    cudaMemRangeAttributeLastPrefetchLocationId = 8
};

/* ---- pools of memory ----------------------------------------------------- */

typedef struct CUmemPoolHandle_st *cudaMemPool_t; /**< opaque */

/** Facts of a pool. */
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrReservedMemCurrent = 5,
    cudaMemPoolAttrReservedMemHigh = 6,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8
};

/** Kinds of places. */
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeNone = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2,
    cudaMemLocationTypeHostNuma = 3,
    cudaMemLocationTypeHostNumaCurrent = 4
};

/** A place for memory. */
struct cudaMemLocation {
    enum cudaMemLocationType type; /**< kind */
    int id;                        /**< of the device */
};

/** Kinds of allocations. */
enum cudaMemAllocationType {
    cudaMemAllocationTypeInvalid = 0,
    cudaMemAllocationTypePinned = 1,
    cudaMemAllocationTypeManaged = 2,
    cudaMemAllocationTypeMax = 0x7fffffff
};

/** How memory could be given to other processes: not at all here. */
enum cudaMemAllocationHandleType {
    cudaMemHandleTypeNone = 0,
    cudaMemHandleTypePosixFileDescriptor = 1,
    cudaMemHandleTypeWin32 = 2,
    cudaMemHandleTypeWin32Kmt = 4,
    cudaMemHandleTypeFabric = 8
};

/** What a pool is made of. */
struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;         /**< pinned */
    enum cudaMemAllocationHandleType handleTypes; /**< none */
    struct cudaMemLocation location;              /**< device 0 */
    void *win32SecurityAttributes;                /**< NULL */
    size_t maxSize;                               /**< 0: no limit (bytes) */
    unsigned short usage;                         /**< 0 */
    unsigned char reserved[54];                   /**< zeros */
};

/* ---- attributes of streams and launches ---------------------------------- */

/** What a cache should do with a line; no effect here. */
enum cudaAccessProperty {
    cudaAccessPropertyNormal = 0,
    cudaAccessPropertyStreaming = 1,
    cudaAccessPropertyPersisting = 2
};

/** A part of memory that the L2 should treat in a way of its own. */
struct cudaAccessPolicyWindow {
    void *base_ptr;                   /**< first byte */
    size_t num_bytes;                 /**< of it */
    float hitRatio;                   /**< share with hitProp */
    enum cudaAccessProperty hitProp;  /**< for these */
    enum cudaAccessProperty missProp; /**< for the others */
};

/** How the host waits; no effect here. */
enum cudaSynchronizationPolicy {
    cudaSyncPolicyAuto = 1,
    cudaSyncPolicySpin = 2,
    cudaSyncPolicyYield = 3,
    cudaSyncPolicyBlockingSync = 4
};

/** Which attribute. */
typedef enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeSynchronizationPolicy = 3,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributeProgrammaticEvent = 7,
    cudaLaunchAttributePriority = 8,
    cudaLaunchAttributeMemSyncDomainMap = 9,
    cudaLaunchAttributeMemSyncDomain = 10,
    cudaLaunchAttributePreferredClusterDimension = 11,
    cudaLaunchAttributeLaunchCompletionEvent = 12,
    cudaLaunchAttributeDeviceUpdatableKernelNode = 13,
    cudaLaunchAttributePreferredSharedMemoryCarveout = 14
} cudaLaunchAttributeID;

/** Its value. */
typedef union cudaLaunchAttributeValue {
    char pad[64];                                     /**< size of all */
    struct cudaAccessPolicyWindow accessPolicyWindow; /**< no effect */
    int cooperative;                                  /**< blocks may wait */
    enum cudaSynchronizationPolicy syncPolicy;        /**< no effect */
    int programmaticStreamSerializationAllowed;       /**< no effect */
    int priority;                                     /**< no effect */
    unsigned int sharedMemCarveout;                   /**< no effect */
    struct {
        unsigned int x; /**< blocks */
        unsigned int y; /**< the same */
        unsigned int z; /**< the same */
    } clusterDim;       /**< of a cluster */
} cudaLaunchAttributeValue;

/** Both. */
typedef struct cudaLaunchAttribute_st {
    cudaLaunchAttributeID id;     /**< which */
    cudaLaunchAttributeValue val; /**< its value */
} cudaLaunchAttribute;

/** A launch, for cudaLaunchKernelEx(). */
typedef struct cudaLaunchConfig_st {
    struct dim3 gridDim;        /**< blocks */
    struct dim3 blockDim;       /**< threads of each */
    size_t dynamicSmemBytes;    /**< dynamic shared memory */
    cudaStream_t stream;        /**< where */
    cudaLaunchAttribute *attrs; /**< numAttrs of them */
    unsigned int numAttrs;      /**< attributes */
} cudaLaunchConfig_t;

#define cudaStreamAttrID cudaLaunchAttributeID
#define cudaStreamAttrValue cudaLaunchAttributeValue
#define cudaStreamAttributeAccessPolicyWindow                                  \
    cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy                               \
    cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority
#define cudaKernelNodeAttrID cudaLaunchAttributeID
#define cudaKernelNodeAttrValue cudaLaunchAttributeValue
#define cudaKernelNodeAttributeAccessPolicyWindow                              \
    cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributeCooperative cudaLaunchAttributeCooperative
#define cudaKernelNodeAttributePriority cudaLaunchAttributePriority

/* ---- graphs -------------------------------------------------------------- */

/** Kinds of nodes. */
enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel = 0,
    cudaGraphNodeTypeMemcpy = 1,
    cudaGraphNodeTypeMemset = 2,
    cudaGraphNodeTypeHost = 3,
    cudaGraphNodeTypeGraph = 4,
    cudaGraphNodeTypeEmpty = 5,
    cudaGraphNodeTypeWaitEvent = 6,
    cudaGraphNodeTypeEventRecord = 7,
    cudaGraphNodeTypeExtSemaphoreSignal = 8,
    cudaGraphNodeTypeExtSemaphoreWait = 9,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree = 11,
    cudaGraphNodeTypeConditional = 13,
    cudaGraphNodeTypeCount
};

/** A kernel and its launch. */
struct cudaKernelNodeParams {
    void *func;                  /**< the kernel */
    struct dim3 gridDim;         /**< blocks */
    struct dim3 blockDim;        /**< threads of each */
    unsigned int sharedMemBytes; /**< dynamic shared memory */
    void **kernelParams;         /**< addresses of the arguments */
    void **extra;                /**< NULL */
};

/** A memset of rows. */
struct cudaMemsetParams {
    void *dst;                /**< first byte */
    size_t pitch;             /**< from row to row (bytes) */
    unsigned int value;       /**< of each element */
    unsigned int elementSize; /**< 1, 2 or 4 bytes */
    size_t width;             /**< elements of a row */
    size_t height;            /**< rows */
};

/** A call of the host. */
struct cudaHostNodeParams {
    cudaHostFn_t fn; /**< the function */
    void *userData;  /**< for it */
};

/** Memory that a graph allocates. */
struct cudaMemAllocNodeParams {
    struct cudaMemPoolProps poolProps;           /**< of which kind */
    const struct cudaMemAccessDesc *accessDescs; /**< NULL */
    size_t accessDescCount;                      /**< 0 */
    size_t bytesize;                             /**< how much */
    void *dptr;                                  /**< the answer */
};

/** Memory of all graphs. */
enum cudaGraphMemAttributeType {
    cudaGraphMemAttrUsedMemCurrent = 0,
    cudaGraphMemAttrUsedMemHigh = 1,
    cudaGraphMemAttrReservedMemCurrent = 2,
    cudaGraphMemAttrReservedMemHigh = 3
};

/** What became of cudaGraphExecUpdate(). */
enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess = 0,
    cudaGraphExecUpdateError = 1,
    cudaGraphExecUpdateErrorTopologyChanged = 2,
    cudaGraphExecUpdateErrorNodeTypeChanged = 3,
    cudaGraphExecUpdateErrorFunctionChanged = 4,
    cudaGraphExecUpdateErrorParametersChanged = 5,
    cudaGraphExecUpdateErrorNotSupported = 6,
    cudaGraphExecUpdateErrorUnsupportedFunctionChange = 7,
    cudaGraphExecUpdateErrorAttributesChanged = 8
};

/** The same, with the nodes where it failed. */
typedef struct cudaGraphExecUpdateResultInfo_st {
    enum cudaGraphExecUpdateResult result; /**< see above */
    cudaGraphNode_t errorNode;             /**< NULL if it did not fail */
    cudaGraphNode_t errorFromNode;         /**< NULL */
} cudaGraphExecUpdateResultInfo;

/** Flags of cudaGraphInstantiate(). */
enum cudaGraphInstantiateFlags {
    cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
    cudaGraphInstantiateFlagUpload = 2,
    cudaGraphInstantiateFlagDeviceLaunch = 4,
    cudaGraphInstantiateFlagUseNodePriority = 8
};

/** An edge; every one is a full dependency here. */
typedef struct cudaGraphEdgeData_st {
    unsigned char from_port;   /**< 0 */
    unsigned char to_port;     /**< 0 */
    unsigned char type;        /**< 0 */
    unsigned char reserved[5]; /**< zeros */
} cudaGraphEdgeData;

/** What cudaStreamAddCallback() calls. */
typedef void(CUDART_CB *cudaStreamCallback_t)(cudaStream_t stream,
                                              cudaError_t status, void *data);

#endif
