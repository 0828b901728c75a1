/**
 * @file test_verify.c
 * @brief Comparisons must fail where they should, and only there; and the
 *        float64 reference on the CPU, against the formula.
 */
#include "unit.h"

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

/* ---- one element --------------------------------------------------------- */

#define EXACT -2.0 /**< in the place of a bound: equality is demanded */

/** What is wanted, within which bound, and what came; is it wrong, and how far
 *  off of the bound, at least. */
static const struct {
    double want, bound;
    float got;
    bool planted, wrong;
    double error;
} elements[] = {
    {0.75, EXACT, 0.75f, false, false, 0.0},
    {0.75, EXACT, 0x1.800002p-1f, false, true, INFINITY}, // a bit
    {0.75, 0.25, 1.0f, false, false, 1.0}, // on the bound is inside
    {0.75, 0.25, 0.625f, false, false, 0.5},
    {0.75, 0.25, 1.0f + 0x1p-20f, false, true, 1.0 + 0x1p-19},
    // A broken reference must not wave everything through: Inf where Inf is
    // wanted is still no result,
    {NAN, 0.25, 0.75f, false, true},
    {INFINITY, 0.25, 0.75f, false, true},
    {-INFINITY, 0.25, 0.75f, false, true},
    {NAN, 0.25, NAN, false, true},
    {INFINITY, 0.25, INFINITY, false, true},
    {-INFINITY, 0.25, -INFINITY, false, true},
    {0.75, NAN, 0.875f, false, true},
    {0.75, INFINITY, 0.875f, false, true},
    {0.75, -1.0, 0.875f, false, true},
    // but the least of no numbers, where equality is demanded.
    {INFINITY, EXACT, INFINITY, false, false, 0.0},
    {INFINITY, EXACT, -INFINITY, false, true},
    {INFINITY, EXACT, FLT_MAX, false, true},
    {INFINITY, EXACT, NAN, false, true},
    {NAN, EXACT, NAN, false, true},
    // Where NaN is planted it is a result.
    {NAN, EXACT, NAN, true, false, 0.0},
    {NAN, EXACT, 0.0f, true, true},
    {NAN, EXACT, INFINITY, true, true},
    {0.75, EXACT, NAN, true, true}, // a neighbour's
};

/** What else is refused, and what is said: faults.cu. */
TEST(one_element)
{
    const int rows[] = {0, ROWS - 1}, cols[] = {4, COLS - 1};
    for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++) {
        for (int end = 0; end < 2; end++) {
            make(elements[i].bound == EXACT);
            r.planted = elements[i].planted;
            r.want[rows[end] * COLS + cols[end]] = elements[i].want;
            r.bound[rows[end] * COLS + cols[end]] = elements[i].bound;
            r.got[rows[end] * LD + cols[end]] = elements[i].got;
            verdict v = compare();
            if (v.wrong != elements[i].wrong)
                fail_msg("element %zu: %d wrong", i, (int)v.wrong);
            assert_true(v.error_of_bound >= elements[i].error);
            assert_true(v.wrong || v.error_of_bound == elements[i].error);
        }
    }
}

/** Poison is NaN, too, but nobody has written it. */
TEST(planted_nan_unwritten)
{
    make(true);
    r.planted = true;
    r.want[4] = NAN;
    r.got[4] = INFINITY;
    child c = run_child(compare_body, NULL);
    has(c.err, "C[100][4]: got inf, want nan\n");
    memset(&r.got[4], 0xff, sizeof(r.got[4]));
    assert_int_equal(compare().wrong, 1);
}

/** Three elements are printed, all are counted; a second band adds up. */
TEST(many_wrong)
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
    HAS(c.err, "C[100][0]: got", "C[100][2]: got");

    verdict v = {0};
    for (int i = 0; i < 2; i++)
        verify_elements(&v, matrix(NULL, ROWS, COLS, LD),
                        &(band){0, 0, ROWS, COLS}, r.got, r.want, NULL);
    assert_int_equal(v.wrong, 2 * ROWS * COLS);
}

TEST(gamma_grows)
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

TEST(formula)
{
    agrees(1, 1, 1, 1.0f, 0.0f);
    agrees(7, 5, 3, 1.0f, 0.0f);
    agrees(7, 5, 3, 1.5f, -0.5f);
    agrees(5, 300, 64, -2.0f, 3.0f); // more than a strip of columns
    agrees(64, 1, 129, 0.0f, 2.0f);
    agrees(3, 513, 2, 1.0f, 0.0f);
}

/** A part of a row: other columns of B and C. */
TEST(columns)
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
