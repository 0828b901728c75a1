/**
 * @file cuda.h
 * @brief For programs that include it beside the runtime API: tensor maps.
 *
 * Of the driver API (cuInit, cuLaunchKernel ...) there is only
 * cuTensorMapEncodeTiled.
 */
#ifndef CUDA_H
#define CUDA_H

#include <stdint.h>

#include "cuda_runtime_api.h"

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

typedef enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 } CUresult;

/** What a copy engine must know of an array; opaque. (CUDA aligns it to 64.) */
typedef struct {
    cuuint64_t opaque[16];
} CUtensorMap;

typedef enum {
    CU_TENSOR_MAP_DATA_TYPE_UINT8,
    CU_TENSOR_MAP_DATA_TYPE_UINT16,
    CU_TENSOR_MAP_DATA_TYPE_UINT32,
    CU_TENSOR_MAP_DATA_TYPE_INT32,
    CU_TENSOR_MAP_DATA_TYPE_UINT64,
    CU_TENSOR_MAP_DATA_TYPE_INT64,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
    CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
} CUtensorMapDataType;

typedef enum { CU_TENSOR_MAP_INTERLEAVE_NONE } CUtensorMapInterleave;

typedef enum {
    CU_TENSOR_MAP_SWIZZLE_NONE,
    CU_TENSOR_MAP_SWIZZLE_32B,
    CU_TENSOR_MAP_SWIZZLE_64B,
    CU_TENSOR_MAP_SWIZZLE_128B
} CUtensorMapSwizzle;

typedef enum {
    CU_TENSOR_MAP_L2_PROMOTION_NONE,
    CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_256B
} CUtensorMapL2promotion;

typedef enum { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE } CUtensorMapFloatOOBfill;

#ifdef __cplusplus
extern "C" {
#endif

/** Describe an array and its boxes to the copy engine. */
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type,
                                cuuint32_t rank, void *address,
                                const cuuint64_t *size, const cuuint64_t *pitch,
                                const cuuint32_t *box, const cuuint32_t *step,
                                CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill);

#ifdef __cplusplus
}
#endif

#endif
