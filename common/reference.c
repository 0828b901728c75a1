/**
 * @file reference.c
 * @brief What a GEMM should have computed, on the CPU.
 */
#include "internal.h"

#include <stdlib.h>

#define STRIP 256 /**< columns at a time: their sums, 4 KiB, stay in the L1 */

gemm_problem reference_part(const gemm_problem *p, const band *b)
{
    gemm_problem part = *p;
    part.A += b->row * p->lda;
    part.B += b->col;
    part.C += b->row * p->ldc + b->col;
    part.M = (int)b->rows;
    part.N = (int)b->cols;
    return part;
}

/**
 * Columns [col, col + cols) of row i of A * B and of |A| * |B|.
 *
 * k outside, columns inside: B is read along its rows, as it lies in memory.
 */
static void multiply(const gemm_problem *p, int i, int col, int cols,
                     double *restrict sum, double *restrict size)
{
    for (int j = 0; j < cols; j++)
        sum[j] = size[j] = 0.0;
    const float *a = p->A + (int64_t)i * p->lda;
    for (int k = 0; k < p->K; k++) {
        const float *b = p->B + (int64_t)k * p->ldb + col;
        double a_ik = a[k];
        for (int j = 0; j < cols; j++) {
            double product = a_ik * b[j];
            sum[j] += product;
            size[j] += fabs(product);
        }
    }
}

/** Columns [col, col + cols) of row i of want and bound. */
static void strip(const gemm_problem *p, int i, int col, int cols, double gamma,
                  double *want, double *bound)
{
    double sum[STRIP], size[STRIP];
    multiply(p, i, col, cols, sum, size);
    const float *c = p->C + (int64_t)i * p->ldc + col;
    double alpha = p->alpha;
    for (int j = 0; j < cols; j++) {
        double beta_c = p->beta == 0.0f ? 0.0 : (double)p->beta * c[j];
        want[j] = alpha * sum[j] + beta_c;
        bound[j] = gamma * (fabs(alpha) * size[j] + fabs(beta_c)) + FLT_MIN;
    }
}

/** All of it, with @p gamma as the factor of the bound. */
static void reference(const gemm_problem *p, double gamma, double *want,
                      double *bound)
{
    for (int i = 0; i < p->M; i++) {
        for (int col = 0; col < p->N; col += STRIP) {
            int cols = p->N - col < STRIP ? p->N - col : STRIP;
            int64_t at = (int64_t)i * p->N + col;
            strip(p, i, col, cols, gamma, want + at, bound + at);
        }
    }
}

void reference_gemm(const gemm_problem *p, double *want, double *bound)
{
    reference(p, verify_gamma(p->K + 3.0), want, bound);
}

/** The elements of a band of a matrix of @p ld columns, in float32. */
static float *widen(const bfloat16 *x, int ld, band b)
{
    float *wide = host_alloc((size_t)(b.rows * b.cols) * sizeof(*wide));
    for (int64_t i = 0; i < b.rows; i++)
        for (int64_t j = 0; j < b.cols; j++)
            wide[i * b.cols + j] = (float)element_read(
                ELEMENT_BFLOAT16, x, (b.row + i) * ld + b.col + j);
    return wide;
}

void reference_bf16(const gemm_bf16_problem *p, const band *b, bool exact,
                    double *want, double *bound)
{
    float *A = widen(p->A, p->lda, (band){b->row, 0, b->rows, p->K});
    float *B = widen(p->B, p->ldb, (band){0, b->col, p->K, b->cols});
    float *C = widen(p->C, p->ldc, *b);
    int rows = (int)b->rows, cols = (int)b->cols;
    gemm_problem part = {.M = rows,
                         .N = cols,
                         .K = p->K,
                         .alpha = p->alpha,
                         .beta = p->beta,
                         .A = A,
                         .lda = p->K,
                         .B = B,
                         .ldb = cols,
                         .C = C,
                         .ldc = cols};
    reference(&part, verify_gamma(2.0 * p->K + 3.0), want, bound);
    for (int64_t i = 0; i < b->rows * b->cols; i++) {
        if (p->bias)
            reference_gelu(
                element_read(ELEMENT_BFLOAT16, p->bias, b->col + i % b->cols),
                &want[i], &bound[i]);
        reference_round(exact && !p->bias, &want[i], &bound[i]);
    }
    free(A);
    free(B);
    free(C);
}

static double bfloat16_at(const bfloat16 *x, int64_t i)
{
    return element_read(ELEMENT_BFLOAT16, x, i);
}

void reference_attention(const attention_problem *p, int64_t head, int row,
                         int col, int cols, bool exact, double *want,
                         double *bound)
{
    int64_t batch = head / p->H, own = head % p->H;
    const bfloat16 *q =
        p->Q + batch * p->q.batch + own * p->q.head + (int64_t)row * p->q.row;
    const bfloat16 *k = p->K + batch * p->k.batch + own * p->k.head;
    const bfloat16 *v = p->V + batch * p->v.batch + own * p->v.head + col;
    int seen = seen_keys(p, row);
    double most = -INFINITY, largest = 0, norms = 0, weights = 0;
    double *z = host_alloc((size_t)(seen + 1) * sizeof(*z));
    for (int j = 0; j < seen; j++) {
        double qk = 0, qq = 0, kk = 0;
        for (int d = 0; d < p->D; d++) {
            double a = bfloat16_at(q, d);
            double b = bfloat16_at(k, (int64_t)j * p->k.row + d);
            qk += a * b, qq += a * a, kk += b * b;
        }
        z[j] = qk / sqrt(p->D);
        most = fmax(most, z[j]);
        largest = fmax(largest, fabs(z[j]));
        norms = fmax(norms, sqrt(qq * kk / p->D));
    }
    for (int j = 0; j < seen; j++)
        weights += z[j] = exp(z[j] - most);
    for (int c = 0; c < cols; c++) {
        double sum = 0, size = 0;
        for (int j = 0; j < seen; j++) {
            double pv = z[j] * bfloat16_at(v, (int64_t)j * p->v.row + c);
            sum += pv, size += fabs(pv);
        }
        reference_mean(p, largest, norms, weights, sum, size, exact, &want[c],
                       &bound[c]);
    }
    free(z);
}
