/**
 * @file conv.cu
 * @brief Convolution of a picture in six ways.
 *
 *     y[row][col] = sum over i, j of f[i][j] * x[row + i - R][col + j - R]
 *
 * x and y are [height x width], float32, one number a pixel; f is a filter of
 * (2R + 1) x (2R + 1) weights, R its radius. Outside of the picture x is 0.
 * (In mathematics that is a correlation; a convolution turns f by 180 degrees.)
 *
 * Each variant is a file of kernels/, numbered in the order of reading;
 * device.cuh there has what they share. In host/ are the options and the inputs
 * (problem), what is right (reference), the filters, what the grey of a pixel
 * is (picture), and what we compare with (library).
 *
 * Run:     make chapter=conv run
 *          make chapter=conv run args="--image chapters/conv/picture.pgm
 *              --filter sobel --radius 1 --out edges.pgm"
 * Measure: make chapter=conv compare args="--radius 7"
 */

#include "host/problem.cuh"

/* ---- variants ----------------------------------------------------------- */

#include "kernels/1_basic.cuh"
#include "kernels/2_constant.cuh"
#include "kernels/3_tiled.cuh"
#include "kernels/4_cached_halo.cuh"
#include "kernels/5_register_window.cuh"
#include "kernels/6_separable.cuh"

/** NAME(problem) calls launch_NAME<R> for the radius R that was asked for. */
#define ENQUEUE(name)                                                          \
    static void name(const void *problem)                                      \
    {                                                                          \
        FOR_RADIUS(launch_##name, (const conv *)problem);                      \
    }

ENQUEUE(basic)
ENQUEUE(constant)
ENQUEUE(tiled)
ENQUEUE(cached_halo)
ENQUEUE(register_window)
ENQUEUE(separable)

/** For a filter that is no outer product of a column and a row. */
static const char *not_separable(const void *problem)
{
    return filter_separates(((const conv *)problem)->filter)
               ? NULL
               : "its filter is no product of a column and a row; "
                 "gaussian, box and sobel are";
}

static const variant variants[] = {
    {"basic", "one thread a pixel", basic},
    {"constant", "the filter in constant memory", constant},
    {"tiled", "a tile and its halo in shared memory", tiled},
    {"cached_halo", "the tile alone; its halo from the caches", cached_halo},
    {"register_window", "a thread slides down eight columns", register_window},
    {.name = "separable",
     .idea = "along the rows first, then down the columns",
     .enqueue = separable,
     .refuse = not_separable},
};

/** Columns of the table in the simulator. */
static const char *const columns[] = {"global_load_requests",
                                      "shared_load_wavefronts",
                                      "constant_load_requests", "ffma", NULL};

/* ---- main --------------------------------------------------------------- */

/** What the last variant has left, on the host; release with free(). */
static float *read_result(void)
{
    size_t bytes = (size_t)problem.pitch * (size_t)problem.height * 4;
    float *y = (float *)host_alloc(bytes);
    CUDA_CHECK(cudaMemcpy(y, problem.y, bytes, cudaMemcpyDeviceToHost));
    return y;
}

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    e.columns = columns;
    e.option_count++; // --out
    variants_open(&e, argc, argv);
    variants_verify(&e);
    float *y = out ? read_result() : NULL; // timing ends with integers
    variants_time(&e);
    int status = variants_close(&e);
    if (out && status == EXIT_VERIFIED) {
        picture p = result_picture(y, (int)problem.width, (int)problem.height,
                                   problem.pitch, problem.filter == SOBEL);
        picture_write("--out", out, &p);
        free(p.samples);
    }
    free(y);
    free(picture_in.samples);
    return status;
}
