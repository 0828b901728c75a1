/**
 * @file test_verify.c
 * @brief Comparisons must fail where they should, and only there; and the
 *        float64 reference on the CPU, against the formula.
 */
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { ROWS = 19, COLS = 29, LD = 32 };

/** A result, its reference, and a bound of 1/4 everywhere. */
typedef struct {
    float got[ROWS * LD];
    double want[ROWS * COLS];
    double bound[ROWS * COLS];
    bool exact;
    bool planted;
} result;

static result r; /**< of a test */

static void make(bool exact)
{
    fill_grid(matrix(r.got, ROWS, COLS, LD), 1);
    fill_padding(matrix(r.got, ROWS, COLS, LD));
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++) {
            r.want[i * COLS + j] = r.got[i * LD + j];
            r.bound[i * COLS + j] = 0.25;
        }
    }
    r.exact = exact;
    r.planted = false;
}

static verdict compare(void)
{
    verdict v = {.planted = r.planted};
    array a = *matrix(NULL, 200, COLS, LD);
    const band b = {100, 0, ROWS, COLS};
    a.poison = 0xff;
    verify_elements(&v, &a, &b, r.got, r.want, r.exact ? NULL : r.bound);
    verify_padding(&v, &a, &b, r.got);
    return v;
}

/** In a child: exit status 1 if a comparison refused, message on stderr. */
static int compare_body(void *context)
{
    return compare().wrong > 0;
}

static void right_results_pass(void **state)
{
    make(true);
    verdict v = compare();
    assert_true(v.wrong == 0 && v.error_of_bound == 0.0);

    make(false);
    r.got[0] += 0.25f; // on the bound is inside
    r.got[ROWS * LD - LD + COLS - 1] -= 0.125f;
    v = compare();
    assert_true(v.wrong == 0 && v.error_of_bound == 1.0);
}

/** A bit where equality is demanded, a little more than the bound; what else
 *  is refused, and what is said: faults.cu. */
static void just_wrong(void **state)
{
    float *last = &r.got[(ROWS - 1) * LD + COLS - 1];
    make(true);
    *last = nextafterf(*last, 2.0f);
    verdict v = compare();
    assert_true(v.wrong == 1 && isinf(v.error_of_bound));
    make(false);
    *last += 0.25f + 0x1p-20f;
    v = compare();
    assert_true(v.wrong == 1);
    assert_true(v.error_of_bound > 1.0 && v.error_of_bound < 1.0001);
}

/** A broken reference must not wave everything through. */
static void reference_not_finite(void **state)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        make(false);
        r.want[4] = bad[i];
        assert_int_equal(compare().wrong, 1);
        r.got[4] = (float)bad[i]; // Inf where Inf is wanted: still no result
        assert_int_equal(compare().wrong, 1);
        make(false);
        r.bound[4] = i == 2 ? -1.0 : bad[i];
        r.got[4] += 0.125f;
        assert_int_equal(compare().wrong, 1);
    }
}

/** The least of no numbers is Inf: where equality is demanded it is a result.
 */
static void infinite_results(void **state)
{
    make(true);
    r.want[4] = r.got[4] = INFINITY;
    verdict v = compare();
    assert_true(v.wrong == 0 && v.error_of_bound == 0.0);
    const float bad[] = {-INFINITY, FLT_MAX, NAN};
    for (int i = 0; i < 3; i++) {
        r.got[4] = bad[i];
        assert_int_equal(compare().wrong, 1);
    }
    r.want[4] = r.got[4] = NAN;
    assert_int_equal(compare().wrong, 1);
}

/** Where NaN is planted it is a result, if somebody has written it. */
static void planted_nan(void **state)
{
    make(true);
    r.planted = true;
    r.want[4] = r.got[4] = NAN;
    verdict v = compare();
    assert_true(v.wrong == 0 && v.error_of_bound == 0.0);
    const float bad[] = {0.0f, INFINITY};
    for (int i = 0; i < 2; i++) {
        r.got[4] = bad[i];
        assert_int_equal(compare().wrong, 1);
    }
    child c = run_child(compare_body, NULL);
    assert_non_null(strstr(c.err, "C[100][4]: got inf, want nan\n"));
    memset(&r.got[4], 0xff, sizeof(r.got[4])); // poison is NaN, too
    assert_int_equal(compare().wrong, 1);
    r.got[4] = r.got[5] = NAN; // a neighbour's
    assert_int_equal(compare().wrong, 1);
}

/** Three elements are printed, all are counted; a second band adds up. */
static void many_wrong(void **state)
{
    make(true);
    for (int i = 0; i < ROWS * LD; i++)
        r.got[i] += i % LD < COLS ? 1.0f : 0.0f;
    fill_padding(matrix(r.got, ROWS, COLS, LD));
    assert_int_equal(compare().wrong, ROWS * COLS);
    child c = run_child(compare_body, NULL);
    int lines = 0;
    for (const char *l = c.err; (l = strchr(l, '\n')); l++)
        lines++;
    assert_int_equal(lines, 3);
    assert_non_null(strstr(c.err, "C[100][0]: got"));
    assert_non_null(strstr(c.err, "C[100][2]: got"));

    verdict v = {0};
    for (int i = 0; i < 2; i++)
        verify_elements(&v, matrix(NULL, ROWS, COLS, LD),
                        &(band){0, 0, ROWS, COLS}, r.got, r.want, NULL);
    assert_int_equal(v.wrong, 2 * ROWS * COLS);
}

static void gamma_grows(void **state)
{
    const double u = 0x1p-24;
    assert_true(verify_gamma(1) > u && verify_gamma(1) < u * 1.0001);
    assert_true(verify_gamma(1000) > 1000 * u);
    double last = 0;
    for (double n = 1; n < 0x1p31; n *= 1.7) { // also where n u passes 1
        assert_true(verify_gamma(n) > last && verify_gamma(n) >= n * u);
        last = verify_gamma(n);
    }
}

/* ---- the reference ------------------------------------------------------- */

/** A problem in host memory, and both results. */
typedef struct {
    gemm_problem p;
    float *A;
    float *B;
    double *want;
    double *bound;
} host_problem;

static host_problem make_problem(int M, int N, int K, float alpha, float beta)
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
    h.p = (gemm_problem){M, N, K, alpha, beta, h.A, lda, h.B, ldb, C, ldc, 0};
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
    host_problem h = make_problem(M, N, K, alpha, beta);
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
    host_problem h = make_problem(4, 30, 9, 1.5f, 0.5f);
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
        cmocka_unit_test(right_results_pass),
        cmocka_unit_test(just_wrong),
        cmocka_unit_test(reference_not_finite),
        cmocka_unit_test(infinite_results),
        cmocka_unit_test(planted_nan),
        cmocka_unit_test(many_wrong),
        cmocka_unit_test(gamma_grows),
        cmocka_unit_test(formula),
        cmocka_unit_test(columns),
    };
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
