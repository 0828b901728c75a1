/**
 * @file test_options.c
 * @brief Every good and bad form of a command line.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

/** A program with one option of each type. */
typedef struct {
    int M;
    int64_t count;
    int64_t limit;
    float alpha;
    const char *variant;
    int op;
    run_options run;
} settings;

static settings parse(const char *line)
{
    settings s = {.M = 4096, .count = 7, .limit = -1, .alpha = 1.5f, .op = 1};
    const option_spec specs[] = {
        {"M", OPTION_INT, &s.M, 1, 2147483643, "rows of C"},
        {"count", OPTION_INT64, &s.count, 1, 1e15, "elements"},
        {"alpha", OPTION_FLOAT, &s.alpha, 0, 0, "factor"},
        {"variant", OPTION_TEXT, &s.variant, 0, 0, "which kernel"},
        {"op", OPTION_CHOICE, &s.op, 0, 0, "sum|min|max"},
        {"limit", OPTION_INT64, &s.limit, 0, 9, "steps; if not said, all"},
    };
    int argc;
    char **argv = words(line, &argc);
    s.run = options_parse(argc, argv, "A test.", specs, 6);
    return s;
}

static int parse_body(void *line)
{
    parse(line);
    return 0;
}

/** One line on stderr with both words, nothing on stdout, status 2. */
static void refused(const char *line, const char *what, const char *allowed)
{
    child c = run_child(parse_body, (void *)line);
    assert_int_equal(c.status, EXIT_ARGUMENTS);
    assert_string_equal(c.out, "");
    if (!strstr(c.err, what) || !strstr(c.err, allowed))
        fail_msg("%s: %s lacks %s or %s", line, c.err, what, allowed);
    assert_ptr_equal(strchr(c.err, '\n'), c.err + strlen(c.err) - 1);
}

static void defaults(void **state)
{
    (void)state;
    settings s = parse("");
    assert_int_equal(s.M, 4096);
    assert_int_equal(s.count, 7);
    assert_true(s.alpha == 1.5f);
    assert_null(s.variant);
    assert_int_equal(s.run.device, 0);
    assert_int_equal(s.run.warmup, 3);
    assert_int_equal(s.run.repeats, 20);
    assert_int_equal(s.run.seed, 1);
    assert_true(s.run.cold);
    assert_null(s.run.json);
    assert_string_equal(s.run.command, "unit");
}

static void values(void **state)
{
    (void)state;
    settings s = parse("--M 512 --count=900000000000 --alpha -0.25e1 "
                       "--variant x --l2 warm --seed 0 --warmup 0");
    assert_int_equal(s.M, 512);
    assert_true(s.count == INT64_C(900000000000));
    assert_true(s.alpha == -2.5f);
    assert_string_equal(s.variant, "x");
    assert_false(s.run.cold);
    assert_int_equal(s.run.seed, 0);
    assert_int_equal(s.run.warmup, 0);
    assert_true(parse("--M=3 --M 5").M == 5);
    assert_true(parse("--alpha 0.0").alpha == 0.0f);
    assert_true(parse("--alpha=.5").alpha == 0.5f);
    assert_true(parse("--alpha=0e9").alpha == 0.0f);
    assert_true(parse("--M 2147483643").M == 2147483643);
    assert_string_equal(parse("--M=3 --alpha 2").run.command,
                        "unit --M=3 --alpha 2");
}

static void unknown_option(void **state)
{
    (void)state;
    refused("--repeat 3", "--repeat:", "did you mean --repeats?");
    refused("--m 3", "--m:", "did you mean --M?");
    refused("--aplha=3", "--aplha:", "did you mean --alpha?");
    refused("--varient x", "--varient:", "did you mean --variant?");
    refused("--jason x", "--jason:", "did you mean --json?");
    refused("--averyverylongoptionthatnobodyhasthoughtofyet 3", "--avery",
            "no such option");
    refused("--", "--:", "no such option");
}

static void missing_value(void **state)
{
    (void)state;
    refused("--M", "--M:", "missing");
    refused("--M=", "--M:", "missing");
    refused("--M --alpha 1", "--M:", "missing");
    refused("--json --M 1", "--json:", "missing");
    refused("--alpha 1 --variant", "--variant:", "missing");
}

static void out_of_range(void **state)
{
    (void)state;
    refused("--M -1", "--M -1", "allowed are 1 to 2147483643");
    refused("--M 0", "--M 0", "allowed are 1 to 2147483643");
    refused("--M=2147483644", "--M 2147483644", "allowed are 1 to");
    refused("--count 0", "--count 0", "allowed are 1 to 1000000000000000");
    refused("--warmup -1", "--warmup -1", "allowed are 0 to");
    refused("--repeats -1", "--repeats -1", "allowed are 0 to");
    refused("--seed -7", "--seed -7", "allowed are 0 to");
    refused("--device -1", "--device -1", "allowed are 0 to");
}

static void choices(void **state)
{
    (void)state;
    assert_int_equal(parse("").op, 1);
    assert_int_equal(parse("--op sum").op, 0);
    assert_int_equal(parse("--op=max").op, 2);
    const char *bad[] = {"mean", "su", "sumo", "sum|min", "|", "SUM", "1"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char line[32];
        snprintf(line, sizeof(line), "--op %s", bad[i]);
        refused(line, line, "allowed are sum|min|max");
    }
}

static void not_a_number(void **state)
{
    (void)state;
    refused("--M 12abc", "--M 12abc", "not an integer");
    refused("--M abc", "--M abc", "not an integer");
    refused("--M 1e3", "--M 1e3", "not an integer");
    refused("--M 1.0", "--M 1.0", "not an integer");
    refused("--M 0x10", "--M 0x10", "not an integer");
    refused("--M -", "--M -", "not an integer");
    refused("--count 1e3", "--count 1e3", "not an integer");
    refused("--alpha 1.0f", "--alpha 1.0f", "not a number");
    refused("--alpha 0x1p3", "--alpha 0x1p3", "not a number");
    refused("--alpha 1,5", "--alpha 1,5", "not a number");
    refused("--alpha .", "--alpha .", "not a number");
    refused("--alpha e5", "--alpha e5", "not a number");
}

static void overflow(void **state)
{
    (void)state;
    refused("--M 99999999999999999999", "--M 999", "allowed are 1 to");
    refused("--M 4294967297", "--M 4294967297", "allowed are 1 to");
    refused("--count 99999999999999999999", "--count 999", "allowed are");
    refused("--alpha 1e39", "--alpha 1e39", "not in float32");
    refused("--alpha -1e99999", "--alpha -1e99999", "not in float32");
    refused("--alpha 1e-60", "--alpha 1e-60", "not in float32");
    refused("--alpha 1e-42", "--alpha 1e-42", "not in float32");
}

static void nan_and_inf(void **state)
{
    (void)state;
    refused("--alpha nan", "--alpha nan", "finite");
    refused("--alpha NaN", "--alpha NaN", "finite");
    refused("--alpha inf", "--alpha inf", "finite");
    refused("--alpha -inf", "--alpha -inf", "finite");
    refused("--alpha infinity", "--alpha infinity", "finite");
}

static void stray_word(void **state)
{
    (void)state;
    refused("512", "512:", "options look like");
    refused("--M 512 256", "256:", "options look like");
    refused("-M 512", "-M:", "options look like");
}

static void l2(void **state)
{
    (void)state;
    refused("--l2 hot", "--l2 hot", "cold and warm");
}

static void json_file(void **state)
{
    (void)state;
    refused("--json /nonexistent/x", "--json /nonexistent/x", "No such file");
    refused("--json /", "--json /", "directory");

    char name[] = "/tmp/unit_XXXXXX";
    int file = mkstemp(name);
    assert_int_equal(write(file, "before\n", 7), 7);
    close(file);
    char line[64];
    snprintf(line, sizeof(line), "--json %s", name);
    FILE *json = parse(line).run.json;
    assert_non_null(json);
    fputs("after\n", json);
    fclose(json);
    char text[32] = "";
    json = fopen(name, "r");
    text[fread(text, 1, sizeof(text) - 1, json)] = '\0';
    fclose(json);
    remove(name);
    assert_string_equal(text, "before\nafter\n");
}

/** --help names every option with its default, within 80 columns. */
static void help(void **state)
{
    (void)state;
    child c = run_child(parse_body, "--M 12 --help");
    assert_int_equal(c.status, 0);
    assert_string_equal(c.err, "");
    const char *const lines[] = {
        "--M        rows of C (default 12)",
        "--count    elements (default 7)",
        "--alpha    factor (default 1.5)",
        "--variant  which kernel\n",
        "--limit    steps; if not said, all\n",
        "--repeats  timed samples, fewer of slow kernels; 0: verify only "
        "(default 20)",
        "(default cold)",
        "--json",
        "--seed",
        "--device",
        "--warmup",
        "--help"};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (!strstr(c.out, lines[i]))
            fail_msg("--help lacks: %s", lines[i]);
    }
    for (char *l = strtok(c.out, "\n"); l; l = strtok(NULL, "\n"))
        assert_true(strlen(l) <= 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),       cmocka_unit_test(values),
        cmocka_unit_test(unknown_option), cmocka_unit_test(missing_value),
        cmocka_unit_test(out_of_range),   cmocka_unit_test(not_a_number),
        cmocka_unit_test(overflow),       cmocka_unit_test(nan_and_inf),
        cmocka_unit_test(stray_word),     cmocka_unit_test(l2),
        cmocka_unit_test(json_file),      cmocka_unit_test(help),
        cmocka_unit_test(choices),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
