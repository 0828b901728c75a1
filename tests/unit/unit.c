/**
 * @file unit.c
 * @brief What the unit tests share: functions that exit.
 */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void read_all(FILE *file, char *text, size_t size)
{
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

child run_child(int (*body)(void *context), void *context)
{
    child c = {0};
    FILE *out = tmpfile();
    FILE *err = tmpfile();
    assert_non_null(out);
    assert_non_null(err);
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

char **words(const char *line, int *argc)
{
    static char text[1024];
    static char *argv[32];
    snprintf(text, sizeof(text), "%s", line);
    argv[0] = "unit";
    *argc = 1;
    for (char *w = strtok(text, " "); w && *argc < 31; w = strtok(NULL, " "))
        argv[(*argc)++] = w;
    argv[*argc] = NULL;
    return argv;
}

void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("missing: %s\nin: %s", part, text);
}

const array *matrix(float *x, int64_t rows, int64_t cols, int64_t ld)
{
    static array a;
    a = (array){.name = "C", .type = ELEMENT_FLOAT32, .host = x};
    array_2d(&a, rows, cols, ld);
    return &a;
}
