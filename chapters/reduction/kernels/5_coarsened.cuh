/**
 * @file 5_coarsened.cuh
 * @brief Few blocks, whose threads add many elements before the tree begins.
 *
 * Change: the grid is as large as the GPU, not as the input. A thread goes
 *         through x in steps as long as the grid and adds in a register; then
 *         its block has one tree.
 * Reason: there is a tree and an atomic for each of 528 blocks, not for each
 *         of n / 1024 sections.
 * Limit:  a thread asks for 4 bytes, waits for them, and asks for the next.
 * Uses:   reduce_tree (4)
 */

/**
 * Thread t of all threads takes elements t, t + threads, t + 2 * threads, ...
 *
 * Launch: block BLOCK, grid full_grid(n, BLOCK), after identity_kernel.
 */
template <operation OP>
__global__ void __launch_bounds__(BLOCK)
    coarsened_kernel(int64_t n, const float *x, float *result)
{
    // [coarsened]
    int64_t threads = (int64_t)gridDim.x * BLOCK;
    int64_t thread = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    float value = identity<OP>();
#pragma unroll 1 // or nvcc makes several loads at once, as variant 7 does
    for (int64_t i = thread; i < n; i += threads)
        value = combine<OP>(value, x[i]);
    value = reduce_tree<OP>(value);
    if (threadIdx.x == 0)
        combine_atomically<OP>(result, value);
    // [coarsened]
}

template <operation OP>
static void launch_coarsened(const reduction *r)
{
    unsigned grid = full_grid(r->n, BLOCK);
    identity_kernel<OP><<<1, 1>>>(r->result);
    CHECK_LAUNCH(identity_kernel<OP>, 1, 1, 0);
    coarsened_kernel<OP><<<grid, BLOCK>>>(r->n, r->x, r->result);
    CHECK_LAUNCH(coarsened_kernel<OP>, grid, BLOCK, 0);
}
