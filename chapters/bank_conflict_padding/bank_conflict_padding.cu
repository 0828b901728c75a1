/**
 * @file bank_conflict_padding.cu
 * @brief Transposition in five ways: where shared memory has bank conflicts.
 *
 * Each variant is a file of kernels/, numbered in the order of reading; `Uses:`
 * in its head names what it takes from others, device.cuh says which tile a
 * block moves. In host/ are the two problems, transposition (problem) and
 * product, each with its inputs, what is right and what we compare with.
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

/* ---- the second problem ------------------------------------------------- */

#include "host/product.cuh"

/** What follows --NAME, or --NAME=; NULL if it is not there. */
static const char *given(int argc, char **argv, const char *name)
{
    size_t length = strlen(name);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], name, length) != 0)
            continue;
        if (argv[i][length] == '=')
            return argv[i] + length + 1;
        if (argv[i][length] == 0 && i + 1 < argc)
            return argv[i + 1];
    }
    return NULL;
}

/** Is the product meant: by --problem, or by the name of a variant? */
static bool product_meant(int argc, char **argv)
{
    const char *asked = given(argc, argv, "--problem");
    if (asked)
        return strcmp(asked, "product") == 0;
    const char *name = given(argc, argv, "--variant");
    for (int i = 0; name && i < COUNT(product_variants); i++)
        if (strcmp(name, product_variants[i].name) == 0)
            return true;
    return false;
}

/* ---- main ---------------------------------------------------------------- */

static experiment transpose_experiment(void)
{
    experiment e = describe(variants, COUNT(variants));
    e.columns = columns;
    e.option_count++; // --problem
    return e;
}

int main(int argc, char **argv)
{
    experiment e = product_meant(argc, argv) ? product_experiment()
                                             : transpose_experiment();
    return variants_main(&e, argc, argv);
}
