/**
 * @file 2_grid_stride.cuh
 * @brief Vector addition by a fixed grid that walks through the vectors.
 *
 * Change: a thread adds every BLOCKS * BLOCK-th element, not just one.
 * Reason: the grid no longer grows with n. The accesses are the same: in every
 *         round the lanes of a warp still have 32 neighbours.
 * Limit:  as before, three requests for 32 numbers.
 */

#define BLOCKS 128 /**< of the grid, whatever n is */

/**
 * One thread computes z[i] for i = its number, and every `step`-th from there.
 *
 * Launch: block BLOCK, grid BLOCKS.
 */
// [grid_stride]
__global__ void grid_stride_kernel(int64_t n, const float *x, const float *y,
                                   float *z)
{
    const int64_t step = BLOCKS * BLOCK;
    for (int64_t i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += step)
        z[i] = x[i] + y[i];
}
// [grid_stride]

static void grid_stride(const void *problem)
{
    const vectors *v = (const vectors *)problem;
    grid_stride_kernel<<<BLOCKS, BLOCK>>>(v->n, v->x, v->y, v->z);
    CHECK_LAUNCH(grid_stride_kernel, BLOCKS, BLOCK, 0);
}
