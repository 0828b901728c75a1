/**
 * @file cuda_profiler_api.h
 * @brief cudaProfilerStart() and cudaProfilerStop(), which the runtime has.
 */
#ifndef __CUDA_PROFILER_API_H__
#define __CUDA_PROFILER_API_H__

#include "cuda_runtime_api.h"

#endif
