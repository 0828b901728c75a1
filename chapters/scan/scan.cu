/**
 * @file scan.cu
 * @brief Scan in ten ways: y[i] is the sum, or maximum, of x[0] to x[i].
 *
 * That is the inclusive scan; the exclusive one leaves x[i] out, and begins
 * with the identity: 0 for sums, -Inf for maxima. A sum with a NaN is NaN;
 * maxima pass over NaN behind a number, as fmaxf() does.
 *
 * Each variant is a file of kernels/, numbered in the order of reading; `Uses:`
 * in its head names what it takes from others, device.cuh has what all use. In
 * host/ are the options (problem), the inputs and what is right (reference),
 * and what we compare with (library).
 *
 * Run:     make chapter=scan run
 *          make chapter=scan run variant=ring args="--kind exclusive --op max"
 * Measure: make chapter=scan compare
 */

#include "host/problem.cuh"

/* ---- variants ------------------------------------------------------------ */

#include "kernels/01_kogge_stone.cuh"
#include "kernels/02_kogge_stone_double_buffer.cuh"
#include "kernels/03_brent_kung.cuh"
#include "kernels/04_three_phase.cuh"
#include "kernels/05_three_kernels.cuh"
#include "kernels/06_shuffles.cuh"
#include "kernels/07_registers.cuh"
#include "kernels/08_chained.cuh"
#include "kernels/09_look_back.cuh"
#include "kernels/10_ring.cuh"

ENQUEUE(kogge_stone)
ENQUEUE(kogge_stone_double_buffer)
ENQUEUE(brent_kung)
ENQUEUE(three_phase)
ENQUEUE(three_kernels)
ENQUEUE(shuffles)
ENQUEUE(registers)
ENQUEUE(chained)
ENQUEUE(look_back)
ENQUEUE(ring)

static const variant variants[] = {
    {"kogge_stone", "each thread adds what stands 1, 2, 4, ... before it",
     kogge_stone},
    {"kogge_stone_double_buffer", "the same from one array into another",
     kogge_stone_double_buffer},
    {"brent_kung", "up a tree of sums and down again", brent_kung},
    {"three_phase",
     "a thread scans its own elements, then the sums are scanned", three_phase},
    {"three_kernels", "all SMs: sums of sections, their scan, the sections",
     three_kernels},
    {"shuffles", "lanes hand values on by shuffles", shuffles},
    {"registers", "a block's tile stays in registers", registers},
    {"chained", "one launch: each block waits for the sum of the one before",
     chained},
    {"look_back", "who waits adds up what the blocks before have so far",
     look_back},
    {"ring", "one block an SM, bulk copies under way all the time", ring,
     ring_open},
};

/** Columns of the table in the simulator. */
static const char *const columns[] = {
    "fadd", "global_load_sectors", "shared_load_wavefronts", "barriers", NULL};

/* ---- main ---------------------------------------------------------------- */

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    e.columns = columns;
    variants_open(&e, argc, argv);
    e.exact = problem.op == SUM ? 1 : 2;
    variants_verify(&e);
    variants_time(&e);
    free(before);
    return variants_close(&e);
}
