/** @file picture.c @see picture.h */
#include "picture.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

/** A file in memory, and whom to name in a message about it. */
typedef struct {
    const char *option;
    const char *path;
    uint8_t *bytes; /**< of the file, and a 0 behind them */
    size_t size;
} source;

/* ---- read ---------------------------------------------------------------- */

/** The next number of a header, behind blanks and comments; -1: none. */
static long next_number(const uint8_t **at)
{
    const uint8_t *c = *at;
    long number = 0;
    while (isspace(*c) || *c == '#') {
        if (*c == '#')
            while (*c && *c != '\n')
                c++;
        else
            c++;
    }
    if (!isdigit(*c))
        return -1;
    while (isdigit(*c) && number <= 100000000) // far below LONG_MAX
        number = 10 * number + (*c++ - '0');
    *at = c;
    return number;
}

/** P5 or P6, width, height, 255, one blank, then the samples. */
static picture parse(const source *s)
{
    const char *option = s->option, *path = s->path;
    bool known = s->size > 2 && s->bytes[0] == 'P' &&
                 (s->bytes[1] == '5' || s->bytes[1] == '6');
    REQUIRE(known,
            "%s %s: not a picture that can be read; allowed are PGM and PPM "
            "(P5, P6)",
            option, path);
    const uint8_t *at = s->bytes + 2;
    long width = next_number(&at), height = next_number(&at);
    long white = next_number(&at);
    REQUIRE(width > 0 && height > 0 && white > 0 && isspace(*at),
            "%s %s: its header is not that of a PGM or PPM", option, path);
    REQUIRE(white == 255, "%s %s: its white is %ld; allowed is 255", option,
            path, white);
    const uint8_t *first = at + 1;
    int channels = s->bytes[1] == '6' ? 3 : 1;
    double wanted = (double)width * (double)height * channels;
    size_t there = s->size - (size_t)(first - s->bytes);
    REQUIRE((double)there >= wanted,
            "%s %s: truncated: %zu bytes of %.0f samples, %ld x %ld", option,
            path, there, wanted, width, height);
    return (picture){(int)width, (int)height, channels,
                     host_copy(first, (size_t)wanted)};
}

/** All of a file; release its bytes with free(). */
static source read_all(const char *option, const char *path)
{
    source s = {.option = option, .path = path};
    struct stat about;
    FILE *in = fopen(path, "rb");
    REQUIRE(in && fstat(fileno(in), &about) == 0, "%s %s: %s", option, path,
            strerror(errno));
    REQUIRE(S_ISREG(about.st_mode), "%s %s: not a regular file", option, path);
    REQUIRE(about.st_size > 0, "%s %s: empty", option, path);
    s.size = (size_t)about.st_size;
    s.bytes = host_alloc(s.size + 1);
    size_t got = fread(s.bytes, 1, s.size, in);
    REQUIRE(got == s.size, "%s %s: only %zu of its %zu bytes can be read",
            option, path, got, s.size);
    fclose(in);
    s.bytes[s.size] = 0; // a number at the end ends there
    return s;
}

picture picture_read(const char *option, const char *path)
{
    source s = read_all(option, path);
    picture p = parse(&s);
    free(s.bytes);
    return p;
}

/* ---- write --------------------------------------------------------------- */

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), part = strlen(end);
    return length > part && strcmp(path + length - part, end) == 0;
}

/** Refuse a name in a folder that is not there or takes no files. */
static void require_folder(const char *option, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    char *folder = host_alloc(length + 1);
    snprintf(folder, length + 1, "%s", slash ? path : ".");
    REQUIRE(access(folder, W_OK) == 0, "%s %s: cannot be written: %s", option,
            path, strerror(errno));
    free(folder);
}

void picture_require(const char *option, const char *path, int channels)
{
    struct stat old;
    REQUIRE(stat(path, &old) != 0 || S_ISREG(old.st_mode),
            "%s %s: not a regular file", option, path);
    const char *end = channels == 1 ? ".pgm" : ".ppm";
    REQUIRE(ends_with(path, end),
            "%s %s: not the name of a picture %s; allowed is %s", option, path,
            channels == 1 ? "in grey" : "in colour", end);
    require_folder(option, path);
}

/** @return false: errno says why */
static bool write_samples(FILE *file, const picture *p)
{
    size_t count = (size_t)p->width * (size_t)p->height * (size_t)p->channels;
    fprintf(file, "P%d\n%d %d\n255\n", p->channels == 3 ? 6 : 5, p->width,
            p->height);
    return fwrite(p->samples, 1, count, file) == count;
}

void picture_write(const char *option, const char *path, const picture *p)
{
    size_t size = strlen(path) + sizeof(".part");
    char *part = host_alloc(size);
    snprintf(part, size, "%s.part", path);
    FILE *file = fopen(part, "wb");
    bool ok = file && write_samples(file, p);
    ok = file && fclose(file) == 0 && ok; // what is left is written here
    ok = ok && rename(part, path) == 0;
    int why = errno;
    if (!ok && file)
        remove(part);
    REQUIRE(ok, "%s %s: cannot be written: %s", option, path, strerror(why));
    free(part);
}
