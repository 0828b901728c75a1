// hunt of gemm_12_stream_k
// With alpha = 1 and beta = 0 all is well.

#include "gemm.h"

#define TILE 16   /**< edge of all tiles (elements) */
#define PARTS 4   /**< of K, each for a block of its own */
#define TILES 256 /**< of C, at most */

static __device__ float partial[TILES][PARTS][TILE][TILE];
static __device__ unsigned done[TILES]; /**< parts of each tile */

/**
 * PARTS blocks share a tile of C. Each has a part of K; the last one that is
 * done adds up all parts.
 *
 * Launch: block (TILE, TILE), grid (ceil(N / TILE), ceil(M / TILE), PARTS).
 */
__global__ void gemm_kernel(gemm_problem p)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    __shared__ bool last;
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    int tile = blockIdx.y * gridDim.x + blockIdx.x, part = blockIdx.z;
    int64_t steps = ceil_div(p.K, TILE);
    int64_t end = steps * (part + 1) / PARTS;
    float sum = 0.0f;
    for (int64_t step = steps * part / PARTS; step < end; step++) {
        int64_t first = step * TILE;
        bool in_a = row < p.M && first + x < p.K;
        bool in_b = first + y < p.K && col < p.N;
        As[y][x] = in_a ? p.A[row * (int64_t)p.lda + first + x] : 0.0f;
        Bs[y][x] = in_b ? p.B[(first + y) * p.ldb + col] : 0.0f;
        __syncthreads(); // both tiles are complete before anybody reads them
        for (int k = 0; k < TILE; k++)
            sum += As[y][k] * Bs[k][x];
        __syncthreads(); // all have read the tiles before they are replaced
    }

    partial[tile][part][y][x] = sum;
    __syncthreads(); // all of the block have stored before one says so
    if (x == 0 && y == 0) {
        __threadfence(); // the part is seen before the count
        // [hunt]
        last = atomicInc(&done[tile], PARTS - 1) == PARTS - 1; // then 0 again
        //: last = atomicAdd(&done[tile], 1) == PARTS - 1;
        // [end]
        __threadfence(); // the count is seen before the parts
    }
    __syncthreads(); // all know whether the other parts are there
    if (!last || row >= p.M || col >= p.N)
        return;

    sum = 0.0f;
    for (int i = 0; i < PARTS; i++)
        sum += __ldcg(&partial[tile][i][y][x]); // not from the L1
    float *c = p.C + (int64_t)row * p.ldc + col;
    *c = p.alpha * sum + (p.beta == 0.0f ? 0.0f : p.beta * *c);
}

/** Enqueue one GEMM: PARTS blocks for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(TILE, TILE);
    dim3 grid(ceil_div(p->N, TILE), ceil_div(p->M, TILE), PARTS);
    REQUIRE((int64_t)grid.x * grid.y <= TILES,
            "--M %d --N %d: this kernel takes at most %d tiles", p->M, p->N,
            TILES);
    gemm_kernel<<<grid, block>>>(*p);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_12_stream_k", launch);
}
