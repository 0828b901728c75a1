/**
 * @file print.c
 * @brief printf of kernels: it is read when the program waits.
 *
 * Semantics: "CUDA Programming Guide", "Formatted Output". A GPU keeps the text
 * until the host waits for the device, or launches the next kernel; what is
 * there when the program ends is lost.
 */
#include <stdarg.h>

#include "inside.h"

#define MOST_TEXT (16 * MIB) /**< bytes; more of it is shown at once */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *waiting; /* NULL: nothing */
static char *text;
static size_t bytes;

void sim_print_now(void)
{
    if (pthread_mutex_trylock(&lock))
        return; /* Ctrl-C has interrupted who prints */
    if (waiting) {
        fclose(waiting);
        fwrite(text, 1, bytes, stdout);
        free(text);
        waiting = NULL;
    }
    pthread_mutex_unlock(&lock);
}

bool sim_print_waits(void)
{
    return waiting;
}

int sim_printf(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int printed;
    if (sim_self->lane) {
        pthread_mutex_lock(&lock);
        if (!waiting)
            waiting = open_memstream(&text, &bytes);
        printed = waiting ? vfprintf(waiting, format, values) : -1;
        bool full = waiting && ftell(waiting) > MOST_TEXT;
        pthread_mutex_unlock(&lock);
        if (full)
            sim_print_now();
    } else {
        printed = vprintf(format, values);
    }
    va_end(values);
    return printed;
}

int sim_puts(const char *line)
{
    return sim_printf("%s\n", line);
}

int sim_putchar(int letter)
{
    return sim_printf("%c", letter);
}
