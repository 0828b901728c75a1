/**
 * @file reference.h
 * @brief What a GEMM should have computed: float64, plain.
 *
 * Both functions compute
 *
 *     want  = alpha * A * B + beta * C
 *     bound = gamma_(K+3) * (|alpha| |A| |B| + |beta| |C|) + FLT_MIN
 *
 * where C is the matrix as it was before the launch. The bound is what a right
 * float32 kernel can be off by, in any order of summation, fused or not
 * (Higham 2002, section 3.5): K roundings of products and sums, three more of
 * alpha, beta and the last sum. FLT_MIN allows for results that underflow. The
 * error of the reference itself is smaller by a factor of 2^29.
 *
 * Products and sums of exact data are exact in float64, too.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "array.h"
#include "gemm_problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The problem whose C is band @p b of the C of @p p. */
gemm_problem reference_part(const gemm_problem *p, const band *b);

/**
 * On the calling thread.
 *
 * @param p      A, B and C in host memory
 * @param want   [M x N], contiguous, host
 * @param bound  [M x N], contiguous, host
 */
void reference_gemm(const gemm_problem *p, double *want, double *bound);

/**
 * The same on a GPU, by a plain kernel; waits until it is done.
 *
 * @param p      A, B and C in device memory
 * @param want   [M x N], contiguous, device
 * @param bound  [M x N], contiguous, device
 */
void reference_gemm_gpu(const gemm_problem *p, double *want, double *bound);

#ifdef __cplusplus
}
#endif

#endif
