/**
 * @file reduction.cu
 * @brief Reduction in nine ways: the sum, minimum or maximum of n numbers.
 *
 * Each variant is a file of kernels/, numbered in the order of reading;
 * device.cuh there has what they share. In host/ are the problem, its inputs,
 * what is right, and what we compare with (library).
 *
 * Run:     make chapter=reduction run
 *          make chapter=reduction run variant=ticket args="--op max"
 * Measure: make chapter=reduction compare
 *
 * What comes of NaN: a sum with a NaN is NaN. min and max pass over NaN, as
 * fminf() and fmaxf() do; of nothing but NaN they give the identity, +Inf and
 * -Inf, as of nothing at all.
 */

#include "host/problem.cuh"

/* ---- variants ----------------------------------------------------------- */

#include "kernels/1_divergent.cuh"
#include "kernels/2_convergent.cuh"
#include "kernels/3_shared.cuh"
#include "kernels/4_segmented.cuh"
#include "kernels/5_coarsened.cuh"
#include "kernels/6_wide.cuh"
#include "kernels/7_ahead.cuh"
#include "kernels/8_warp_shuffle.cuh"
#include "kernels/9_ticket.cuh"

ENQUEUE(divergent)
ENQUEUE(convergent)
ENQUEUE(shared)
ENQUEUE(segmented)
ENQUEUE(coarsened)
ENQUEUE(wide)
ENQUEUE(ahead)
ENQUEUE(warp_shuffle)
ENQUEUE(ticket)

static const variant variants[] = {
    {"divergent", "one block, a tree whose stride doubles", divergent},
    {"convergent", "the stride halves: whole warps drop out", convergent},
    {"shared", "the tree in shared memory", shared},
    {"segmented", "a block for each section, an atomic at its end", segmented},
    {"coarsened", "few blocks; a thread adds many elements first", coarsened},
    {"wide", "a load brings four elements", wide},
    {"ahead", "several loads are under way at a time", ahead},
    {"warp_shuffle", "sums go from register to register", warp_shuffle},
    {"ticket", "one launch: the last block to end finishes", ticket},
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
