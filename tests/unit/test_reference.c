/**
 * @file test_reference.c
 * @brief The float64 reference on the CPU, against the formula.
 */
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "data.h"
#include "reference.h"
#include "verify.h"

/** A problem in host memory, and both results. */
typedef struct {
    gemm_problem p;
    float *A;
    float *B;
    double *want;
    double *bound;
} host_problem;

static host_problem make(int M, int N, int K, float alpha, float beta)
{
    host_problem h;
    int lda = K + 3, ldb = N + 5, ldc = N + 1;
    size_t cells = sizeof(double) * (size_t)M * (size_t)N;
    h.A = malloc(sizeof(float) * (size_t)M * (size_t)lda);
    h.B = malloc(sizeof(float) * (size_t)K * (size_t)ldb);
    h.want = malloc(cells);
    h.bound = malloc(cells);
    float *C = malloc(sizeof(float) * (size_t)M * (size_t)ldc);
    fill_random(matrix(h.A, M, K, lda), 1);
    fill_random(matrix(h.B, K, N, ldb), 2);
    fill_random(matrix(C, M, N, ldc), 3);
    fill_padding(matrix(C, M, N, ldc));
    h.p = (gemm_problem){M,   N,   K, alpha, beta, h.A, lda,
                         h.B, ldb, C, ldc,   0,    NULL};
    return h;
}

static void release(host_problem *h)
{
    free(h->A);
    free(h->B);
    free(h->p.C);
    free(h->want);
    free(h->bound);
}

/** Element by element as on paper, in long double. */
static void agrees(int M, int N, int K, float alpha, float beta)
{
    host_problem h = make(M, N, K, alpha, beta);
    const gemm_problem *p = &h.p;
    if (beta == 0.0f)
        p->C[0] = NAN;  // not read
    int middle = M / 3; // in two bands
    gemm_problem part = reference_part(p, &(band){0, 0, middle, N});
    reference_gemm(&part, h.want, h.bound);
    part = reference_part(p, &(band){middle, 0, M - middle, N});
    reference_gemm(&part, h.want + middle * N, h.bound + middle * N);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            long double sum = 0, size = 0, c = 0;
            for (int k = 0; k < K; k++) {
                long double product =
                    (long double)h.A[i * p->lda + k] * h.B[k * p->ldb + j];
                sum += product;
                size += fabsl(product);
            }
            if (beta != 0.0f)
                c = (long double)beta * p->C[i * p->ldc + j];
            long double want = alpha * sum + c;
            size = fabsl((long double)alpha) * size + fabsl(c);
            long double nu = (K + 3) * 0x1p-24L;
            long double bound = nu / (1 - nu) * size + FLT_MIN;
            assert_true(fabsl(h.want[i * N + j] - want) <= 1e-13L * size);
            assert_true(fabsl(h.bound[i * N + j] / bound - 1) <= 1e-12L);
        }
    }
    release(&h);
}

static void formula(void **state)
{
    agrees(1, 1, 1, 1.0f, 0.0f);
    agrees(7, 5, 3, 1.0f, 0.0f);
    agrees(7, 5, 3, 1.5f, -0.5f);
    agrees(5, 300, 64, -2.0f, 3.0f); // more than a strip of columns
    agrees(64, 1, 129, 0.0f, 2.0f);
    agrees(3, 513, 2, 1.0f, 0.0f);
}

/** A part of a row: other columns of B and C. */
static void columns(void **state)
{
    host_problem h = make(4, 30, 9, 1.5f, 0.5f);
    double want[7], bound[7];
    reference_gemm(&h.p, h.want, h.bound);
    gemm_problem part = reference_part(&h.p, &(band){2, 11, 1, 7});
    reference_gemm(&part, want, bound);
    for (int j = 0; j < 7; j++) {
        assert_true(want[j] == h.want[2 * 30 + 11 + j]);
        assert_true(bound[j] == h.bound[2 * 30 + 11 + j]);
    }
    release(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formula),
        cmocka_unit_test(columns),
    };
    return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
