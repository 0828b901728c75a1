/**
 * @file stencil.cu
 * @brief A 3-D stencil in five ways: cells and their neighbours, weighted.
 *
 * A box of nx x ny x nz cells, x fastest. Each becomes a weighted mean of
 * itself and its neighbours: 6 with radius 1 (7 points), with radius 2 the next
 * ones in the same directions as well (13 points). **Cells within `radius` of a
 * face keep their value**: they are copied. A sweep over all cells is a launch;
 * --steps sweeps are a run, which goes to and fro between two arrays and leaves
 * the input as it is.
 *
 * Each variant is a file of kernels/, numbered in the order of reading;
 * device.cuh there has what they share. In host/ are the options and the inputs
 * (problem), what is right (reference), and what we compare with (library).
 *
 * Run:     make chapter=stencil run
 *          make chapter=stencil run args="--N 64 --steps 20 --out heat.ppm"
 * Measure: make chapter=stencil compare
 */

#include "host/problem.cuh"

/* ---- variants ------------------------------------------------------------ */

#include "kernels/1_basic.cuh"
#include "kernels/2_tiled.cuh"
#include "kernels/3_coarsened.cuh"
#include "kernels/4_register.cuh"
#include "kernels/5_vector.cuh"

/** Which variant ran last: it makes the picture. */
static void (*ran_last)(const void *problem);

/** NAME(problem) has all steps done by step_NAME, for the radius asked for. */
#define ENQUEUE(name)                                                          \
    static void name(const void *problem)                                      \
    {                                                                          \
        const stencil *s = (const stencil *)problem;                           \
        ran_last = name;                                                       \
        run_steps(s, s->radius == 1 ? step_##name<1> : step_##name<2>);        \
    }

ENQUEUE(basic)
ENQUEUE(tiled)
ENQUEUE(coarsened)
ENQUEUE(registers)
ENQUEUE(vector)

static const variant variants[] = {
    {"basic", "a thread for each cell, every neighbour from memory", basic},
    {"tiled", "a block brings a cube of cells into shared memory", tiled},
    {"coarsened", "a block marches along z with its planes in shared memory",
     coarsened},
    {"register", "what stands above and below stays in registers", registers},
    {"vector", "four cells a thread, 16 bytes an access, no shared memory",
     vector},
};

/** Columns of the table in the simulator. */
static const char *const columns[] = {"ffma", "global_load_requests",
                                      "global_load_sectors",
                                      "shared_load_requests", NULL};

#include "host/picture.cuh"

/* ---- main ---------------------------------------------------------------- */

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    e.columns = columns;
    e.option_count++; // --out
    variants_open(&e, argc, argv);
    if (out_picture)
        picture_require("--out", out_picture, 3);
    e.exact = problem.steps <= exact_steps(problem.radius) ? 1 : 0;
    variants_verify(&e);
    variants_time(&e);
    free(level);
    device_free(d_level);
    int status = variants_close(&e);
    if (out_picture && status == EXIT_VERIFIED)
        picture_of_heat(&problem, ran_last, out_picture);
    return status;
}
