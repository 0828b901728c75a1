/**
 * @file 7_single_pass.cuh
 * @brief One launch: the last block waits for the others and finishes.
 *
 * Change: a block leaves its value in a slot of its own. The last block takes
 *         them from there, in the order of the slots, and stores the result.
 * Reason: no launch before to set the result, and no queue at one word. The
 *         order of additions no longer depends on which block is faster: equal
 *         inputs give equal bits.
 * Limit:  the memory itself; at small n the last block, which begins its tree
 *         when the slowest of the others has left its value.
 */

#ifndef SLOTS
#define SLOTS 4 /**< that a thread of the last block looks after, at most */
#endif
#define MAX_BLOCKS (SLOTS * THREADS + 1) /**< of the grid */

/**
 * A value of each block but the last one, with FILLED above it until it is
 * taken. All are 0 when the program begins and after each launch: so no two
 * launches may run at the same time, and in one stream they do not.
 */
__device__ unsigned long long slots[MAX_BLOCKS - 1];

#define FILLED (1ull << 32) /**< above the value: the word is more than 0 */

// [slots]
/** Flag and value are one word: who sees the one has the other. */
__device__ void leave(int slot, float value)
{
    atomicExch(&slots[slot], FILLED | __float_as_uint(value));
}

/** Wait for the first @p count slots; each thread combines some with @p value,
 *  always the same ones in the same order. */
template <operation OP>
__device__ float take(int count, float value)
{
    unsigned long long word[SLOTS];
#pragma unroll
    for (int k = 0; k < SLOTS; k++) { // all are asked for before one is needed
        int slot = k * THREADS + threadIdx.x;
        word[k] = slot < count ? atomicExch(&slots[slot], 0ull)
                               : FILLED | __float_as_uint(identity<OP>());
    }
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        while (word[k] == 0)
            word[k] = atomicExch(&slots[k * THREADS + threadIdx.x], 0ull);
        value = combine<OP>(value, __uint_as_float((unsigned)word[k]));
    }
    return value;
}
// [slots]

/**
 * The grid reduces x, tile by tile. The last block waits for blocks that wait
 * for nobody, so it ends, in whatever order they run.
 *
 * Launch: block THREADS, grid grid_of(n), at most MAX_BLOCKS.
 */
template <operation OP>
__global__ void __launch_bounds__(THREADS)
    single_pass_kernel(int64_t n, const float *x, float *result)
{
    // [single_pass]
    float value = reduce_thread<OP>(n, x);
    bool last = blockIdx.x == gridDim.x - 1;
    if (last)
        value = take<OP>(blockIdx.x, value);
    value = reduce_block<OP>(value);
    if (threadIdx.x == 0) {
        if (last)
            *result = value;
        else
            leave(blockIdx.x, value);
    }
    // [single_pass]
}

template <operation OP>
static void launch_single_pass(const reduction *r)
{
    unsigned grid = min(grid_of(r->n), (unsigned)MAX_BLOCKS);
    single_pass_kernel<OP><<<grid, THREADS>>>(r->n, r->x, r->result);
    CHECK_LAUNCH(single_pass_kernel<OP>, grid, THREADS, 0);
}
