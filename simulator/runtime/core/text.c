/**
 * @file text.c
 * @brief Text for messages and reports.
 */
#include <stdarg.h>

#include "inside.h"

#define BUFFERS 16       /**< texts that are valid at a time */
#define BUFFER_BYTES 768 /**< longer texts are cut */

const char *sim_format(const char *format, ...)
{
    static _Thread_local char ring[BUFFERS][BUFFER_BYTES];
    static _Thread_local unsigned next;
    char *text = ring[next++ % BUFFERS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, BUFFER_BYTES, format, arguments);
    va_end(arguments);
    return text;
}

bool sim_same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

void sim_json_string(FILE *file, const char *begin, const char *text)
{
    fprintf(file, "%s\"", begin);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 32)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}
