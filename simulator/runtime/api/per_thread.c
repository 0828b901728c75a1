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
/* The same of so many parameters, by their types. */
#define OWN_1(name, A) OWN(name, (A a), a)
#define OWN_2(name, A, B) OWN(name, (A a, B b), a, b)
#define OWN_3(name, A, B, C) OWN(name, (A a, B b, C c), a, b, c)
#define OWN_4(name, A, B, C, D) OWN(name, (A a, B b, C c, D d), a, b, c, d)
#define OWN_5(name, A, B, C, D, E)                                             \
    OWN(name, (A a, B b, C c, D d, E e), a, b, c, d, e)
#define OWN_6(name, A, B, C, D, E, F)                                          \
    OWN(name, (A a, B b, C c, D d, E e, F f), a, b, c, d, e, f)
#define OWN_7(name, A, B, C, D, E, F, G)                                       \
    OWN(name, (A a, B b, C c, D d, E e, F f, G g), a, b, c, d, e, f, g)
#define OWN_8(name, A, B, C, D, E, F, G, H)                                    \
    OWN(name, (A a, B b, C c, D d, E e, F f, G g, H h), a, b, c, d, e, f, g, h)

OWN_4(Memcpy, void *, const void *, size_t, enum cudaMemcpyKind)
OWN_7(Memcpy2D, void *, size_t, const void *, size_t, size_t, size_t,
      enum cudaMemcpyKind)
OWN_1(Memcpy3D, const struct cudaMemcpy3DParms *)
OWN_5(MemcpyPeer, void *, int, const void *, int, size_t)
OWN_5(MemcpyToSymbol, const void *, const void *, size_t, size_t,
      enum cudaMemcpyKind)
OWN_5(MemcpyFromSymbol, void *, const void *, size_t, size_t,
      enum cudaMemcpyKind)
OWN_5(MemcpyAsync, void *, const void *, size_t, enum cudaMemcpyKind,
      cudaStream_t)
OWN_8(Memcpy2DAsync, void *, size_t, const void *, size_t, size_t, size_t,
      enum cudaMemcpyKind, cudaStream_t)
OWN_2(Memcpy3DAsync, const struct cudaMemcpy3DParms *, cudaStream_t)
OWN_6(MemcpyPeerAsync, void *, int, const void *, int, size_t, cudaStream_t)
OWN_6(MemcpyToSymbolAsync, const void *, const void *, size_t, size_t,
      enum cudaMemcpyKind, cudaStream_t)
OWN_6(MemcpyFromSymbolAsync, void *, const void *, size_t, size_t,
      enum cudaMemcpyKind, cudaStream_t)
OWN_3(Memset, void *, int, size_t)
OWN_5(Memset2D, void *, size_t, int, size_t, size_t)
OWN_3(Memset3D, struct cudaPitchedPtr, int, struct cudaExtent)
OWN_4(MemsetAsync, void *, int, size_t, cudaStream_t)
OWN_6(Memset2DAsync, void *, size_t, int, size_t, size_t, cudaStream_t)
OWN_4(Memset3DAsync, struct cudaPitchedPtr, int, struct cudaExtent,
      cudaStream_t)
OWN_3(MallocAsync, void **, size_t, cudaStream_t)
OWN_4(MallocFromPoolAsync, void **, size_t, cudaMemPool_t, cudaStream_t)
OWN_2(FreeAsync, void *, cudaStream_t)
OWN_1(StreamSynchronize, cudaStream_t)
OWN_1(StreamQuery, cudaStream_t)
OWN_2(StreamGetPriority, cudaStream_t, int *)
OWN_2(StreamGetFlags, cudaStream_t, unsigned int *)
OWN_3(StreamSetAttribute, cudaStream_t, cudaLaunchAttributeID,
      const cudaLaunchAttributeValue *)
OWN_3(StreamGetAttribute, cudaStream_t, cudaLaunchAttributeID,
      cudaLaunchAttributeValue *)
OWN_4(StreamAddCallback, cudaStream_t, cudaStreamCallback_t, void *,
      unsigned int)
OWN_3(StreamWaitEvent, cudaStream_t, cudaEvent_t, unsigned int)
OWN_2(StreamBeginCapture, cudaStream_t, enum cudaStreamCaptureMode)
OWN_2(StreamEndCapture, cudaStream_t, cudaGraph_t *)
OWN_2(StreamIsCapturing, cudaStream_t, enum cudaStreamCaptureStatus *)
OWN_3(LaunchHostFunc, cudaStream_t, cudaHostFn_t, void *)
OWN_2(EventRecord, cudaEvent_t, cudaStream_t)
OWN_2(GraphLaunch, cudaGraphExec_t, cudaStream_t)
OWN_6(LaunchKernel, const void *, struct dim3, struct dim3, void **, size_t,
      cudaStream_t)
OWN_6(LaunchCooperativeKernel, const void *, struct dim3, struct dim3, void **,
      size_t, cudaStream_t)
OWN_3(LaunchKernelExC, const cudaLaunchConfig_t *, const void *, void **)
