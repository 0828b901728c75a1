/**
 * @file reference.h
 * @brief What a GEMM should have computed: float64, plain, band by band.
 *
 * Both functions compute rows [row, row + rows) of
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
 * Products and sums of grid data are exact in float64, too.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * On the threads of the CPU.
 *
 * @param p      A, B and C in host memory
 * @param row    first row of the band
 * @param rows   rows of the band
 * @param want   [rows x N], contiguous, host
 * @param bound  [rows x N], contiguous, host
 */
void reference_gemm(const gemm_problem *p, int row, int rows, double *want,
                    double *bound);

/**
 * The same on a GPU, by a plain kernel; waits until it is done.
 *
 * @param p      A, B and C in device memory
 * @param row    first row of the band
 * @param rows   rows of the band, at most 65535 * 16
 * @param want   [rows x N], contiguous, device
 * @param bound  [rows x N], contiguous, device
 */
void reference_gemm_gpu(const gemm_problem *p, int row, int rows, double *want,
                        double *bound);

#ifdef __cplusplus
}
#endif

#endif
