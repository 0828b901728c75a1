// hunt of tensor_11_every_shape
// Two blocks share K. Now and then an element is only half a sum.
#include "gemm_bf16.h"

#include "ptx.cuh"

#include <cooperative_groups.h>

#define TILE 16 /**< edge of the tile of C of a cluster */
#define SPLIT 2 /**< blocks of a cluster, each for its part of K */

/**
 * A thread sums up one element of the tile over this block's part of K. Then
 * each block adds up the parts of its half of the rows, and stores them.
 *
 * Launch: block TILE x TILE, grid (SPLIT * ceil(N / TILE), ceil(M / TILE)).
 */
__global__ void __cluster_dims__(SPLIT)
    gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A, int lda,
                const bfloat16 *B, int ldb, float beta, bfloat16 *C, int ldc)
{
    __shared__ float part[TILE][TILE];
    int rank = blockIdx.x % SPLIT, x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x / SPLIT * TILE + x;
    bool there = row < M && col < N;
    float sum = 0.0f;

    for (int k = K * rank / SPLIT; k < K * (rank + 1) / SPLIT && there; k++)
        sum += __bfloat162float(A[(int64_t)row * lda + k]) *
               __bfloat162float(B[(int64_t)k * ldb + col]);
    part[y][x] = sum;
    cluster_sync(); // the parts of all blocks are there

    if (there && y / (TILE / SPLIT) == rank) {
        float all = 0.0f;
        for (int block = 0; block < SPLIT; block++)
            all += *cooperative_groups::this_cluster().map_shared_rank(
                &part[y][x], block);
        bfloat16 *c = C + (int64_t)row * ldc + col;
        float old = beta == 0.0f ? 0.0f : beta * __bfloat162float(*c);
        *c = __float2bfloat16_rn(alpha * all + old);
    }
    // [hunt]
    cluster_sync(); // nobody ends while another reads its part
    //: __syncthreads(); // all threads have read
    // [end]
}

/** Enqueue one GEMM: a cluster for each tile of C. */
static void launch(const gemm_bf16_problem *p)
{
    dim3 grid(SPLIT * ceil_div(p->N, TILE), ceil_div(p->M, TILE));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * TILE);
    dim3 block(TILE, TILE);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_11_every_shape", launch, 90, 90);
}
