/**
 * @file test_options.c
 * @brief Every good and bad form of a command line.
 */
#include "unit.h"

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

/** Words of @p line, at most 31, as the argv of a program named "unit". */
static char **words(const char *line, int *argc)
{
    static char text[1024];
    static char *argv[32] = {"unit"};
    snprintf(text, sizeof(text), "%s", line);
    *argc = 1;
    for (char *w = strtok(text, " "); w && *argc < 31; w = strtok(NULL, " "))
        argv[(*argc)++] = w;
    argv[*argc] = NULL;
    return argv;
}

static settings parse(const char *line)
{
    settings s = {.M = 4096, .count = 7, .limit = -1, .alpha = 1.5f, .op = 1};
    const option_spec specs[] = {
        {"M", OPTION_INT(&s.M), 1, 2147483643, "rows of C"},
        {"count", OPTION_INT64(&s.count), 1, 1e15, "elements"},
        {"alpha", OPTION_FLOAT(&s.alpha), 0, 0, "factor"},
        {"variant", OPTION_TEXT(&s.variant), 0, 0, "which kernel"},
        {"op", OPTION_CHOICE(&s.op), 0, 0, "sum|min|max"},
        {"limit", OPTION_INT64(&s.limit), 0, 9, "steps; if not said, all"},
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

/** One line on stderr that begins with @p says, nothing on stdout, status 2. */
static void refused(const char *line, const char *says)
{
    child c = run_child(parse_body, (void *)line);
    assert_int_equal(c.status, EXIT_ARGUMENTS);
    assert_string_equal(c.out, "");
    if (strncmp(c.err, says, strlen(says)) != 0)
        fail_msg("%s: %s is not %s", line, c.err, says);
    assert_ptr_equal(strchr(c.err, '\n'), c.err + strlen(c.err) - 1);
}

TEST(defaults)
{
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

TEST(values)
{
    settings s = parse("--M 512 --count=900000000000 --alpha -0.25e1 "
                       "--variant x --l2 warm --seed 0 --warmup 0");
    assert_int_equal(s.M, 512);
    assert_true(s.count == INT64_C(900000000000));
    assert_true(s.alpha == -2.5f);
    assert_string_equal(s.variant, "x");
    assert_false(s.run.cold);
    assert_int_equal(s.run.seed, 0);
    assert_int_equal(s.run.warmup, 0);
    assert_int_equal(s.op, 1);
    assert_int_equal(parse("--op sum").op, 0);
    assert_int_equal(parse("--op=max").op, 2);
    assert_true(parse("--M=3 --M 5").M == 5);
    assert_true(parse("--alpha 0.0").alpha == 0.0f);
    assert_true(parse("--alpha=.5").alpha == 0.5f);
    assert_true(parse("--alpha=0e9").alpha == 0.0f);
    assert_true(parse("--M 2147483643").M == 2147483643);
    assert_string_equal(parse("--M=3 --alpha 2").run.command,
                        "unit --M=3 --alpha 2");
}

/** Values that are refused: what is said behind each option and value. */
TEST(values_refused)
{
    static const char *const bad[][2] = {
        {"--M 12abc;--M abc;--M 1e3;--M 1.0;--M 0x10;--M -",
         ": not an integer; allowed are 1 to 2147483643"},
        {"--count 1e3", ": not an integer; allowed are 1 to 1000000000000000"},
        {"--alpha 1.0f;--alpha 0x1p3;--alpha 1,5;--alpha .;--alpha e5",
         ": not a number; allowed are finite decimal numbers"},
        {"--alpha nan;--alpha NaN;--alpha inf;--alpha -inf;--alpha infinity",
         ": not a number; allowed are finite decimal numbers"},
        {"--M -1;--M 0;--M 2147483644;--M 4294967297;--M 99999999999999999999",
         ": out of range; allowed are 1 to 2147483643"},
        {"--count 0;--count 99999999999999999999", ": out of range; allowed"},
        {"--warmup -1;--repeats -1;--seed -7;--device -1",
         ": out of range; allowed are 0 to "},
        {"--alpha 1e39;--alpha -1e99999;--alpha 1e-60;--alpha 1e-42",
         ": not in float32; allowed are 0 and 1.2e-38 to 3.4e+38"},
        {"--op mean;--op su;--op sumo;--op sum|min;--op |;--op SUM;--op 1",
         ": allowed are sum|min|max"},
        {"--l2 hot", ": allowed are cold and warm"},
        {"--json /nonexistent/x;--json /", ": cannot append to this file: "},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char lines[128], says[128], *rest = lines;
        snprintf(lines, sizeof(lines), "%s", bad[i][0]);
        for (const char *line; (line = strsep(&rest, ";"));) {
            snprintf(says, sizeof(says), "%s%s", line, bad[i][1]);
            refused(line, says);
        }
    }
}

TEST(words_refused)
{
    static const char *const bad[][2] = {
        {"--repeat 3", "--repeat: no such option; did you mean --repeats?"},
        {"--m 3", "--m: no such option; did you mean --M?"},
        {"--aplha=3", "--aplha: no such option; did you mean --alpha?"},
        {"--varient x", "--varient: no such option; did you mean --variant?"},
        {"--jason x", "--jason: no such option; did you mean --json?"},
        {"--gelu 1", "--gelu: no such option; --help lists them all"},
        {"--averyverylongoptionthatnobodyhasthoughtofyet 3", "--avery"},
        {"--", "--: no such option"},
        {"--M", "--M: its value is missing; --M is: rows of C"},
        {"--M=", "--M: its value is missing"},
        {"--M --alpha 1", "--M: its value is missing"},
        {"--json --M 1", "--json: its value is missing"},
        {"--alpha 1 --variant", "--variant: its value is missing"},
        {"512", "512: not an option; options look like --M 1"},
        {"--M 512 256", "256: not an option"},
        {"-M 512", "-M: not an option"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        refused(bad[i][0], bad[i][1]);
}

TEST(json_file)
{
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
TEST(help)
{
    child c = run_child(parse_body, "--M 12 --help");
    assert_int_equal(c.status, 0);
    assert_string_equal(c.err, "");
    HAS(c.out, "--M        rows of C (default 12)",
        "--count    elements (default 7)", "--alpha    factor (default 1.5)",
        "--variant  which kernel\n", "--limit    steps; if not said, all\n",
        "--repeats  timed samples, fewer of slow kernels; 0: verify only "
        "(default 20)",
        "(default cold)", "--json", "--seed", "--device", "--warmup", "--help");
    for (char *l = strtok(c.out, "\n"); l; l = strtok(NULL, "\n"))
        assert_true(strlen(l) <= 80);
}
