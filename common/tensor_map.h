/**
 * @file tensor_map.h
 * @brief Matrices as the copy engine of compute capability 9.0 knows them.
 */
#ifndef TENSOR_MAP_H
#define TENSOR_MAP_H

#include <cuda.h>

#include "device.h"
#include "gemm_bf16.h"

/**
 * Describe a matrix of bfloat16 to the copy engine, which brings and takes
 * boxes of 64 columns, 128 bytes: piece i of 16 bytes of row r of a box lies in
 * shared memory where piece i XOR r % 8 would.
 *
 * @param x          [rows x cols], device, 16-byte aligned
 * @param ld         from row to row (elements), a multiple of 8
 * @param box_rows   rows of a box, at most 256
 * @return the map, for a parameter __grid_constant__ of a kernel
 */
static inline CUtensorMap tensor_map(const bfloat16 *x, int rows, int cols,
                                     int ld, int box_rows)
{
    // A function of the driver, which the runtime finds: no -lcuda.
    static decltype(&cuTensorMapEncodeTiled) encode;
    if (!encode) {
        cudaDriverEntryPointQueryResult found;
        CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled",
                                                    (void **)&encode, 12000,
                                                    cudaEnableDefault, &found));
    }
    cuuint64_t size[2] = {(cuuint64_t)cols, (cuuint64_t)rows};
    cuuint64_t pitch[1] = {(cuuint64_t)ld * sizeof(bfloat16)};
    cuuint32_t box[2] = {64, (cuuint32_t)box_rows}, step[2] = {1, 1};
    CUtensorMap map;
    CUresult result = encode(
        &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void *)x, size, pitch, box,
        step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    REQUIRE(result == CUDA_SUCCESS, "cuTensorMapEncodeTiled: error %d", result);
    return map;
}

#endif
