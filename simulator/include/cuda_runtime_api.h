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
 *     H200, with 32 registers per thread, since no registers are known.
 *   - Default stream: 0 is the legacy one, or with --default-stream per-thread
 *     (CUDA_API_PER_THREAD_DEFAULT_STREAM) the calling thread's own one.
 */
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#include <stddef.h>

#define __CUDASIM__ 1        /**< this is the simulator */
#define CUDART_VERSION 13000 /**< version of the API: 13.0 */
#define CUDA_VERSION 13000   /**< the same, as the driver calls it */
#define __CUDART_API_VERSION CUDART_VERSION

#include "driver_types.h"
#include "per_thread.h"
#include "vector_types.h"

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
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties,
                                    int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
                                   int device);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetP2PAttribute(int *value,
                                      enum cudaDeviceP2PAttr attribute,
                                      int device, int peer);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

/* ---- memory -------------------------------------------------------------- */

/** cudaMalloc() and cudaMallocManaged() that know the line of the call, for
 *  reports. */
cudaError_t sim_malloc(void **pointer, size_t bytes, const char *file,
                       int line);
cudaError_t sim_malloc_managed(void **pointer, size_t bytes, const char *file,
                               int line);

/** What cudaGetDriverEntryPointByVersion() has found. */
enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess,
    cudaDriverEntryPointSymbolNotFound,
    cudaDriverEntryPointVersionNotSufficent
};
typedef enum cudaDriverEntryPointQueryResult
    cudaDriverEntryPointQueryResult; /**< for C */
#define cudaEnableDefault 0

/** A function of the driver: cuTensorMapEncodeTiled, and no other. */
cudaError_t
cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                 unsigned version, unsigned long long flags,
                                 cudaDriverEntryPointQueryResult *found);

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

/** The next copy to or from a symbol is to or from one of @p bytes. */
void sim_symbol(size_t bytes);

/* Copies between devices: both are 0. */
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from,
                           int from_device, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                int from_device, size_t bytes,
                                cudaStream_t stream SIM_DEFAULT(0));

/* Boxes: rows of layers. */
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory,
                         struct cudaExtent extent);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy,
                              cudaStream_t stream SIM_DEFAULT(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr memory, int value,
                         struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr memory, int value,
                              struct cudaExtent extent,
                              cudaStream_t stream SIM_DEFAULT(0));

/* Hints for managed memory: checked, without effect. */
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                 struct cudaMemLocation location,
                                 unsigned int flags,
                                 cudaStream_t stream SIM_DEFAULT(0));
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes,
                          enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location);
cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer,
                         size_t bytes SIM_DEFAULT(0),
                         unsigned int flags SIM_DEFAULT(cudaMemAttachSingle));

/* Pools of memory. */
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool,
                              const struct cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool,
                                    enum cudaMemPoolAttr attribute,
                                    void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool,
                                    enum cudaMemPoolAttr attribute,
                                    void *value);
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes,
                                    cudaMemPool_t pool, cudaStream_t stream);

/* ---- streams and events -------------------------------------------------- */

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream,
                                         unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream,
                                   cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue *value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream,
                                   cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue *value);
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
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

/* Graphs by hand: nodes, and what comes before them. */
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                                  size_t *count);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                              cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                              size_t *count);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                     const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges,
                                     size_t count);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
                                 enum cudaGraphNodeType *type);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found,
                                     cudaGraphNode_t node, cudaGraph_t clone);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, size_t count,
                                   const struct cudaKernelNodeParams *params);
cudaError_t
cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                             const struct cudaKernelNodeParams *params);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, size_t count,
                                   const struct cudaMemcpy3DParms *params);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *before,
                                     size_t count, void *to, const void *from,
                                     size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, size_t count,
                                   const struct cudaMemsetParams *params);
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemsetParams *params);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *before, size_t count,
                                 const struct cudaHostNodeParams *params);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *before, size_t count);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *before,
                                       size_t count, cudaGraph_t child);

/* Memory of graphs. */
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *before,
                                     size_t count,
                                     struct cudaMemAllocNodeParams *params);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *before, size_t count,
                                    void *pointer);
cudaError_t cudaDeviceGraphMemTrim(int device);
cudaError_t cudaDeviceGetGraphMemAttribute(
    int device, enum cudaGraphMemAttributeType attribute, void *value);

/* Changes of an executable graph; nodes are those of its original. */
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info);
cudaError_t
cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                 const struct cudaKernelNodeParams *params);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled);

/* ---- kernels ------------------------------------------------------------- */

cudaError_t cudaLaunchKernel(const void *kernel, struct dim3 grid,
                             struct dim3 block, void **args,
                             size_t dynamic_bytes SIM_DEFAULT(0),
                             cudaStream_t stream SIM_DEFAULT(0));
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, struct dim3 grid,
                                        struct dim3 block, void **args,
                                        size_t dynamic_bytes SIM_DEFAULT(0),
                                        cudaStream_t stream SIM_DEFAULT(0));
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *kernel, void **args);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                  const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel,
                                 enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *kernel,
                                   enum cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void *kernel,
                                       enum cudaSharedMemConfig config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *kernel,
                                                          int block_size,
                                                          size_t dynamic_bytes);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *kernel, int block_size, size_t dynamic_bytes,
    unsigned int flags);
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *kernel,
                                           const cudaLaunchConfig_t *config);

#ifdef __cplusplus
}
#endif

/* ---- what C and C++ spell differently ------------------------------------ */

#ifdef __cplusplus

/** A function that is one call. */
#define SIM_CALLS(name, parameters, ...)                                       \
    static inline cudaError_t name parameters                                  \
    {                                                                          \
        return __VA_ARGS__;                                                    \
    }
/** The same for pointers to any type T. */
#define SIM_OF_TYPE(name, parameters, ...)                                     \
    template <class T>                                                         \
    SIM_CALLS(name, parameters, __VA_ARGS__)
/** The same for a kernel, instead of the const void * that it is in C. */
#define SIM_OF_KERNEL(name, parameters, ...)                                   \
    template <class... A>                                                      \
    SIM_CALLS(name, parameters, __VA_ARGS__)

SIM_CALLS(cudaEventCreate,
          (cudaEvent_t * event, unsigned int flags = cudaEventDefault),
          cudaEventCreateWithFlags(event, flags))
SIM_OF_TYPE(cudaHostAlloc, (T * *pointer, size_t bytes, unsigned int flags),
            cudaHostAlloc((void **)(void *)pointer, bytes, flags))
SIM_OF_TYPE(cudaMallocHost, (T * *pointer, size_t bytes, unsigned flags = 0),
            cudaHostAlloc((void **)(void *)pointer, bytes, flags))
SIM_OF_TYPE(cudaHostGetDevicePointer,
            (T * *device, void *host, unsigned int flags),
            cudaHostGetDevicePointer((void **)(void *)device, host, flags))
SIM_OF_TYPE(cudaMallocManaged,
            (T * *pointer, size_t bytes, unsigned = cudaMemAttachGlobal,
             const char *file = __builtin_FILE(), int line = __builtin_LINE()),
            sim_malloc_managed((void **)(void *)pointer, bytes, file, line))
SIM_OF_TYPE(cudaMallocPitch,
            (T * *pointer, size_t *pitch, size_t width, size_t height),
            cudaMallocPitch((void **)(void *)pointer, pitch, width, height))
SIM_OF_TYPE(cudaMallocAsync, (T * *pointer, size_t bytes, cudaStream_t stream),
            cudaMallocAsync((void **)(void *)pointer, bytes, stream))
SIM_OF_TYPE(cudaMallocFromPoolAsync,
            (T * *pointer, size_t bytes, cudaMemPool_t pool,
             cudaStream_t stream),
            cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool,
                                    stream))
SIM_OF_TYPE(cudaMallocAsync,
            (T * *pointer, size_t bytes, cudaMemPool_t pool,
             cudaStream_t stream),
            cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool,
                                    stream))
SIM_OF_TYPE(cudaStreamAttachMemAsync,
            (cudaStream_t stream, T *pointer, size_t bytes = 0,
             unsigned int flags = cudaMemAttachSingle),
            cudaStreamAttachMemAsync(stream, (void *)pointer, bytes, flags))

/* CUDA 12: a device by its number; -1 is the host. */

/** The place that a number means. */
static inline cudaMemLocation sim_location(int device)
{
    return {device == cudaCpuDeviceId ? cudaMemLocationTypeHost
                                      : cudaMemLocationTypeDevice,
            device};
}

SIM_CALLS(cudaMemPrefetchAsync,
          (const void *pointer, size_t bytes, int device,
           cudaStream_t stream = 0),
          cudaMemPrefetchAsync(pointer, bytes, sim_location(device), 0, stream))
SIM_CALLS(cudaMemAdvise,
          (const void *pointer, size_t bytes, cudaMemoryAdvise advice,
           int device),
          cudaMemAdvise(pointer, bytes, advice, sim_location(device)))

/* A symbol is the variable itself: copies stay inside of it. */

SIM_OF_TYPE(cudaMemcpyToSymbol,
            (const T &symbol, const void *from, size_t bytes, size_t offset = 0,
             cudaMemcpyKind kind = cudaMemcpyHostToDevice),
            (sim_symbol(sizeof symbol),
             cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset,
                                kind)))
SIM_OF_TYPE(cudaMemcpyFromSymbol,
            (void *to, const T &symbol, size_t bytes, size_t offset = 0,
             cudaMemcpyKind kind = cudaMemcpyDeviceToHost),
            (sim_symbol(sizeof symbol),
             cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset,
                                  kind)))
SIM_OF_TYPE(cudaMemcpyToSymbolAsync,
            (const T &symbol, const void *from, size_t bytes, size_t offset,
             cudaMemcpyKind kind, cudaStream_t stream = 0),
            (sim_symbol(sizeof symbol),
             cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset,
                                     kind, stream)))
SIM_OF_TYPE(cudaMemcpyFromSymbolAsync,
            (void *to, const T &symbol, size_t bytes, size_t offset,
             cudaMemcpyKind kind, cudaStream_t stream = 0),
            (sim_symbol(sizeof symbol),
             cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset,
                                       kind, stream)))
SIM_OF_TYPE(cudaGetSymbolAddress, (void **pointer, const T &symbol),
            cudaGetSymbolAddress(pointer, (const void *)&symbol))
SIM_OF_TYPE(cudaGetSymbolAddress, (T * *pointer, const T &symbol),
            cudaGetSymbolAddress((void **)(void *)pointer,
                                 (const void *)&symbol))
SIM_OF_TYPE(cudaGetSymbolSize, (size_t * bytes, const T &symbol),
            (*bytes = sizeof symbol, cudaSuccess))

SIM_OF_KERNEL(cudaFuncGetAttributes,
              (cudaFuncAttributes * attributes, void (*kernel)(A...)),
              cudaFuncGetAttributes(attributes, (const void *)kernel))
SIM_OF_KERNEL(cudaFuncSetAttribute,
              (void (*kernel)(A...), cudaFuncAttribute attribute, int value),
              cudaFuncSetAttribute((const void *)kernel, attribute, value))
SIM_OF_KERNEL(cudaFuncSetCacheConfig,
              (void (*kernel)(A...), cudaFuncCache config),
              cudaFuncSetCacheConfig((const void *)kernel, config))
SIM_OF_KERNEL(cudaFuncSetSharedMemConfig,
              (void (*kernel)(A...), cudaSharedMemConfig config),
              cudaFuncSetSharedMemConfig((const void *)kernel, config))
SIM_OF_KERNEL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
              (int *blocks, void (*kernel)(A...), int block_size,
               size_t dynamic_bytes, unsigned int flags),
              cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                  blocks, (const void *)kernel, block_size, dynamic_bytes,
                  flags))
SIM_OF_KERNEL(
    cudaOccupancyMaxActiveBlocksPerMultiprocessor,
    (int *blocks, void (*kernel)(A...), int block_size, size_t dynamic_bytes),
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel,
                                                  block_size, dynamic_bytes))

SIM_OF_KERNEL(cudaOccupancyMaxActiveClusters,
              (int *clusters, void (*kernel)(A...),
               const cudaLaunchConfig_t *config),
              cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel,
                                             config))

/** Block size of the highest occupancy, and the grid that fills the GPU, for
 *  shared memory that depends on the block's size. */
template <class T, class Bytes>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int *grid_size, int *block_size, T kernel, Bytes bytes_of, int limit = 0)
{
    cudaFuncAttributes facts = {};
    cudaError_t error = cudaFuncGetAttributes(&facts, (const void *)kernel);
    int most = facts.maxThreadsPerBlock, processors = 0;
    *grid_size = *block_size = 0;
    for (int size = limit > 0 && limit < most ? limit : most;
         size > 0 && !error; size -= 32) {
        int blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, (const void *)kernel, size, (size_t)bytes_of(size));
        if (blocks * size > *grid_size * *block_size) {
            *block_size = size;
            *grid_size = blocks;
        }
    }
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    *grid_size *= processors;
    return error;
}

template <class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size, T kernel,
                                   size_t dynamic_bytes = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid_size, block_size, kernel, [=](int) { return dynamic_bytes; },
        limit);
}

static inline cudaExtent make_cudaExtent(size_t width, size_t height,
                                         size_t depth)
{
    return {width, height, depth};
}

static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    return {x, y, z};
}

static inline cudaPitchedPtr make_cudaPitchedPtr(void *memory, size_t pitch,
                                                 size_t width, size_t height)
{
    return {memory, pitch, width, height};
}

/* CUDA 12: edges without data; captures with and without them. */

SIM_CALLS(cudaGraphAddDependencies,
          (cudaGraph_t graph, const cudaGraphNode_t *from,
           const cudaGraphNode_t *to, size_t count),
          cudaGraphAddDependencies(graph, from, to, nullptr, count))
SIM_CALLS(cudaGraphGetEdges,
          (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
           size_t *count),
          cudaGraphGetEdges(graph, from, to, nullptr, count))

/** As in CUDA 11. */
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec,
                                              cudaGraph_t graph,
                                              cudaGraphNode_t *error_node,
                                              cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
    *error_node = info.errorNode;
    *result = info.result;
    return error;
}

/* Names that CUDA 13 no longer has. */

SIM_CALLS(cudaThreadSynchronize, (), cudaDeviceSynchronize())
SIM_CALLS(cudaThreadExit, (), cudaDeviceReset())

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

#undef SIM_CALLS
#undef SIM_OF_TYPE
#undef SIM_OF_KERNEL

#else

/** Event with timing. */
static inline cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

#endif

#undef SIM_DEFAULT

#endif
