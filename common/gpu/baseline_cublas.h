/**
 * @file baseline_cublas.h
 * @brief What a user would call instead: cublasSgemm. GPU builds only.
 */
#ifndef BASELINE_CUBLAS_H
#define BASELINE_CUBLAS_H

#include "gemm_problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @return NULL if cuBLAS can be used now, else why not, for the report. */
const char *baseline_cublas_open(void);

/** The same product, leading dimensions and C, by cublasSgemm. */
void baseline_cublas_launch(const gemm_problem *p);

/** Release what baseline_cublas_open() took. */
void baseline_cublas_close(void);

#ifdef __cplusplus
}
#endif

#endif
