/**
 * @file per_thread.c
 * @brief What a source calls that was compiled with --default-stream
 * per-thread: the same functions, by the names that per_thread.h gives them.
 */
#include "api.h"

/** A function for which stream 0 is cudaStreamPerThread. */
#define OWN(name, parameters, ...)                                             \
    cudaError_t cuda##name##_own parameters;                                   \
    cudaError_t cuda##name##_own parameters                                    \
    {                                                                          \
        sim_default_is_own++;                                                  \
        cudaError_t error = cuda##name(__VA_ARGS__);                           \
        sim_default_is_own--;                                                  \
        return error;                                                          \
    }

OWN(Memcpy,
    (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind), to,
    from, bytes, kind)
OWN(Memcpy2D,
    (void *to, size_t to_pitch, const void *from, size_t from_pitch,
     size_t width, size_t height, enum cudaMemcpyKind kind),
    to, to_pitch, from, from_pitch, width, height, kind)
OWN(Memcpy3D, (const struct cudaMemcpy3DParms *copy), copy)
OWN(MemcpyPeer,
    (void *to, int to_device, const void *from, int from_device, size_t bytes),
    to, to_device, from, from_device, bytes)
OWN(MemcpyToSymbol,
    (const void *symbol, const void *from, size_t bytes, size_t offset,
     enum cudaMemcpyKind kind),
    symbol, from, bytes, offset, kind)
OWN(MemcpyFromSymbol,
    (void *to, const void *symbol, size_t bytes, size_t offset,
     enum cudaMemcpyKind kind),
    to, symbol, bytes, offset, kind)
OWN(MemcpyAsync,
    (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
     cudaStream_t stream),
    to, from, bytes, kind, stream)
OWN(Memcpy2DAsync,
    (void *to, size_t to_pitch, const void *from, size_t from_pitch,
     size_t width, size_t height, enum cudaMemcpyKind kind,
     cudaStream_t stream),
    to, to_pitch, from, from_pitch, width, height, kind, stream)
OWN(Memcpy3DAsync, (const struct cudaMemcpy3DParms *copy, cudaStream_t stream),
    copy, stream)
OWN(MemcpyPeerAsync,
    (void *to, int to_device, const void *from, int from_device, size_t bytes,
     cudaStream_t stream),
    to, to_device, from, from_device, bytes, stream)
OWN(MemcpyToSymbolAsync,
    (const void *symbol, const void *from, size_t bytes, size_t offset,
     enum cudaMemcpyKind kind, cudaStream_t stream),
    symbol, from, bytes, offset, kind, stream)
OWN(MemcpyFromSymbolAsync,
    (void *to, const void *symbol, size_t bytes, size_t offset,
     enum cudaMemcpyKind kind, cudaStream_t stream),
    to, symbol, bytes, offset, kind, stream)
OWN(Memset, (void *pointer, int value, size_t bytes), pointer, value, bytes)
OWN(Memset2D,
    (void *pointer, size_t pitch, int value, size_t width, size_t height),
    pointer, pitch, value, width, height)
OWN(Memset3D,
    (struct cudaPitchedPtr memory, int value, struct cudaExtent extent), memory,
    value, extent)
OWN(MemsetAsync, (void *pointer, int value, size_t bytes, cudaStream_t stream),
    pointer, value, bytes, stream)
OWN(Memset2DAsync,
    (void *pointer, size_t pitch, int value, size_t width, size_t height,
     cudaStream_t stream),
    pointer, pitch, value, width, height, stream)
OWN(Memset3DAsync,
    (struct cudaPitchedPtr memory, int value, struct cudaExtent extent,
     cudaStream_t stream),
    memory, value, extent, stream)
OWN(MallocAsync, (void **pointer, size_t bytes, cudaStream_t stream), pointer,
    bytes, stream)
OWN(MallocFromPoolAsync,
    (void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
    pointer, bytes, pool, stream)
OWN(FreeAsync, (void *pointer, cudaStream_t stream), pointer, stream)
OWN(StreamSynchronize, (cudaStream_t stream), stream)
OWN(StreamQuery, (cudaStream_t stream), stream)
OWN(StreamGetPriority, (cudaStream_t stream, int *priority), stream, priority)
OWN(StreamGetFlags, (cudaStream_t stream, unsigned int *flags), stream, flags)
OWN(StreamSetAttribute,
    (cudaStream_t stream, cudaLaunchAttributeID attribute,
     const cudaLaunchAttributeValue *value),
    stream, attribute, value)
OWN(StreamGetAttribute,
    (cudaStream_t stream, cudaLaunchAttributeID attribute,
     cudaLaunchAttributeValue *value),
    stream, attribute, value)
OWN(StreamAddCallback,
    (cudaStream_t stream, cudaStreamCallback_t callback, void *data,
     unsigned int flags),
    stream, callback, data, flags)
OWN(StreamWaitEvent,
    (cudaStream_t stream, cudaEvent_t event, unsigned int flags), stream, event,
    flags)
OWN(StreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
    stream, mode)
OWN(StreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), stream, graph)
OWN(StreamIsCapturing,
    (cudaStream_t stream, enum cudaStreamCaptureStatus *status), stream, status)
OWN(LaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *data),
    stream, function, data)
OWN(EventRecord, (cudaEvent_t event, cudaStream_t stream), event, stream)
OWN(GraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), exec, stream)
OWN(LaunchKernel,
    (const void *kernel, struct dim3 grid, struct dim3 block, void **args,
     size_t dynamic_bytes, cudaStream_t stream),
    kernel, grid, block, args, dynamic_bytes, stream)
OWN(LaunchCooperativeKernel,
    (const void *kernel, struct dim3 grid, struct dim3 block, void **args,
     size_t dynamic_bytes, cudaStream_t stream),
    kernel, grid, block, args, dynamic_bytes, stream)
OWN(LaunchKernelExC,
    (const cudaLaunchConfig_t *config, const void *kernel, void **args), config,
    kernel, args)
