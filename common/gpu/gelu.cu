/**
 * @file gelu.cu
 * @brief C = gelu(C + bias) in a kernel of its own, as one has to behind a
 * library that does not fuse it.
 */
#include "internal.h"

#define THREADS 256 /**< of a block, each with two columns */
#define ROWS 16     /**< of C, one after the other */

/** Launch: block THREADS, grid (ceil(N / 2 / THREADS), any). */
static __global__ void gelu_kernel(gemm_bf16_problem p)
{
    int col = 2 * (blockIdx.x * THREADS + threadIdx.x);
    if (col >= p.N)
        return;
    const float none[2] = {0.0f, 0.0f};
    for (int row = blockIdx.y; row < p.M; row += gridDim.y) {
        bfloat16 *C = p.C + (int64_t)row * p.ldc + col;
        put_pair(C, pair_of(C, 0.0f, none, 1.0f, p.N - col, p.bias + col),
                 p.N - col);
    }
}

void baseline_gelu(const gemm_bf16_problem *p)
{
    int rows = ceil_div(p->M, ROWS);
    dim3 grid(ceil_div(ceil_div(p->N, 2), THREADS),
              rows < MAX_GRID_Y ? rows : MAX_GRID_Y);
    gelu_kernel<<<grid, THREADS, 0, cudaStreamPerThread>>>(*p);
    CUDA_CHECK(cudaGetLastError());
}
