/**
 * @file cuda_fp16.h
 * @brief half and half2: numbers of 16 bits with 5 bits of exponent.
 *
 * small_float.h has them; here is only what they are called.
 */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "cuda_runtime.h"

struct __nv_bfloat16;

#define SIM_T __half
#define SIM_T2 __half2
#define SIM_RAW __half_raw
#define SIM_RAW2 __half2_raw
#define SIM_OTHER __nv_bfloat16
#define SIM_FORMAT SIM_HALF
#define SIM_ATOMIC_ADD_SMALL SIM_ATOMIC_ADD_HALF
#define SIM_NAME(before, after) before##half##after
#define SIM_TWICE __half2half2
#include "small_float.h"

typedef __half half, nv_half, __nv_half;
typedef __half2 half2, nv_half2, __nv_half2;

#endif
