/**
 * @file test_verify.c
 * @brief Comparisons must fail where they should, and only there.
 */
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "verify.h"

enum { ROWS = 19, COLS = 29, LD = 32 };

/** A result, its reference, and a bound of 1/4 everywhere. */
typedef struct {
    float got[ROWS * LD];
    double want[ROWS * COLS];
    double bound[ROWS * COLS];
    bool exact;
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
}

static verdict compare(void)
{
    verdict v = {0};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_results_pass),
        cmocka_unit_test(just_wrong),
        cmocka_unit_test(reference_not_finite),
        cmocka_unit_test(infinite_results),
        cmocka_unit_test(many_wrong),
        cmocka_unit_test(gamma_grows),
    };
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
