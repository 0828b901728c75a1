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
 *
 * For bfloat16 the inputs are taken as they are. A tensor core sums in float32,
 * but it cuts off where other units round (Fasi, Higham, Mikaitis, Pranesh
 * 2021, Numerical behavior of NVIDIA tensor cores): each of the K sums may be
 * off by twice as much, so gamma_(2K+3) stands for gamma_(K+3). Then C is
 * rounded:
 *
 *     bound = bound + 2^-8 * (|want| + bound) + FLT_MIN
 *
 * and of exact data want is what the exact sum rounds to. Before, a bias may be
 * added and gelu taken, whose slope is at most 1.13 and which a kernel computes
 * in float32, by whatever exponential:
 *
 *     bound = 1.13 * (bound + 2^-23 |x|) + 2^-16 |gelu(x)|,  x = want + bias
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "array.h"
#include "gemm_bf16.h"

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

/**
 * The same for band @p b of the C of a problem in bfloat16.
 *
 * @param p      A, B and C in host memory
 * @param exact  the data are whole numbers whose sums are exact
 * @param want   [b->rows x b->cols], contiguous, host
 * @param bound  [b->rows x b->cols], contiguous, host
 */
void reference_bf16(const gemm_bf16_problem *p, const band *b, bool exact,
                    double *want, double *bound);

/** The same on a GPU, all pointers on the device; waits until it is done. */
void reference_bf16_gpu(const gemm_bf16_problem *p, const band *b, bool exact,
                        double *want, double *bound);

/** C = gelu(C + bias): what that does to @p want and @p bound. */
static inline HOST_DEVICE void reference_gelu(double bias, double *want,
                                              double *bound)
{
    double x = *want + bias;
    double u = 0.79788456080286536 * (x + 0.044715 * x * x * x); // sqrt(2/pi)
    *want = 0.5 * x * (1.0 + tanh(u));
    *bound = 1.13 * (*bound + 0x1p-23 * fabs(x)) + 0x1p-16 * fabs(*want);
}

/** Round C to bfloat16: what that does to @p want and @p bound. */
static inline HOST_DEVICE void reference_round(bool exact, double *want,
                                               double *bound)
{
    *bound += 0x1p-8 * (fabs(*want) + *bound) + FLT_MIN;
    if (!exact)
        return;
    float x = (float)*want; // exact, too
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    bits += 0x7fff + (bits >> 16 & 1); // to nearest, ties to even
    bits &= 0xffff0000;
    memcpy(&x, &bits, sizeof(x));
    *want = x;
}

#ifdef __cplusplus
}
#endif

#endif
