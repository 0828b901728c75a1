/**
 * @file unit.h
 * @brief What the unit tests share: cmocka, main(), and functions that exit.
 *
 *     TEST(name) { assert_true(...); }
 *
 * is all that it takes: main() runs those of a file from top to bottom.
 */
#ifndef UNIT_H
#define UNIT_H

// cmocka.h wants these four before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"

static struct CMUnitTest tests[32];
static size_t test_count;
static const char *records; /**< file to append records to, or NULL */

/** A test; its function is noted before main() begins. */
#define TEST(name)                                                             \
    static void name(void **state);                                            \
    __attribute__((constructor)) static void note_##name(void)                 \
    {                                                                          \
        tests[test_count++] = (struct CMUnitTest)cmocka_unit_test(name);       \
    }                                                                          \
    static void name(void **state)

int main(int argc, char **argv)
{
    records = argc > 1 ? argv[1] : NULL;
    return _cmocka_run_group_tests(argv[0], tests, test_count, NULL, NULL);
}

/** How long each sample takes in these tests (ms), on any machine. */
extern float sample_ms;

/** What a child process left. */
typedef struct {
    int status;     /**< exit status; 128 + signal */
    char out[8192]; /**< standard output */
    char err[8192]; /**< standard error */
} child;

static inline void read_all(FILE *file, char *text, size_t size)
{
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

/** Run @p body in a child process, which ends with what it returns. */
static inline child run_child(int (*body)(void *context), void *context)
{
    child c = {0};
    FILE *out = tmpfile();
    FILE *err = tmpfile();
    assert_true(out && err);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        exit(body(context));
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    c.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    read_all(out, c.out, sizeof(c.out));
    read_all(err, c.err, sizeof(c.err));
    return c;
}

/** Fail unless @p part stands in @p text. */
static inline void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("missing: %s\nin: %s", part, text);
}

/** Fail unless each of some texts stands in @p text. */
#define HAS(text, ...)                                                         \
    do {                                                                       \
        const char *const parts[] = {__VA_ARGS__};                             \
        for (size_t part = 0; part < sizeof(parts) / sizeof(*parts); part++)   \
            has(text, parts[part]);                                            \
    } while (0)

/**
 * Host memory as an array of float32, [rows x cols]; good until the next call.
 */
static inline const array *matrix(float *x, int64_t rows, int64_t cols,
                                  int64_t ld)
{
    static array a;
    a = (array){.name = "C", .type = ELEMENT_FLOAT32, .host = x};
    array_2d(&a, rows, cols, ld);
    return &a;
}

#endif
