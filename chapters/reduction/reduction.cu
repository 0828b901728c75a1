/**
 * @file reduction.cu
 * @brief Reduction in seven ways: the sum, minimum or maximum of n numbers.
 *
 * Each variant is a file, numbered in the order of reading. problem.cuh has
 * what they share: the problem, its inputs, what is right.
 *
 * Run:     make chapter=reduction run
 *          make chapter=reduction run variant=single_pass args="--op max"
 * Measure: make chapter=reduction compare
 *
 * What comes of NaN: a sum with a NaN is NaN. min and max pass over NaN, as
 * fminf() and fmaxf() do; of nothing but NaN they give the identity, +Inf and
 * -Inf, as of nothing at all.
 */

#include "problem.cuh"

/* ---- variants ----------------------------------------------------------- */

#include "1_divergent.cuh"
#include "2_convergent.cuh"
#include "3_shared.cuh"
#include "4_segmented.cuh"
#include "5_coarsened.cuh"
#include "6_warp_shuffle.cuh"
#include "7_single_pass.cuh"

ENQUEUE(divergent)
ENQUEUE(convergent)
ENQUEUE(shared)
ENQUEUE(segmented)
ENQUEUE(coarsened)
ENQUEUE(warp_shuffle)
ENQUEUE(single_pass)

static const variant variants[] = {
    {"divergent", "one block, a tree whose stride doubles", divergent},
    {"convergent", "the stride halves: whole warps drop out", convergent},
    {"shared", "the tree in shared memory", shared},
    {"segmented", "a block for each section, an atomic at its end", segmented},
    {"coarsened", "threads add many elements, 16 bytes a load", coarsened},
    {"warp_shuffle", "sums go from register to register", warp_shuffle},
    {"single_pass", "one launch: the last block finishes", single_pass},
};

/** Columns of the table in the simulator. */
static const char *const columns[] = {"global_load_sectors",
                                      "shared_load_wavefronts", "barriers",
                                      "lanes_per_instruction", NULL};

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    e.columns = columns;
    variants_open(&e, argc, argv);
    e.exact = problem.op == SUM ? 1 : 2;
    variants_verify(&e);
    variants_time(&e);
    return variants_close(&e);
}
