/**
 * @file per_thread.h
 * @brief nvcc --default-stream per-thread: what names no stream, or stream 0,
 * means cudaStreamPerThread.
 *
 * A program may have sources of both kinds, so as in CUDA's own headers these
 * call functions of other names; runtime/api/per_thread.c has them.
 */
#ifndef PER_THREAD_H
#define PER_THREAD_H

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define SIM_DEFAULT_STREAM cudaStreamPerThread /**< of <<<...>>> */

#define cudaMemcpy cudaMemcpy_own
#define cudaMemcpy2D cudaMemcpy2D_own
#define cudaMemcpy3D cudaMemcpy3D_own
#define cudaMemcpyPeer cudaMemcpyPeer_own
#define cudaMemcpyToSymbol cudaMemcpyToSymbol_own
#define cudaMemcpyFromSymbol cudaMemcpyFromSymbol_own
#define cudaMemcpyAsync cudaMemcpyAsync_own
#define cudaMemcpy2DAsync cudaMemcpy2DAsync_own
#define cudaMemcpy3DAsync cudaMemcpy3DAsync_own
#define cudaMemcpyPeerAsync cudaMemcpyPeerAsync_own
#define cudaMemcpyToSymbolAsync cudaMemcpyToSymbolAsync_own
#define cudaMemcpyFromSymbolAsync cudaMemcpyFromSymbolAsync_own
#define cudaMemset cudaMemset_own
#define cudaMemset2D cudaMemset2D_own
#define cudaMemset3D cudaMemset3D_own
#define cudaMemsetAsync cudaMemsetAsync_own
#define cudaMemset2DAsync cudaMemset2DAsync_own
#define cudaMemset3DAsync cudaMemset3DAsync_own
#define cudaMallocAsync cudaMallocAsync_own
#define cudaMallocFromPoolAsync cudaMallocFromPoolAsync_own
#define cudaFreeAsync cudaFreeAsync_own
#define cudaStreamSynchronize cudaStreamSynchronize_own
#define cudaStreamQuery cudaStreamQuery_own
#define cudaStreamGetPriority cudaStreamGetPriority_own
#define cudaStreamGetFlags cudaStreamGetFlags_own
#define cudaStreamSetAttribute cudaStreamSetAttribute_own
#define cudaStreamGetAttribute cudaStreamGetAttribute_own
#define cudaStreamAddCallback cudaStreamAddCallback_own
#define cudaStreamWaitEvent cudaStreamWaitEvent_own
#define cudaStreamBeginCapture cudaStreamBeginCapture_own
#define cudaStreamEndCapture cudaStreamEndCapture_own
#define cudaStreamIsCapturing cudaStreamIsCapturing_own
#define cudaLaunchHostFunc cudaLaunchHostFunc_own
#define cudaEventRecord cudaEventRecord_own
#define cudaGraphLaunch cudaGraphLaunch_own
#define cudaLaunchKernel cudaLaunchKernel_own
#define cudaLaunchCooperativeKernel cudaLaunchCooperativeKernel_own
#define cudaLaunchKernelExC cudaLaunchKernelExC_own

#else
#define SIM_DEFAULT_STREAM cudaStreamLegacy /**< of <<<...>>> */
#endif

#endif
