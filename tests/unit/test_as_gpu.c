/**
 * @file test_as_gpu.c
 * @brief What is meant for GPUs, tried in the simulator.
 *
 *     test_as_gpu FAULTS RECORDS
 *
 * FAULTS is made from faults.cu with SIMULATED=0; records are appended to
 * RECORDS, for the test of the schema.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

static char *program;
static const char *records;

/** Verified, and nothing on stderr. @return what is on stdout */
static const char *accepted(const char *line)
{
    static child c;
    c = run_program(program, line);
    if (c.status != EXIT_VERIFIED || *c.err)
        fail_msg("%s: status %d, %s", line, c.status, c.err);
    return c.out;
}

/** Short runs: graphs over copies of the inputs. */
static void batches(void **state)
{
    (void)state;
    const char *out = accepted("forward --M 24 --N 18 --K 12 --repeats 3");
    has(out, "verified   every element");
    has(out, "3 samples of 20 launches");
    has(out, "L2 cold");
    has(out, "cuBLAS     ");
    has(out, "of its speed");
    has(accepted("forward --M 24 --N 18 --K 12 --repeats 3 --l2 warm"),
        "L2 warm");
}

/** No samples: verified, and no word about time or the library. */
static void without_times(void **state)
{
    (void)state;
    const char *out = accepted("forward --M 24 --N 18 --K 12 --repeats 0");
    has(out, "verified   every element");
    assert_null(strstr(out, "time  "));
    assert_null(strstr(out, "cuBLAS"));
    accepted("inside_bound --M 24 --N 18 --K 12 --repeats 0");
}

/** beta: C is restored before each launch, so none is batched. */
static void with_beta(void **state)
{
    (void)state;
    has(accepted("forward --M 24 --N 18 --K 12 --repeats 3 --beta 1.5"),
        ", 3 samples, L2 cold");
    accepted("forward --M 24 --N 18 --K 12 --repeats 3 --beta -1 --l2 warm");
}

/** Long runs: one launch each, several bands of the reference. */
static void singles(void **state)
{
    (void)state;
    setenv("SAMPLE_MS", "1.5", 1);
    has(accepted("forward --M 130 --N 140 --K 70 --repeats 2 --warmup 0"),
        "time       1.500 ms (1.500 - 1.500), 2 samples, L2 cold");
    unsetenv("SAMPLE_MS");
}

static void library_missing(void **state)
{
    (void)state;
    setenv("LIBRARY", "missing", 1);
    has(accepted("forward --M 24 --N 18 --K 12 --repeats 1"),
        "cuBLAS     not timed: it is not installed");
    unsetenv("LIBRARY");
}

/** A library that is wrong is no baseline. */
static void library_wrong(void **state)
{
    (void)state;
    setenv("LIBRARY", "wrong", 1);
    child c = run_program(program, "forward --M 24 --N 18 --K 12 --repeats 1");
    unsetenv("LIBRARY");
    assert_int_equal(c.status, EXIT_VERIFIED);
    has(c.out, "cuBLAS     not timed: its result is outside the bound");
}

static void refused(const char *name, const char *options, const char *reason)
{
    char line[256];
    snprintf(line, sizeof(line), "%s --repeats 2 %s --M 37 --N 37 --K 12", name,
             options);
    child c = run_program(program, line);
    if (c.status != EXIT_WRONG || !strstr(c.err, reason))
        fail_msg("%s: status %d, %s lacks %s", line, c.status, c.err, reason);
    has(c.out, "WRONG");
    assert_null(strstr(c.out, "FLOP/s"));
}

/** Each way to look at the result, here with the kernel's reference. */
static void faults(void **state)
{
    (void)state;
    refused("smallest_step", "", "exact data with alpha 1, beta 0: 1 of 1369");
    refused("outside_bound", "", "random data with alpha 1, beta 0: 1 of");
    refused("beta_ignored", "", "exact data with alpha 0.5, beta -1");
    refused("c_read", "", "1369 of 1369");
    refused("written_past", "", "memory behind it was written");
    refused("written_into_padding", "", "only 37 columns");
    refused("input_written", "", "B: an input was written");
}

/** What was timed is what is verified, batched or not. */
static void left_over(void **state)
{
    (void)state;
    const char *reason = " in the last launch: 1369 of";
    refused("left_over_timed", "", reason);
    refused("left_over_timed", "--beta 1", reason);
    refused("left_over_timed", "--l2 warm", reason);
    refused("left_over_timed", "--l2 warm --beta 1", reason);
}

/** Within the bound of long sums, so exact data comes once more. */
static void rounded_when_timed(void **state)
{
    (void)state;
    child c =
        run_program(program, "tf32_timed --repeats 2 --M 9 --N 7 --K 4096");
    assert_int_equal(c.status, EXIT_WRONG);
    has(c.err, "exact data with alpha 1, beta 0 after the timed runs: ");
    has(c.out, "WRONG");
}

/** Profilers see one run of ours: neither the reference nor anything else. */
static void profiled_range(void **state)
{
    (void)state;
    char path[] = "/tmp/as_gpu_XXXXXX", text[4096];
    int in_range = 0, others = 0;
    close(mkstemp(path));
    setenv("SIM_REPORT", path, 1);
    accepted("forward --M 24 --N 18 --K 12 --repeats 0 --beta 2");
    unsetenv("SIM_REPORT");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(text, sizeof(text), file)) {
        bool ours = strstr(text, "\"range\":1") != NULL;
        in_range += ours;
        others += !ours;
        if (ours)
            assert_null(strstr(text, "reference"));
    }
    fclose(file);
    remove(path);
    assert_int_equal(in_range, 1);
    assert_true(others > 10); // the small problem, the references
}

static void record(void **state)
{
    (void)state;
    char line[256], text[4096] = "";
    snprintf(line, sizeof(line),
             "forward --M 24 --N 18 --K 12 --repeats 3 --json %s", records);
    accepted(line);
    FILE *file = fopen(records, "r");
    assert_non_null(file);
    while (fgets(text, sizeof(text), file))
        ; // the last line is ours
    fclose(file);
    has(text, "\"backend\":\"gpu\"");
    has(text, "\"verified\":true");
    has(text, "\"repeats\":3,");
    has(text, "\"baseline\":{\"name\":\"cuBLAS\"");
    has(text, "\"counts\":{}");
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return EXIT_ARGUMENTS;
    program = argv[1];
    records = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches),
        cmocka_unit_test(without_times),
        cmocka_unit_test(with_beta),
        cmocka_unit_test(singles),
        cmocka_unit_test(library_missing),
        cmocka_unit_test(library_wrong),
        cmocka_unit_test(faults),
        cmocka_unit_test(left_over),
        cmocka_unit_test(rounded_when_timed),
        cmocka_unit_test(profiled_range),
        cmocka_unit_test(record),
    };
    return cmocka_run_group_tests_name("as_gpu", tests, NULL, NULL);
}
