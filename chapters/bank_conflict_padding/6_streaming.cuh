/**
 * @file 6_streaming.cuh
 * @brief The same with stores that the L2 need not keep.
 *
 * Change: __stcs stores the four words.
 * Reason: the L2 keeps its lines for those who read.
 * Limit:  DRAM.
 * Uses:   vector_kernel (5)
 */

static void streaming(const void *problem)
{
    transposition t = *(const transposition *)problem;
    dim3 grid = tile_grid(&t, SIDE);
    vector_kernel<true><<<grid, THREADS>>>(t);
    CHECK_LAUNCH(vector_kernel<true>, grid, THREADS, 0);
}
