/**
 * @file bank_conflict_padding.cu
 * @brief Transposition in five ways: where shared memory has bank conflicts.
 *
 * out[col][row] = in[row][col], float32, rows x cols.
 *
 * Each variant is a file of kernels/, numbered in the order of reading;
 * device.cuh there says which tile a block moves. In host/ are the problem, its
 * inputs, what is right, and what we compare with (library).
 *
 * Run:     make chapter=bank run
 * Measure: make chapter=bank compare
 */

#include "host/problem.cuh"

/* ---- variants ------------------------------------------------------------ */

#include "kernels/1_naive.cuh"
#include "kernels/2_tile.cuh"
#include "kernels/3_tile_padded.cuh"
#include "kernels/4_tile_swizzled.cuh"
#include "kernels/5_vector.cuh"

static const variant variants[] = {
    {"naive", "one side is a column", naive},
    {"tile", "through a tile in shared memory", tile},
    {"tile_padded", "a word after each row of the tile", tile_padded},
    {"tile_swizzled", "columns change places instead", tile_swizzled},
    {"vector", "a larger tile, 16 bytes at a time", vector},
};

/** Columns of the table in the simulator. */
static const char *const columns[] = {
    "global_load_sectors", "global_store_sectors", "shared_load_wavefronts",
    "shared_store_wavefronts", NULL};

/* ---- main ---------------------------------------------------------------- */

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    e.columns = columns;
    return variants_main(&e, argc, argv);
}
