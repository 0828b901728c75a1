/**
 * @file test_variants.c
 * @brief Several variants and libraries, runs of several launches, all roles.
 *
 *     test_variants VARIANTS RECORDS VARIANTS_AS_GPU
 *
 * Both programs are made from variants.cu, the second with SIMULATED=0; records
 * are appended to RECORDS, for the test of the schema.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static char *simulated, *as_gpu;
static const char *records;

static child accepted(char *program, const char *line)
{
    child c = run_program(program, line);
    if (c.status != EXIT_VERIFIED)
        fail_msg("%s: status %d, %s", line, c.status, c.err);
    return c;
}

static void right(void **state)
{
    (void)state;
    child c = accepted(simulated, "");
    assert_string_equal(c.err, "");
    has(c.out, "rows=7 cols=9, row pitch 16\n");
    has(c.out, "all 2 variants: exact data equal, random data at ");
    has(c.out, "before that with rows=5 cols=13, row pitch 20\n");
    has(c.out, "\n  first_kernel                   1");
    has(c.out, "\n  second_kernel                  1");
    has(c.out, "order tf\n"); // one more run of each, no library
    has(accepted(simulated, "--variant fused").out, "order f\n");
    accepted(simulated, "--rows 1 --cols 1");
    accepted(simulated, "--rows 300 --cols 1");
    accepted(simulated, "--rows 1 --cols 5000");
}

/** The small problem may be the larger one. */
static void small_is_large(void **state)
{
    (void)state;
    accepted(simulated, "--rows 1 --cols 1 --small 100000");
}

/** Arrays without an element: nothing to compute, nothing to copy. */
static void empty(void **state)
{
    (void)state;
    accepted(simulated, "--rows 0");
    accepted(as_gpu, "--rows 0 --warmup 1 --repeats 2 --variant fused");
}

/** The records of a run, with launches in the order of the run. */
static void recorded(void **state)
{
    (void)state;
    char line[256], text[2][4096] = {"", ""};
    snprintf(line, sizeof(line), "--rows 70 --json %s", records);
    accepted(simulated, line);
    FILE *file = fopen(records, "r");
    assert_non_null(file);
    while (strcpy(text[0], text[1]), fgets(text[1], sizeof(text[1]), file))
        has(text[1], "\n");
    fclose(file);
    has(text[1], "\"variant\":\"fused\"");
    has(text[1], "\"size\":{\"rows\":70,\"cols\":9,\"ldy\":16}");
}

static void refused(char *program, int fault, const char *reason)
{
    char line[64];
    snprintf(line, sizeof(line), "--warmup 0 --repeats 1 --fault %d", fault);
    child c = run_program(program, line);
    if (c.status != EXIT_WRONG || !strstr(c.err, reason))
        fail_msg("%s: status %d, %s lacks %s", line, c.status, c.err, reason);
    has(c.out, "WRONG      1 of 2 variants");
    has(c.err, "variants two_launches: wrong on ");
    has_not(c.err, "fused");
}

static void faults(void **state)
{
    (void)state;
    char *programs[] = {simulated, as_gpu};
    for (int i = 0; i < 2; i++) {
        refused(programs[i], 1, "positive[3]: got 1");
        refused(programs[i], 1, "y[0][3]: got ");
        refused(programs[i], 2, "y[0][0]: got -nan");
        refused(programs[i], 3, "x: an input was written");
        refused(programs[i], 4, "y[0][9]: written, but y has only 9 columns");
        refused(programs[i], 5, "positive: memory behind it was written");
        refused(programs[i], 6, "scratch: memory behind it was written");
        refused(programs[i], 7, "wrong on integers, rows=5 cols=13: ");
        refused(programs[i], 8, "wrong on random data in the last launch: ");
    }
}

/** Variants and libraries in turn, sample by sample; each is looked at. */
static void interleaved(void **state)
{
    (void)state;
    setenv("LIBRARY", "b is missing", 1);
    child c = accepted(as_gpu, "--warmup 1 --repeats 3");
    unsetenv("LIBRARY");
    // A warm-up of each, then three samples of each, then a is closed; then the
    // variants once more, on exact data.
    has(c.out, "order tfatfatfatfa.tf\n");
    has(c.out, "library_b         not timed: it is not installed\n");
    has(c.out, "rate    step of library    of limit\n");
    has(c.out, "  fused                   1.500 8.400e-05 GFLOP/s   1.00x");
}

/** --repeats 0 verifies, and knows nothing of libraries. */
static void untimed(void **state)
{
    (void)state;
    child c = accepted(as_gpu, "--repeats 0");
    has(c.out, "all 2 variants: exact data equal");
    has_not(c.out, "library");
}

static void library_wrong(void **state)
{
    (void)state;
    child c = accepted(as_gpu, "--warmup 1 --repeats 2");
    has(c.out, "order tfbatfbatfba..tf\n");
    has(c.out, "library_b         not timed: its result is outside the bound");
    has(c.out, "\n  library_a ");
    has(c.err, "variants library_b: wrong on random data in the last launch");
}

/** What only moves the bytes has no result, and is no library either. */
static void floor_is_timed(void **state)
{
    (void)state;
    setenv("FLOOR", "1", 1);
    child c = accepted(as_gpu, "--warmup 1 --repeats 2");
    unsetenv("FLOOR");
    has(c.out, "order tfbamtfbamtfbam...tf\n");
    has(c.out, "of library    of moves\n");
    has(c.out, "\n  moves                   1.500 ");
    assert_null(strstr(c.err, "moves"));
}

/** A variant that is wrong is not timed, the others are. */
static void wrong_is_not_timed(void **state)
{
    (void)state;
    child c = run_program(as_gpu, "--fault 1 --warmup 1 --repeats 2");
    assert_int_equal(c.status, EXIT_WRONG);
    has(c.out, "order fbafbafba..f\n");
    has(c.out, "two_launches      WRONG\n");
    has(c.out, "GFLOP");
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return EXIT_ARGUMENTS;
    simulated = argv[1];
    records = argv[2];
    as_gpu = argv[3];
    setenv("SAMPLE_MS", "1.5", 1); // no batches: each run calls a function
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right),
        cmocka_unit_test(recorded),
        cmocka_unit_test(faults),
        cmocka_unit_test(interleaved),
        cmocka_unit_test(untimed),
        cmocka_unit_test(library_wrong),
        cmocka_unit_test(wrong_is_not_timed),
        cmocka_unit_test(floor_is_timed),
        cmocka_unit_test(small_is_large),
        cmocka_unit_test(empty),
    };
    return cmocka_run_group_tests_name("variants", tests, NULL, NULL);
}
