/** @file options.c @see options.h */
#include "internal.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SPECS 64 /**< options of one program, the common ones included */

void options_refuse(const char *format, ...)
{
    va_list arguments;
    fflush(stdout); // keeps the order of the two streams in a log
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(EXIT_ARGUMENTS);
}

void options_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    fprintf(stderr, "standard output: %s: what is missing is lost\n",
            strerror(errno));
    exit(EXIT_ARGUMENTS);
}

/* ---- values -------------------------------------------------------------- */

/**
 * strtoll() takes leading blanks, and all that follows the digits; both are
 * mistakes on a command line.
 */
static int64_t parse_integer(const option_spec *spec, const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+');
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    REQUIRE(isdigit((unsigned char)*digits) && *end == '\0',
            "--%s %s: not an integer; allowed are %.0f to %.0f", spec->name,
            text, spec->min, spec->max);
    REQUIRE(errno == 0 && value >= (long long)spec->min &&
                value <= (long long)spec->max,
            "--%s %s: out of range; allowed are %.0f to %.0f", spec->name, text,
            spec->min, spec->max);
    return value;
}

/**
 * strtof() also takes nan, inf and 0x1p3. A number that is neither 0 nor a
 * normal float32 would silently become another one, so it is refused.
 */
static float parse_real(const option_spec *spec, const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+');
    char *end;
    float value = strtof(text, &end);
    REQUIRE((isdigit((unsigned char)*digits) || *digits == '.') &&
                *end == '\0' && end != text && !strpbrk(text, "xX"),
            "--%s %s: not a number; allowed are finite decimal numbers",
            spec->name, text);
    bool zero = strspn(digits, "0.") == strcspn(digits, "eE");
    REQUIRE(zero || (fabsf(value) <= FLT_MAX && fabsf(value) >= FLT_MIN),
            "--%s %s: not in float32; allowed are 0 and %.1e to %.1e, "
            "+ and -",
            spec->name, text, FLT_MIN, FLT_MAX);
    return value;
}

/** Word @p i of a choice's list; @p length its letters, 0: there is none. */
static const char *choice(const option_spec *spec, int i, int *length)
{
    const char *word = spec->help;
    *length = (int)strcspn(word, "|");
    for (; i > 0 && *length > 0; i--) {
        word += *length + (word[*length] == '|');
        *length = (int)strcspn(word, "|");
    }
    return word;
}

static int parse_choice(const option_spec *spec, const char *text)
{
    int length;
    for (int i = 0;; i++) {
        const char *word = choice(spec, i, &length);
        REQUIRE(length > 0, "--%s %s: allowed are %s", spec->name, text,
                spec->help);
        if (strlen(text) == (size_t)length &&
            strncmp(word, text, (size_t)length) == 0)
            return i;
    }
}

static void parse_value(const option_spec *spec, const char *text)
{
    if (spec->to.integer)
        *spec->to.integer = (int)parse_integer(spec, text);
    if (spec->to.size)
        *spec->to.size = parse_integer(spec, text);
    if (spec->to.real)
        *spec->to.real = parse_real(spec, text);
    if (spec->to.text)
        *spec->to.text = text;
    if (spec->to.choice)
        *spec->to.choice = parse_choice(spec, text);
}

const char *options_text(const option_spec *spec, char *text)
{
    const option_variable *to = &spec->to;
    const char *word = "";
    int length = 31;
    if (to->text && *to->text)
        word = *to->text;
    if (to->choice)
        word = choice(spec, *to->choice, &length);
    snprintf(text, 32, "%.*s", length, word);
    if (to->integer)
        snprintf(text, 32, "%d", *to->integer);
    if (to->size && *to->size >= (int64_t)spec->min)
        snprintf(text, 32, "%lld", (long long)*to->size);
    if (to->real)
        snprintf(text, 32, "%.9g", *to->real);
    return text;
}

/* ---- names --------------------------------------------------------------- */

/**
 * Levenshtein distance: insertions, deletions and replacements of letters.
 *
 * Computed by rows of the usual table; row[j] is the distance between the
 * letters of @p a so far and the first j letters of @p b.
 */
static int edit_distance(const char *a, const char *b)
{
    enum { MAX = 32 };
    int row[MAX + 1];
    int length = (int)strnlen(b, MAX);
    for (int j = 0; j <= length; j++)
        row[j] = j;
    for (int i = 0; a[i]; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < length; j++) {
            int replaced = diagonal + (tolower(a[i]) != tolower(b[j]));
            int shorter = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            diagonal = row[j + 1];
            row[j + 1] = replaced < shorter ? replaced : shorter;
        }
    }
    return row[length];
}

/** The option whose name is @p name [0, length), or NULL. */
static const option_spec *find(const option_spec *specs, int count,
                               const char *name, size_t length)
{
    for (int i = 0; i < count; i++) {
        if (strlen(specs[i].name) == length &&
            strncmp(specs[i].name, name, length) == 0)
            return &specs[i];
    }
    return NULL;
}

static void refuse_unknown(const option_spec *specs, int count,
                           const char *word, size_t length)
{
    char name[32];
    snprintf(name, sizeof(name), "%.*s", (int)length, word);
    const char *nearest = "help";
    for (int i = 0; i < count; i++) {
        if (edit_distance(name, specs[i].name) < edit_distance(name, nearest))
            nearest = specs[i].name;
    }
    bool near = 2 * edit_distance(name, nearest) < (int)strlen(nearest);
    options_refuse("--%s: no such option; %s%s%s--help lists them all", name,
                   near ? "did you mean --" : "", near ? nearest : "",
                   near ? "? " : "");
}

/* ---- the whole line ------------------------------------------------------ */

static void print_help(const char *program, const char *about,
                       const option_spec *specs, int count)
{
    char text[32];
    printf("%s\n\nusage: %s [--option value ...]\n\n", about, program);
    for (int i = 0; i < count; i++) {
        const char *value = options_text(&specs[i], text);
        printf("  --%-8s %s%s%s%s\n", specs[i].name, specs[i].help,
               *value ? " (default " : "", value, *value ? ")" : "");
    }
    printf("  --%-8s %s\n", "help", "this text");
    printf("\nexit status: 0 verified, 1 wrong result or CUDA error,\n"
           "2 unusable arguments, 3 this GPU cannot run it, 5 a finding\n");
    options_flush();
    exit(EXIT_VERIFIED);
}

/** The words of the command line in one string; never freed. */
static char *join(int argc, char **argv)
{
    size_t bytes = 1;
    for (int i = 0; i < argc; i++)
        bytes += strlen(argv[i]) + 1;
    char *line = calloc(bytes, 1);
    for (int i = 0; line && i < argc; i++) {
        strcat(line, i > 0 ? " " : "");
        strcat(line, argv[i]);
    }
    return line;
}

/** Set the variable of each option on the command line; or print the help. */
static void parse_words(int argc, char **argv, const char *about,
                        const option_spec *specs, int count)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            print_help(argv[0], about, specs, count);
        REQUIRE(strncmp(argv[i], "--", 2) == 0,
                "%s: not an option; options look like --%s 1, "
                "--help lists them all",
                argv[i], specs[0].name);
        const char *name = argv[i] + 2;
        size_t length = strcspn(name, "=");
        const option_spec *spec = find(specs, count, name, length);
        if (!spec)
            refuse_unknown(specs, count, name, length);

        const char *value = name[length] == '=' ? name + length + 1 : argv[++i];
        bool missing = i == argc || *value == '\0' ||
                       (value == argv[i] && strncmp(value, "--", 2) == 0);
        REQUIRE(!missing, "--%s: its value is missing; --%s is: %s", spec->name,
                spec->name, spec->help);
        parse_value(spec, value);
    }
}

run_options options_parse(int argc, char **argv, const char *about,
                          const option_spec *specs, int count)
{
    run_options run = {.warmup = 3, .repeats = 20, .small = 1, .seed = 1};
    const char *l2 = "cold";
    const char *json = getenv("CHAPTERS_RECORDS"); // make run reads them
    const option_spec common[] = {
        {"device", OPTION_INT(&run.device), 0, 1023, "number of the GPU"},
        {"warmup", OPTION_INT(&run.warmup), 0, 1000000,
         "untimed launches before the timed ones"},
        {"repeats", OPTION_INT(&run.repeats), 0, 1000000,
         "timed samples, fewer of slow kernels; 0: verify only"},
        {"small", OPTION_INT(&run.small), 0, 1,
         "0: leave out the small problem that is verified first"},
        {"seed", OPTION_INT(&run.seed), 0, INT_MAX,
         "number that the inputs come from"},
        {"l2", OPTION_TEXT(&l2), 0, 0,
         "cold: flush the L2 before each sample; or warm"},
        {"json", OPTION_TEXT(&json), 0, 0,
         "file to which one line with the results is appended"},
    };
    const int common_count = sizeof(common) / sizeof(common[0]);
    option_spec all[MAX_SPECS];
    for (int i = 0; i < count; i++)
        all[i] = specs[i];
    memcpy(all + count, common, sizeof(common));
    parse_words(argc, argv, about, all, count + common_count);

    run.cold = strcmp(l2, "cold") == 0;
    REQUIRE(run.cold || strcmp(l2, "warm") == 0,
            "--l2 %s: allowed are cold and warm", l2);
    run.json = json ? fopen(json, "a") : NULL;
    REQUIRE(run.json || !json, "--json %s: cannot append to this file: %s",
            json, strerror(errno));
    run.command = join(argc, argv);
    return run;
}
