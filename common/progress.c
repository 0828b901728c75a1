/** @file progress.c @see internal.h */
#include "internal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 79 /**< columns; a terminal with 80 does not wrap the line */

static bool shown;

/** Is standard output a terminal that can erase a line? */
static bool visible(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

void progress(const char *format, ...)
{
    if (!visible())
        return;
    char text[WIDTH + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    printf("\r%-*s", WIDTH, text); // the blanks erase the last text
    fflush(stdout);
    shown = true;
}

void progress_clear(void)
{
    if (shown)
        printf("\r%*s\r", WIDTH, "");
    fflush(stdout);
    shown = false;
}
