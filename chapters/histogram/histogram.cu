/**
 * @file histogram.cu
 * @brief A histogram in nine ways: how often each value occurs in n bytes.
 *
 * Each variant is a file of kernels/, numbered in the order of reading;
 * device.cuh there has what they share. In host/ are the problem, its inputs,
 * what is right, and what we compare with (library).
 *
 * Run:     make chapter=histogram run
 *          make chapter=histogram run args="--file README.md --bins letters"
 * Measure: make chapter=histogram compare args="--input uniform"
 *
 * Two kinds of bins. letters: seven bins of four letters, a-d, e-h, ... y-z;
 * bytes that are not a small letter fall into none. bytes: a bin for each of
 * the 256 values of a byte.
 *
 * A count is 32 bits wide. No bin can hold more than all n bytes, and n is at
 * most 2^32 - 1: no count overflows, whatever the input is.
 */

#include "host/problem.cuh"

/* ---- variants ----------------------------------------------------------- */

#include "kernels/1_global_atomic.cuh"
#include "kernels/2_private_global.cuh"
#include "kernels/3_private_shared.cuh"
#include "kernels/4_coarsened_contiguous.cuh"
#include "kernels/5_coarsened_interleaved.cuh"
#include "kernels/6_wide.cuh"
#include "kernels/7_aggregated.cuh"
#include "kernels/8_bank_private.cuh"
#include "kernels/9_ahead.cuh"

ENQUEUE(global_atomic)
ENQUEUE(private_global)
ENQUEUE(private_shared)
ENQUEUE(coarsened_contiguous)
ENQUEUE(coarsened_interleaved)
ENQUEUE(wide)
ENQUEUE(aggregated)
ENQUEUE(bank_private)
ENQUEUE(ahead)

static const variant variants[] = {
    {"global_atomic", "one thread a byte, one atomic in global memory",
     global_atomic},
    {"private_global", "each block counts in a copy of its own",
     private_global},
    {"private_shared", "the copy is in shared memory", private_shared},
    {"coarsened_contiguous", "few blocks; a thread takes neighbouring bytes",
     coarsened_contiguous},
    {"coarsened_interleaved", "a warp takes neighbouring bytes",
     coarsened_interleaved},
    {"wide", "a load brings sixteen bytes", wide},
    {"aggregated", "a run of equal values is one add", aggregated},
    {"bank_private", "each lane has a copy in a bank of its own", bank_private},
    {"ahead", "loads are under way while others are counted", ahead},
};

/** Columns of the table in the simulator. */
static const char *const columns[] = {
    "global_load_sectors_per_request", "global_atomic_sectors",
    "shared_atomic_requests", "shared_atomic_wavefronts", NULL};

#include "host/bars.cuh" // print_bars()

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    unsigned counts[BYTE_BINS];
    experiment e = describe(variants, COUNT(variants));
    e.columns = columns;
    variants_open(&e, argc, argv);
    variants_verify(&e);
    variants_time(&e);
    CUDA_CHECK(cudaMemcpy(counts, problem.counts,
                          (size_t)bin_count(&problem) * sizeof(unsigned),
                          cudaMemcpyDeviceToHost));
    int status = variants_close(&e);
    if (file && status == EXIT_VERIFIED)
        print_bars(&problem, counts);
    return status;
}
