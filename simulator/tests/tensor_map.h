/**
 * @file tensor_map.h
 * @brief For the copy engine: a matrix in global memory, boxes in shared.
 */
#ifndef TENSOR_MAP_H
#define TENSOR_MAP_H

#include "check.h"
#include <cuda.h>
#include <stdint.h>

/** Describe a matrix of 16-bit numbers whose rows begin @p pitch bytes apart,
 *  to be copied in boxes. */
static inline CUresult tensor_map(CUtensorMap *map, uint16_t *x, int rows,
                                  int cols, int pitch, int box_rows,
                                  int box_cols, int swizzle = 0)
{
    decltype(&cuTensorMapEncodeTiled) encode;
    cudaDriverEntryPointQueryResult found;
    CHECK_CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled",
                                                (void **)&encode, 12000,
                                                cudaEnableDefault, &found));
    CHECK(found == cudaDriverEntryPointSuccess);
    cuuint64_t size[] = {(cuuint64_t)cols, (cuuint64_t)rows};
    cuuint64_t pitches[] = {(cuuint64_t)pitch};
    cuuint32_t box[] = {(cuuint32_t)box_cols, (cuuint32_t)box_rows};
    cuuint32_t step[] = {1, 1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, x, size, pitches, box,
                  step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

#endif
