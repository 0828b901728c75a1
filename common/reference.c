/**
 * @file reference.c
 * @brief What a GEMM should have computed, on the threads of the CPU.
 */
#include "reference.h"

#include <float.h>
#include <math.h>

#include "parallel.h"
#include "verify.h"

#define STRIP 256 /**< columns at a time: their sums, 4 KiB, stay in the L1 */

/** A band, as the threads that share it see it. */
typedef struct {
    const gemm_problem *p;
    int row;
    double *want;
    double *bound;
} band;

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

static void reference_rows(void *context, int begin, int end)
{
    const band *r = context;
    const gemm_problem *p = r->p;
    double gamma = verify_gamma(p->K + 3.0);
    double sum[STRIP], size[STRIP];
    for (int i = begin; i < end; i++) {
        const float *c = p->C + (int64_t)(r->row + i) * p->ldc;
        for (int col = 0; col < p->N; col += STRIP) {
            int cols = p->N - col < STRIP ? p->N - col : STRIP;
            multiply(p, r->row + i, col, cols, sum, size);
            double *want = r->want + (int64_t)i * p->N + col;
            double *bound = r->bound + (int64_t)i * p->N + col;
            for (int j = 0; j < cols; j++) {
                double beta_c =
                    p->beta == 0.0f ? 0.0 : (double)p->beta * c[col + j];
                want[j] = (double)p->alpha * sum[j] + beta_c;
                bound[j] =
                    gamma * (fabs((double)p->alpha) * size[j] + fabs(beta_c)) +
                    FLT_MIN;
            }
        }
    }
}

void reference_gemm(const gemm_problem *p, int row, int rows, double *want,
                    double *bound)
{
    band r = {p, row, want, bound};
    parallel_rows(rows, reference_rows, &r);
}
