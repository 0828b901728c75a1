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

#include "array.h"

/** What a child process left. */
typedef struct {
    int status;     /**< exit status; 128 + signal */
    char out[8192]; /**< standard output */
    char err[8192]; /**< standard error */
} child;

/** Run @p body in a child process, which ends with what it returns. */
child run_child(int (*body)(void *context), void *context);

/** Words of @p line, at most 31, as the argv of a program named "unit". */
char **words(const char *line, int *argc);

/** Fail unless @p part stands in @p text. */
void has(const char *text, const char *part);

/** How long each sample of timer.c takes in these tests (ms), on any machine.
 */
extern float sample_ms;

/**
 * Host memory as an array of float32, [rows x cols]; good until the next call.
 */
const array *matrix(float *x, int64_t rows, int64_t cols, int64_t ld);

#endif
