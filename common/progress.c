/**
 * @file progress.c
 * @brief One line on a terminal that says what takes long, then vanishes.
 */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool shown;

bool progress_visible(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

void progress(const char *format, ...)
{
    if (!progress_visible())
        return;
    char text[80];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    printf("\r%s\033[K", text); // to the left edge; erase the rest
    fflush(stdout);
    shown = true;
}

void progress_clear(void)
{
    if (shown)
        printf("\r\033[K");
    fflush(stdout);
    shown = false;
}
