/**
 * @file picture.cuh
 * @brief Pictures: PGM and PPM files of 8 bits a sample, PNG where libpng is.
 *
 * A pixel is its grey from 0 (black) to 255 (white) as a float; of a coloured
 * one 0.299 red + 0.587 green + 0.114 blue (ITU-R BT.601). A result is rounded
 * and what is below 0 or above 255 is cut off; of a sobel filter the magnitude
 * is shown.
 */

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef WITH_PNG
#include <png.h>
#define PICTURE_KINDS "PGM, PPM or PNG"
#else
#define PICTURE_KINDS "PGM or PPM"
#endif

/** The file that --image names. */
typedef struct {
    int width, height;
    int channels;         /**< 1: grey, 3: red, green, blue */
    const uint8_t *pixel; /**< [height x width x channels] */
} picture;

/* ---- read --------------------------------------------------------------- */

/** All of a file; @p size its bytes. */
static uint8_t *read_all(const char *path, size_t *size)
{
    struct stat about;
    FILE *in = fopen(path, "rb");
    REQUIRE(in && fstat(fileno(in), &about) == 0, "--image %s: %s", path,
            strerror(errno));
    REQUIRE(S_ISREG(about.st_mode), "--image %s: not a regular file", path);
    *size = (size_t)about.st_size;
    uint8_t *bytes = (uint8_t *)host_alloc(*size + 1);
    size_t got = fread(bytes, 1, *size, in);
    REQUIRE(got == *size, "--image %s: only %zu of its %zu bytes can be read",
            path, got, *size);
    fclose(in);
    bytes[*size] = 0; // a number at the end ends there
    return bytes;
}

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
    while (isdigit(*c) && number <= 100000000)
        number = 10 * number + (*c++ - '0');
    *at = c;
    return number;
}

/** P5 or P6, width, height, 255, one blank, then the samples. */
static picture parse_pnm(const char *path, const uint8_t *bytes, size_t size)
{
    bool known =
        size > 2 && bytes[0] == 'P' && (bytes[1] == '5' || bytes[1] == '6');
    REQUIRE(known,
            "--image %s: not a picture that can be read; allowed are "
            "%s (P5, P6)",
            path, PICTURE_KINDS);
    const uint8_t *at = bytes + 2;
    long width = next_number(&at), height = next_number(&at);
    long white = next_number(&at);
    REQUIRE(width > 0 && height > 0 && white > 0 && isspace(*at),
            "--image %s: its header is not that of a PGM or PPM", path);
    REQUIRE(white == 255, "--image %s: its white is %ld; allowed is 255", path,
            white);
    int channels = bytes[1] == '6' ? 3 : 1;
    double wanted = (double)width * (double)height * channels;
    size_t there = size - (size_t)(at + 1 - bytes);
    REQUIRE((double)there >= wanted,
            "--image %s: truncated: %zu bytes of %.0f samples, %ld x %ld", path,
            there, wanted, width, height);
    return (picture){(int)width, (int)height, channels, at + 1};
}

#ifdef WITH_PNG
/** PNG of 8 bits a sample, without transparency. */
static picture parse_png(const char *path, const uint8_t *bytes, size_t size)
{
    png_image png = {};
    png.version = PNG_IMAGE_VERSION;
    bool ok = png_image_begin_read_from_memory(&png, bytes, size);
    REQUIRE(ok, "--image %s: %s", path, png.message);
    REQUIRE(!(png.format & (PNG_FORMAT_FLAG_LINEAR | PNG_FORMAT_FLAG_ALPHA)),
            "--image %s: allowed are 8 bits a sample without transparency",
            path);
    bool colour = png.format & PNG_FORMAT_FLAG_COLOR;
    png.format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    uint8_t *pixel = (uint8_t *)host_alloc(PNG_IMAGE_SIZE(png));
    ok = png_image_finish_read(&png, NULL, pixel, 0, NULL);
    REQUIRE(ok && png.warning_or_error == 0, "--image %s: %s", path,
            png.message);
    return (picture){(int)png.width, (int)png.height, colour ? 3 : 1, pixel};
}
#endif

/** The picture in a file, read once, or a refusal. */
static const picture *picture_read(const char *path)
{
    static picture p;
    size_t size;
    if (p.pixel)
        return &p;
    const uint8_t *bytes = read_all(path, &size);
    REQUIRE(size > 0, "--image %s: empty", path);
#ifdef WITH_PNG
    if (size >= 8 && png_sig_cmp(bytes, 0, 8) == 0)
        p = parse_png(path, bytes, size);
    else
#endif
        p = parse_pnm(path, bytes, size);
    return &p;
}

static float picture_grey(const picture *p, int row, int col)
{
    const uint8_t *at = p->pixel + ((size_t)row * p->width + col) * p->channels;
    if (p->channels == 1)
        return at[0];
    return (299 * at[0] + 587 * at[1] + 114 * at[2]) / 1000.0f;
}

/* ---- draw --------------------------------------------------------------- */

/** Without a file: a disc over a slope, stripes below, squares on the right. */
static float picture_drawn(int64_t width, int64_t height, int row, int col)
{
    double u = (double)col / width, v = (double)row / height;
    double from_middle = (u - 0.4) * (u - 0.4) + (v - 0.4) * (v - 0.4);
    if (v > 0.8)
        return (int)(400 * u * u) % 2 ? 230 : 20; // narrower and narrower
    if (u > 0.8)
        return ((int)(40 * u) + (int)(40 * v)) % 2 ? 200 : 60;
    return from_middle < 0.06 ? 250 : (float)(int)(40 + 120 * v);
}

/* ---- write -------------------------------------------------------------- */

/** Refuse a place for --out before the work begins, not behind it. */
static void picture_require_place(const char *path)
{
    struct stat about;
    size_t folder = strlen(path); // of the name: up to the last slash
    while (folder > 0 && path[folder - 1] != '/')
        folder--;
    char *parent = (char *)host_alloc(folder + 2);
    snprintf(parent, folder + 2, "%.*s", folder ? (int)folder : 1,
             folder ? path : ".");
    REQUIRE(stat(path, &about) != 0 || S_ISREG(about.st_mode),
            "--out %s: not a regular file", path);
    REQUIRE(path[folder] && access(parent, W_OK) == 0, "--out %s: %s", path,
            path[folder] ? strerror(errno) : "a folder");
    free(parent);
}

/** The bytes of a result. */
static uint8_t *to_bytes(const float *y, int width, int height, int pitch,
                         bool magnitude)
{
    uint8_t *bytes = (uint8_t *)host_alloc((size_t)width * height);
    for (int row = 0; row < height; row++) {
        for (int col = 0; col < width; col++) {
            float value = y[(size_t)row * pitch + col];
            value = magnitude ? fabsf(value) : value;
            value = fminf(fmaxf(value + 0.5f, 0), 255);
            bytes[(size_t)row * width + col] = (uint8_t)value;
        }
    }
    return bytes;
}

/** Write a file of grey samples. @return false: errno says why */
static bool write_file(const char *path, const uint8_t *bytes, int width,
                       int height, bool png)
{
#ifdef WITH_PNG
    if (png) {
        png_image about = {};
        about.version = PNG_IMAGE_VERSION;
        about.width = (unsigned)width;
        about.height = (unsigned)height;
        about.format = PNG_FORMAT_GRAY;
        errno = EIO;
        return png_image_write_to_file(&about, path, 0, bytes, 0, NULL);
    }
#else
    (void)png;
#endif
    size_t count = (size_t)width * height;
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    fprintf(file, "P5\n%d %d\n255\n", width, height);
    bool ok = fwrite(bytes, 1, count, file) == count;
    return fclose(file) == 0 && ok;
}

/**
 * Write a result whole or not at all: under another name first, which then
 * takes the place of what was there.
 */
static void picture_write(const char *path, const float *y, int width,
                          int height, int pitch, bool magnitude)
{
    size_t length = strlen(path);
    bool png = length > 4 && strcmp(path + length - 4, ".png") == 0;
    char *part = (char *)host_alloc(length + 6);
    uint8_t *bytes = to_bytes(y, width, height, pitch, magnitude);
    snprintf(part, length + 6, "%s.part", path);
    if (!write_file(part, bytes, width, height, png) ||
        rename(part, path) != 0) {
        int error = errno;
        remove(part);
        options_refuse("--out %s: %s", path, strerror(error));
    }
    free(bytes);
    free(part);
}
