/**
 * @file problem.cuh
 * @brief Convolution: the problem, its inputs, what is right.
 */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "picture.h"
#include "variants.h"

#include "filter.cuh"
#include "picture.cuh"

/* ---- problem ------------------------------------------------------------ */

/** What a variant gets. */
typedef struct {
    int64_t width;       /**< columns of x and y, at least 1 */
    int64_t height;      /**< rows of x and y, at least 1 */
    int radius;          /**< R, 1 to MOST_RADIUS */
    int filter;          /**< a filter_kind */
    int pad;             /**< elements after each row, at least */
    int pitch;           /**< from row to row of x and y (elements), width and
                              pad rounded up to 4; past the width x is 0 */
    const float *x;      /**< [height x pitch], device, 16-byte aligned */
    const float *f;      /**< [(2R + 1) x (2R + 1)], device */
    const float *turned; /**< f turned by 180 degrees: for NPP */
    float *y;            /**< [height x pitch], device, 16-byte aligned */
    filter_weights weights; /**< the host's copy of f, and its factors */
} conv;

static conv problem;

#include "reference.cuh"

#include "library.cuh" // before short names for macros are taken

#define MOST_COLUMNS 1e9 /**< of a picture: a column still fits into an int */
#define MOST_ROWS 1e6    /**< 65,535 rows of blocks, in tiled of 18 results */
#define DEFAULT_RADIUS 2 /**< 5 x 5 weights */

static const char *image;  /**< --image, or NULL */
static const char *out;    /**< --out, or NULL */
static picture picture_in; /**< the one in the file */
static const option_spec options[] = {
    {"width", OPTION_INT64(&problem.width), 1, MOST_COLUMNS,
     "columns; if not said, the picture's, or 256 (on a GPU 8192)"},
    {"height", OPTION_INT64(&problem.height), 1, MOST_ROWS, "rows; the same"},
    {"radius", OPTION_INT(&problem.radius), 1, MOST_RADIUS,
     "the filter has 2 radius + 1 rows and columns"},
    {"filter", OPTION_CHOICE(&problem.filter), 0, 0, FILTERS},
    {"pad", OPTION_INT(&problem.pad), 0, 1 << 29, "elements after each row"},
    {"image", OPTION_TEXT(&image), 0, 0, "a picture to filter: PGM or PPM"},
    {"out", OPTION_TEXT(&out), 0, 0,
     "file for the result; without --image a picture is drawn"},
};
enum { X, F, TURNED, Y };
static array arrays[] = {
    ARRAY(conv, x, IN, FLOAT32),
    ARRAY(conv, f, IN, FLOAT32),
    ARRAY(conv, turned, IN, FLOAT32),
    ARRAY(conv, y, OUT, FLOAT32),
};

/** Rows or columns of the filter. */
static int side(const conv *c)
{
    return 2 * c->radius + 1;
}

/** No edge is a multiple of a tile, no row a multiple of four. */
static void small(void *problem)
{
    conv *c = (conv *)problem;
    c->width = 101;
    c->height = 71;
    c->pad = 0;
}

/** The width and height that were asked for, by number or by a picture. */
static void complete(conv *c)
{
    int side = device_simulated() ? 256 : 8192;
    bool said = c->width > 0 || c->height > 0;
    REQUIRE(!image || !said,
            "--image %s: the picture has its own --width and --height", image);
    if (image) {
        picture_in = picture_read("--image", image);
        c->width = picture_in.width;
        c->height = picture_in.height;
        REQUIRE(c->height <= MOST_ROWS, "--image %s: at most %.0f rows", image,
                MOST_ROWS);
    }
    c->width = c->width > 0 ? c->width : side;
    c->height = c->height > 0 ? c->height : side;
    if (out)
        picture_require("--out", out, 1);
}

static void shape(void *sizes, array *arrays)
{
    conv *c = (conv *)sizes;
    if (c == &problem)
        complete(c);
    c->pitch = (int)((c->width + c->pad + 3) / 4 * 4);
    array_2d(&arrays[X], c->height, c->width, c->pitch);
    array_1d(&arrays[F], side(c) * side(c));
    array_1d(&arrays[TURNED], side(c) * side(c));
    array_2d(&arrays[Y], c->height, c->width, c->pitch);
}

/* ---- inputs ------------------------------------------------------------- */

/** The picture in the file, or a drawn one of the right size. */
static void fill_picture(const conv *c, float *x)
{
    bool small = c->width != problem.width || c->height != problem.height;
    for (int row = 0; row < c->height; row++)
        for (int col = 0; col < c->width; col++)
            x[(int64_t)row * c->pitch + col] =
                image && !small ? grey_of(&picture_in, row, col)
                                : drawn_grey(c->width, c->height, row, col);
}

/**
 * Case 0 is exact: x has 12 bits and a sign, the weights are small integers, so
 * that no sum needs more than 24 bits. Case 1 has the weights that were asked
 * for, and random data or a picture.
 */
static const char *fill(void *problem, array *arrays, int number, uint64_t seed)
{
    conv *c = (conv *)problem;
    if (number == 0) {
        fill_integers(&arrays[X], -2047, 2047, seed);
        filter_integers(&c->weights, c->filter, c->radius, seed);
    } else {
        fill_random(&arrays[X], seed);
        filter_make(&c->weights, c->filter, c->radius, seed);
        if (image || out)
            fill_picture(c, (float *)arrays[X].host);
    }
    int last = side(c) * side(c) - 1;
    for (int i = 0; i <= last; i++) {
        ((float *)arrays[F].host)[i] = c->weights.at[i];
        ((float *)arrays[TURNED].host)[last - i] = c->weights.at[i];
    }
    return number == 0    ? "integers"
           : image || out ? "a picture"
                          : "random data";
}

/** A NaN, an Inf and in the last pixel another; or all pixels are denormal, and
 *  sums as exact as before. */
static const char *plant(void *problem, array *arrays, int round)
{
    const conv *c = (const conv *)problem;
    float *x = (float *)arrays[X].host;
    int64_t w = c->width, h = c->height;
    if (round == 2) {
        for (int64_t i = 0; i < w * h; i++)
            x[i / w * c->pitch + i % w] *= 0x1p-149f;
        return ", denormal";
    }
    x[(h / 3) * c->pitch + 2 * w / 3] = NAN;
    x[(h / 2) * c->pitch + w / 4] = INFINITY;
    x[(h - 1) * c->pitch + w - 1] = -INFINITY;
    return ", NaN and Inf";
}

/** As many products as a filter has weights, for each pixel. */
static double flop(const void *problem)
{
    const conv *c = (const conv *)problem;
    return 2.0 * side(c) * side(c) * (double)c->width * (double)c->height;
}

#include "../kernels/device.cuh"

/* ---- experiment ---------------------------------------------------------- */

/** What variants.h must know, with these variants. */
static experiment describe(const variant *variants, int count)
{
    problem.width = problem.height = -1; // not said
    problem.radius = DEFAULT_RADIUS;
    experiment e = {
        .chapter = "conv",
        .about = "Convolution of a picture with a small filter: verified, then "
                 "timed.",
        .options = options,
        .option_count = COUNT(options) - 1, // without --out
        .size_count = 4,
        .size_hint = "default size 256 x 256 in the simulator; --width and "
                     "--height change it",
        .problem = &problem,
        .problem_bytes = sizeof(problem),
        .arrays = arrays,
        .array_count = COUNT(arrays),
        .variants = variants,
        .variant_count = count,
        .cases = 2,
        .exact = 1,
        .small = small,
        .shape = shape,
        .fill = fill,
        .plant = plant,
        .plantings = 2,
        .want = want,
        .flop = flop,
    };
#if !SIMULATED
    e.libraries = libraries;
    e.library_count = COUNT(libraries);
    e.want_gpu = want_gpu;
#endif
    return e;
}
