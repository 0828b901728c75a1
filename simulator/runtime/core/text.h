/**
 * @file text.h
 * @brief Text for messages and reports; all of it is in text.c.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdio.h>

/** printf into one of a few buffers of this OS thread that take turns. */
const char *sim_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/** Write @p begin, and @p text as a JSON string. */
void sim_json_string(FILE *file, const char *begin, const char *text);

#endif
