/**
 * @file wmma_padding.cu
 * @brief A matrix product on tensor cores, from tiles with and without padding.
 *
 * C = A * B, row-major: A [M x K] and B [K x N] in float16, C [M x N] in
 * float32. A warp loads fragments from tiles in shared memory, and multiplies
 * them. The two variants differ in how long a row of a tile is.
 *
 * Each variant is a file of kernels/. In host/ are the problem and its inputs,
 * what is right (reference), and what we compare with (library).
 *
 * Run:     make chapter=wmma_padding run
 * Measure: make chapter=wmma_padding compare
 */

#include "host/problem.cuh"

/* ---- variants ------------------------------------------------------------ */

#include "kernels/1_wmma.cuh"
#include "kernels/2_wmma_padded.cuh"

static const variant variants[] = {
    {"wmma", "fragments from tiles without padding", wmma_plain},
    {"wmma_padded", "8 halves after each row of the tiles", wmma_padded},
};

/** Columns of the table in the simulator. */
static const char *const columns[] = {
    "shared_matrix_requests", "shared_load_wavefronts",
    "shared_store_wavefronts", "global_load_sectors", NULL};

/* ---- main ---------------------------------------------------------------- */

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    e.columns = columns;
    return variants_main(&e, argc, argv);
}
