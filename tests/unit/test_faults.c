/**
 * @file test_faults.c
 * @brief Every planted fault is refused, every right kernel is not.
 *
 *     test_faults FAULTS RECORDS
 *
 * FAULTS is the program made from faults.cu; the record of a wrong result is
 * appended to RECORDS, for the test of the schema.
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "options.h"

static char *program;
static const char *records;

/** Run kernel @p name of the program with @p line as its options. */
static child run_kernel(const char *name, const char *line)
{
    char all[512];
    snprintf(all, sizeof(all), "%s %s", name, line);
    return run_program(program, all);
}

/** Status 1, the reason on stderr, and WRONG in the report without a rate. */
static void refused_at(const char *name, const char *reason, const char *line)
{
    child c = run_kernel(name, line);
    if (c.status != EXIT_WRONG || !strstr(c.err, reason))
        fail_msg("%s %s: status %d, %s lacks %s", name, line, c.status, c.err,
                 reason);
    assert_non_null(strstr(c.out, "WRONG"));
    assert_null(strstr(c.out, "verified"));
}

static void refused(const char *name, const char *reason)
{
    refused_at(name, reason, "--M 37 --N 37 --K 65");
}

static void accepted_at(const char *name, const char *line)
{
    child c = run_kernel(name, line);
    if (c.status != EXIT_VERIFIED || *c.err)
        fail_msg("%s %s: status %d, %s", name, line, c.status, c.err);
    assert_non_null(strstr(c.out, "verified   every element"));
}

static void accepted(const char *name)
{
    accepted_at(name, "--M 37 --N 37 --K 65");
    accepted_at(name, "--M 5 --N 18 --K 4 --alpha -1.5 --beta 0.3");
    accepted_at(name, "--M 1 --N 1 --K 1 --alpha 0");
    // Longer than a sum of large terms may be: most are small there.
    accepted_at(name, "--M 3 --N 2 --K 140000 --alpha 3 --beta -1");
}

#define REFUSED(name, reason)                                                  \
    static void name(void **state)                                             \
    {                                                                          \
        (void)state;                                                           \
        refused(#name, reason);                                                \
    }

#define ACCEPTED(name)                                                         \
    static void name(void **state)                                             \
    {                                                                          \
        (void)state;                                                           \
        accepted(#name);                                                       \
    }

REFUSED(smallest_step, "exact data with alpha 1, beta 0: 1 of 1369 elements")
REFUSED(outside_bound, "random data with alpha 1, beta 0: 1 of 1369 elements")
REFUSED(one_nan, "C[18][18]: got nan")
REFUSED(one_inf, "C[18][18]: got inf")
REFUSED(one_unwritten, "(never written")
REFUSED(one_unwritten_with_beta, "exact data with alpha 0.5, beta -1: 1 of")
REFUSED(written_past, "C: memory behind it was written")
REFUSED(written_before, "C: memory before it was written")
REFUSED(written_into_padding, "C[0][37]: written, but C has only 37 columns")
REFUSED(padding_zeroed_at_last_row, "C[36][43]: written")
REFUSED(input_written, "B: an input was written")
REFUSED(alpha_ignored, "exact data with alpha 0.5, beta -1")
REFUSED(beta_ignored, "exact data with alpha 0.5, beta -1")
REFUSED(c_read, "or C read before it was written)")
REFUSED(transposed, "exact data with alpha 1, beta 0")
REFUSED(last_row_skipped, "37 of 1369 elements")
REFUSED(last_col_skipped, "C[0][36]: got -nan (never written")
REFUSED(last_k_skipped, "exact data with alpha 1, beta 0")
REFUSED(first_k_skipped, "exact data with alpha 1, beta 0")
REFUSED(one_k_too_many, "exact data with alpha 1, beta 0")
REFUSED(left_over, "exact data with alpha 0.5, beta -1")
REFUSED(left_over_timed, "beta 0 in the last launch: 1369 of 1369")

REFUSED(tf32_a, "exact data with alpha 1, beta 0")
REFUSED(tf32_b, "exact data with alpha 1, beta 0")
REFUSED(tf32_both, "exact data with alpha 1, beta 0")
REFUSED(bfloat16_a, "exact data with alpha 1, beta 0")
REFUSED(bfloat16_b, "exact data with alpha 1, beta 0")
REFUSED(bfloat16_both, "exact data with alpha 1, beta 0")
REFUSED(float16_sum, "exact data with alpha 1, beta 0")

ACCEPTED(inside_bound)
ACCEPTED(forward)
ACCEPTED(backward)
ACCEPTED(pairwise)
ACCEPTED(blocked)
ACCEPTED(fused)
ACCEPTED(not_fused)
ACCEPTED(alpha_first)
ACCEPTED(begins_with_beta_c)

/** Where the bound is wide, the grid still sees one k among 140,000. */
static void one_k_of_many(void **state)
{
    (void)state;
    const char *line = "--M 9 --N 9 --K 140000";
    refused_at("last_k_skipped", "exact data with alpha 1, beta 0", line);
    refused_at("first_k_skipped", "exact data with alpha 1, beta 0", line);
}

/** Where the bound is too wide to see it, the grid sees rounded inputs. */
static void rounded_inputs_of_long_sums(void **state)
{
    (void)state;
    const char *const names[] = {"tf32_a",     "tf32_b",     "tf32_both",
                                 "bfloat16_a", "bfloat16_b", "bfloat16_both",
                                 "float16_sum"};
    const char *const sizes[] = {"--M 9 --N 7 --K 1024", "--M 5 --N 5 --K 4096",
                                 "--M 3 --N 8 --K 8192",
                                 "--M 4 --N 5 --K 65536"};
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < 4; j++)
            refused_at(names[i], "exact data with alpha 1, beta 0", sizes[j]);
    }
}

/** At a round size ldb and ldc are equal: only the small problem sees it. */
static void pitches_swapped(void **state)
{
    (void)state;
    refused_at("pitches_swapped",
               "beta 0, M=131 N=134 K=21: ", "--M 64 --N 64 --K 64");
    accepted_at("forward", "--M 64 --N 64 --K 64");
}

/** Faults that hide behind particular sizes or factors. */
static void faults_elsewhere(void **state)
{
    (void)state;
    refused_at("beta_ignored", "wrong on", "--M 20 --N 4 --K 8 --beta 2");
    refused_at("alpha_ignored", "wrong on", "--M 20 --N 4 --K 8 --alpha 2");
    refused_at("c_read", "wrong on", "--M 20 --N 4 --K 8 --beta 2");
    refused_at("left_over", "wrong on", "--M 20 --N 4 --K 8 --beta 1");
    refused_at("left_over_timed", "wrong on", "--M 20 --N 4 --K 8 --beta 1");
    refused_at("written_past", "C: memory behind", "--M 20 --N 4 --K 8");
    refused_at("written_into_padding", "C[0][5]", "--M 1 --N 5 --K 1");
    refused_at("written_into_padding", "C[0][8]", "--M 1 --N 8 --K 1 --pad 4");
}

/** Wrong results are recorded, too: as wrong, and without rates. */
static void wrong_is_recorded(void **state)
{
    (void)state;
    char line[256], record[4096] = "";
    snprintf(line, sizeof(line), "--M 37 --N 37 --K 65 --json %s", records);
    refused_at("one_nan", "C[18][18]: got nan", line);
    FILE *file = fopen(records, "r");
    assert_non_null(file);
    while (fgets(record, sizeof(record), file))
        ; // the last line is ours
    fclose(file);
    assert_non_null(strstr(record, "\"chapter\":\"faults\""));
    assert_non_null(strstr(record, "\"verified\":false"));
    assert_non_null(strstr(record, "\"error_of_bound\":null"));
    assert_non_null(strstr(record, "\"time_ms\":null,\"gflops\":null"));
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return EXIT_ARGUMENTS;
    program = argv[1];
    records = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_step),
        cmocka_unit_test(outside_bound),
        cmocka_unit_test(one_nan),
        cmocka_unit_test(one_inf),
        cmocka_unit_test(one_unwritten),
        cmocka_unit_test(one_unwritten_with_beta),
        cmocka_unit_test(written_past),
        cmocka_unit_test(written_before),
        cmocka_unit_test(written_into_padding),
        cmocka_unit_test(padding_zeroed_at_last_row),
        cmocka_unit_test(input_written),
        cmocka_unit_test(alpha_ignored),
        cmocka_unit_test(beta_ignored),
        cmocka_unit_test(c_read),
        cmocka_unit_test(transposed),
        cmocka_unit_test(last_row_skipped),
        cmocka_unit_test(last_col_skipped),
        cmocka_unit_test(last_k_skipped),
        cmocka_unit_test(first_k_skipped),
        cmocka_unit_test(one_k_too_many),
        cmocka_unit_test(left_over),
        cmocka_unit_test(left_over_timed),
        cmocka_unit_test(tf32_a),
        cmocka_unit_test(tf32_b),
        cmocka_unit_test(tf32_both),
        cmocka_unit_test(bfloat16_a),
        cmocka_unit_test(bfloat16_b),
        cmocka_unit_test(bfloat16_both),
        cmocka_unit_test(float16_sum),
        cmocka_unit_test(inside_bound),
        cmocka_unit_test(forward),
        cmocka_unit_test(backward),
        cmocka_unit_test(pairwise),
        cmocka_unit_test(blocked),
        cmocka_unit_test(fused),
        cmocka_unit_test(not_fused),
        cmocka_unit_test(alpha_first),
        cmocka_unit_test(begins_with_beta_c),
        cmocka_unit_test(one_k_of_many),
        cmocka_unit_test(rounded_inputs_of_long_sums),
        cmocka_unit_test(pitches_swapped),
        cmocka_unit_test(faults_elsewhere),
        cmocka_unit_test(wrong_is_recorded),
    };
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
