/**
 * @file 5_registers.cuh
 * @brief The row stays in the registers of a block.
 *
 * Change: a thread keeps its elements in registers, 16 bytes of each load, and
 *         all its loads are under way before the first is needed. It takes
 *         exp(x - its own largest) at once; what the others have found only
 *         changes the factor at the end.
 * Reason: nothing of a row goes through shared memory but a part of each warp,
 *         and one barrier is left of two.
 * Limit:  a row of more than 16,384 elements does not fit, and fewer rows than
 *         SMs leave some of these without work.
 * Uses:   part, weight, block_merge (3), fours.cuh
 */

#include "fours.cuh"

#ifndef THREAD_FOURS
#define THREAD_FOURS 4 /**< fours of a thread, where BLOCK threads suffice */
#endif

/**
 * A block computes a row.
 *
 * Launch: as many whole warps as the row has fours for, at most BLOCK threads;
 * a block a row.
 */
template <int FOURS>
__global__ void __launch_bounds__(BLOCK) registers_kernel(softmax s)
{
    // [registers]
    cut_row r = cut(s, blockIdx.x);
    piece<FOURS> p;
    load_piece(r, threadIdx.x, blockDim.x, &p);
    part mine = exp_piece(&p);
    part all = block_merge(mine);
    float scale = weight(mine.most, all.most) / all.sum;
    store_piece(r, threadIdx.x, blockDim.x, p, scale);
    // [registers]
}

/** Threads that fours need, so many each: whole warps. */
static int threads_for(int fours, int each)
{
    return ceil_div(fours, 32 * each) * 32;
}

template <int FOURS>
static void launch_registers(const softmax *s)
{
    unsigned grid = device_blocks(s->rows, 1);
    int threads = threads_for(most_fours(s), FOURS);
    registers_kernel<FOURS><<<grid, threads>>>(*s);
    CHECK_LAUNCH(registers_kernel<FOURS>, grid, threads, 0);
}

static const char *registers_refuse(const void *problem)
{
    return most_fours((const softmax *)problem) > BLOCK * 8
               ? "a row does not fit into the registers of a block"
               : NULL;
}

static void registers(const void *problem)
{
    const softmax *s = (const softmax *)problem;
    if (most_fours(s) <= BLOCK * THREAD_FOURS)
        launch_registers<THREAD_FOURS>(s);
    else
        launch_registers<8>(s);
}
