/**
 * @file baseline_cublas.h
 * @brief What a user would call instead: cublasSgemm, for bfloat16 cublasGemmEx
 * or cublasLt. GPU builds only.
 */
#ifndef BASELINE_CUBLAS_H
#define BASELINE_CUBLAS_H

#include "gemm_bf16.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @return NULL if cuBLAS can be used now, else why not, for the report. */
const char *baseline_cublas_open(void);

/** The same product, leading dimensions and C, by cublasSgemm. */
void baseline_cublas_launch(const gemm_problem *p);

/** As baseline_cublas_open(), for baseline_bf16_launch(); not for both. */
const char *baseline_bf16_open(void);

/**
 * The same product, leading dimensions and C, with float32 sums.
 *
 * @param which  -1: cublasGemmEx; 0 or 1: cublasLtMatmul by the first or second
 *               algorithm that its heuristic names; by cublasGemmEx if it names
 *               no such one. With a bias cublasLtMatmul fuses it and gelu;
 *               behind cublasGemmEx a kernel comes
 */
void baseline_bf16_launch(const gemm_bf16_problem *p, int which);

/** C = gelu(C + bias), enqueued behind a product. */
void baseline_gelu(const gemm_bf16_problem *p);

/** Release what the last of several opens took; once for each of them. */
void baseline_cublas_close(void);

#ifdef __cplusplus
}
#endif

#endif
