/**
 * @file baseline_bf16.h
 * @brief What a user would call for bfloat16: cublasGemmEx, or cublasLt. GPU
 * builds only.
 */
#ifndef BASELINE_BF16_H
#define BASELINE_BF16_H

#include "gemm_bf16.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @return NULL if cuBLAS can be used now, else why not, for the report. */
const char *baseline_bf16_open(void);

/**
 * The same product, leading dimensions and C, with float32 sums.
 *
 * @param which  -1: cublasGemmEx; 0 or 1: cublasLtMatmul by the first or second
 *               algorithm that its heuristic names; if it names one alone, that
 */
void baseline_bf16_launch(const gemm_bf16_problem *p, int which);

/** Release what baseline_bf16_open() took; for each of its calls. */
void baseline_bf16_close(void);

#ifdef __cplusplus
}
#endif

#endif
