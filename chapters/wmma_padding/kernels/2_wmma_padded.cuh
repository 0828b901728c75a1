/**
 * @file 2_wmma_padded.cuh
 * @brief The same with 8 halves, 16 bytes, after each row of both tiles.
 *
 * Change: PAD is 8 instead of 0.
 * Reason: a row of the tile of A is 20 words then. Eight rows begin at banks 0,
 *         20, 8, 28, 16, 4, 24, 12: their 16 bytes fill all 32 banks once. A
 *         row of that of B is 132 words: 0, 4, 8, 12 and so on.
 * Limit:  2560 bytes of 27,136 hold nothing.
 * Uses:   wmma_kernel, product_grid (1)
 */

static void wmma_padded(const void *problem)
{
    product p = *(const product *)problem;
    dim3 grid = product_grid(&p);
    wmma_kernel<8><<<grid, THREADS>>>(p);
    CHECK_LAUNCH(wmma_kernel<8>, grid, THREADS, 0);
}
