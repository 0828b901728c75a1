/**
 * @file cuda_runtime.h
 * @brief CUDA for a C++ compiler: stands where nvcc's own header would.
 *
 * simcc includes it before the first line of a .cu file, as nvcc does.
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#ifndef __cplusplus
#error "C files include cuda_runtime_api.h"
#endif

#define __CUDACC__ 1

#include "cuda_runtime_api.h"
#include "host_defines.h"
#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif
#include "vector_functions.h"
#include "vector_types.h"

#include "device_atomic_functions.h"
#include "device_functions.h"
#include "device_launch.h"
#include "device_launch_parameters.h"
#include "math_functions.h"
#include "texture_types.h"

/* nvcc gives these to every .cu file. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
