/**
 * @file unit.h
 * @brief What the unit tests share: cmocka, and functions that exit.
 */
#ifndef UNIT_H
#define UNIT_H

// cmocka.h wants these four before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/** What a child process left. */
typedef struct {
    int status;     /**< exit status; 128 + signal */
    char out[8192]; /**< standard output */
    char err[8192]; /**< standard error */
} child;

/** Run @p body in a child process, which ends with what it returns. */
child run_child(int (*body)(void *context), void *context);

/** Run a program; @p argv ends with NULL. */
child run_program(char **argv);

/** Words of @p line, at most 31, as the argv of a program named "unit". */
char **words(const char *line, int *argc);

#endif
