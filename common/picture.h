/**
 * @file picture.h
 * @brief Picture files of 8 bits a sample: PGM and PPM.
 *
 * A file that cannot be used is refused in one line on stderr that names the
 * option, the file and the reason; exit status 2. tools/author/photos.py makes
 * a PNG of what is written.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Pixels, the uppermost row first. */
typedef struct {
    int width;        /**< pixels of a row, >= 1 */
    int height;       /**< rows, >= 1 */
    int channels;     /**< samples of a pixel; 1: grey, 3: red, green, blue */
    uint8_t *samples; /**< [height x width x channels]; free() releases it */
} picture;

/**
 * Read a picture, or refuse it.
 *
 * Its content says what it is: a PGM or PPM (P5, P6) with 255 as white.
 *
 * @param option  that names the file, for messages: "--image"
 * @param path    of a regular file
 */
picture picture_read(const char *option, const char *path);

/**
 * Refuse what picture_write() could not write: before a long run, not behind
 * it. Nothing is written.
 *
 * The name ends with .pgm (grey) or .ppm (in colour). What is there already
 * must be a regular file.
 *
 * @param option    that names the file: "--out"
 * @param path      of the file
 * @param channels  1 or 3, as in picture
 */
void picture_require(const char *option, const char *path, int channels);

/**
 * Write a picture whole or not at all.
 *
 * It grows in PATH.part, which then takes the place of @p path. If that fails,
 * what was there before is still there, nothing else is left, and the program
 * ends with the reason.
 *
 * @param option  as for picture_require(), which has been called
 * @param path    as well
 * @param p       what to write
 */
void picture_write(const char *option, const char *path, const picture *p);

#ifdef __cplusplus
}
#endif

#endif
