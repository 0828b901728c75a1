/**
 * @file problem.cuh
 * @brief Stencil: the problem, its inputs, what is right.
 */

#include <math.h>
#include <stdlib.h>

#include "picture.h"
#include "variants.h"

/* ---- problem ------------------------------------------------------------ */

#include "../kernels/device.cuh"

/** What a variant gets. */
typedef struct {
    box b;
    weights w;
    int pad;         /**< elements after each row, at least */
    int radius;      /**< 1 or 2 */
    int steps;       /**< sweeps of a run, >= 1 */
    const float *in; /**< [nz * ny x nx], device, 16-byte aligned */
    float *out;      /**< the same */
    float *other;    /**< the same, for steps between in and out */
} stencil;

static stencil problem = {.radius = 1, .steps = 1};
static int cube;                /**< --N */
static const char *out_picture; /**< --out, or NULL */

#include "library.cuh" // before short names for macros are taken

/** Blocks of 2 planes and more; a grid has 65535 of them in y and z. */
#define MAX_EDGE 131070

static const option_spec options[] = {
    {"nx", OPTION_INT(&problem.b.nx), 1, 1e9, "cells in x; 0: N"},
    {"ny", OPTION_INT(&problem.b.ny), 1, MAX_EDGE, "cells in y; 0: N"},
    {"nz", OPTION_INT(&problem.b.nz), 1, MAX_EDGE, "cells in z; 0: N"},
    {"radius", OPTION_INT(&problem.radius), 1, MAX_RADIUS,
     "neighbours in each direction"},
    {"steps", OPTION_INT(&problem.steps), 1, 1000000, "sweeps of a run"},
    {"N", OPTION_INT(&cube), 1, MAX_EDGE, "cells in x, y and z"},
    {"pad", OPTION_INT(&problem.pad), 0, 1 << 29, "elements after each row"},
    {"out", OPTION_TEXT(&out_picture), 0, 0,
     "PPM: a hot ball after the steps, plane nz / 2"},
};
#define SIZE_COUNT 5 /**< options that say how big the problem is */

enum { IN, OUT, OTHER };
static array arrays[] = {
    ARRAY(stencil, in, IN, FLOAT32),
    ARRAY(stencil, out, OUT, FLOAT32),
    ARRAY(stencil, other, SCRATCH, FLOAT32),
};

/** Several blocks in x and z, none whole; 1 cell after the last four. */
static void small(void *problem)
{
    stencil *s = (stencil *)problem;
    s->b.nx = 133;
    s->b.ny = 5;
    s->b.nz = 33;
    s->pad = 0;
}

/**
 * Heat in a wind: weights are positive and add up to 1, so no cell gets hotter
 * than the hottest. All differ, so that no two neighbours can be exchanged. And
 * they are whole 32nds (128ths), which exact data needs: see exact_steps().
 */
static weights weights_of(int radius)
{
    const weights one = {11, {0, 6}, {0, 1}, {0, 5}, {0, 2}, {0, 4}, {0, 3}};
    const weights two = {50,        {0, 12, 6}, {0, 7, 1}, {0, 11, 5},
                         {0, 8, 2}, {0, 10, 4}, {0, 9, 3}};
    weights w = radius == 1 ? one : two;
    float unit = radius == 1 ? 1.0f / 32 : 1.0f / 128;
    w.center *= unit;
    for (int d = 1; d <= MAX_RADIUS; d++) {
        w.left[d] *= unit, w.right[d] *= unit;
        w.front[d] *= unit, w.back[d] *= unit;
        w.below[d] *= unit, w.above[d] *= unit;
    }
    return w;
}

static int edge(int given)
{
    return given ? given : cube;
}

static void shape(void *problem, array *arrays)
{
    stencil *s = (stencil *)problem;
    box *b = &s->b;
    *b = (box){edge(b->nx), edge(b->ny), edge(b->nz), 0};
    b->pitch = (b->nx + s->pad + 3) / 4 * 4; // rows begin at 16 bytes
    s->w = weights_of(s->radius);
    int64_t rows = (int64_t)b->nz * b->ny;
    array_2d(&arrays[IN], rows, b->nx, b->pitch);
    array_2d(&arrays[OUT], rows, b->nx, b->pitch);
    array_2d(&arrays[OTHER], rows, b->nx, b->pitch);
}

/* ---- inputs -------------------------------------------------------------- */

static const char *fill(void *, array *arrays, int number, uint64_t seed)
{
    if (number == 0)
        fill_integers(&arrays[IN], -8, 8, seed);
    else
        fill_random(&arrays[IN], seed);
    return number == 0 ? "whole numbers" : "random data";
}

/** A NaN and four Inf inside, one for each cell of a float4, an Inf and a NaN
 *  that are copied; or most cells are denormal: multiples of 2^-128 leave 21
 *  bits for the weights of all steps. */
static const char *plant(void *problem, array *arrays, int round)
{
    const stencil *s = (const stencil *)problem;
    const box b = s->b;
    float *in = (float *)arrays[IN].host;
    if (round == 2) {
        for (int64_t i = 0; i < (int64_t)b.nz * b.ny * b.nx; i++)
            in[i / b.nx * b.pitch + i % b.nx] *= 0x1p-128f;
        return ", denormal";
    }
    in[at(b, b.nx - 9, 2, b.nz - 6)] = NAN;
    for (int x = 40; x < 44; x++)
        in[at(b, x, 2, 9)] = INFINITY;
    in[at(b, 0, 2, 12)] = -INFINITY;
    in[at(b, b.nx / 2, 0, b.nz - 1)] = NAN;
    return ", NaN and Inf";
}

/* ---- steps --------------------------------------------------------------- */

/** How a variant launches one step, for its radius. */
typedef void (*step_fn)(const stencil *s, const float *from, float *to);

/** All steps of a run: the last one writes out, the others to and fro. */
static void run_steps(const stencil *s, step_fn step)
{
    const float *from = s->in;
    for (int left = s->steps; left > 0; left--) {
        float *to = left % 2 ? s->out : s->other;
        step(s, from, to);
        from = to;
    }
}

#include "reference.cuh"

/* ---- experiment ---------------------------------------------------------- */

/** What variants.h must know, with these variants. */
static experiment describe(const variant *variants, int count)
{
    cube = device_simulated() ? 60 : 512;
    experiment e = {
        .chapter = "stencil",
        .about = "A 3-D stencil of 7 or 13 points: verified, then timed.",
        .options = options,
        .option_count = COUNT(options) - 1, // without --out
        .size_count = SIZE_COUNT,
        .size_hint = "default size 60 in the simulator; --N, --nx, --ny and "
                     "--nz change it",
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
        .expect = set_reference,
        .want = want,
    };
#if !SIMULATED
    e.libraries = libraries;
    e.library_count = COUNT(libraries);
    e.want_gpu = want_gpu;
#endif
    return e;
}
