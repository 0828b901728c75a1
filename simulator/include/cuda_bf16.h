/**
 * @file cuda_bf16.h
 * @brief bfloat16, alone and in pairs: the upper 16 bits of a float.
 *
 * small_float.h has them; here is only what they are called.
 */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "cuda_fp16.h"

#define SIM_T __nv_bfloat16
#define SIM_T2 __nv_bfloat162
#define SIM_RAW __nv_bfloat16_raw
#define SIM_RAW2 __nv_bfloat162_raw
#define SIM_OTHER __half
#define SIM_FORMAT SIM_BFLOAT16
#define SIM_ATOMIC_ADD_SMALL SIM_ATOMIC_ADD_BFLOAT16
#define SIM_NAME(before, after) before##bfloat16##after
#define SIM_TWICE __bfloat162bfloat162
#include "small_float.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* From one to the other. */
SIM_METHOD __half::__half(__nv_bfloat16 x)
{
    take((float)x);
}

SIM_METHOD __nv_bfloat16::__nv_bfloat16(__half x)
{
    take((float)x);
}

#endif
