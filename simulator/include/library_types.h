/**
 * @file library_types.h
 * @brief Types of elements, as cuBLAS is told of them; numbers are CUDA's.
 */
#ifndef __LIBRARY_TYPES_H__
#define __LIBRARY_TYPES_H__

typedef enum cudaDataType_t {
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_R_8I = 3,
    CUDA_R_32I = 10,
    CUDA_R_16BF = 14
} cudaDataType;

#ifndef __cplusplus
typedef enum cudaDataType_t cudaDataType_t;
#endif

#endif
