// hunt of gemm_11_async
// With a third buffer it was right.

#include <cuda_pipeline_primitives.h>

#include "gemm.h"

#define TILE 32                /**< edge of all tiles (elements) */
#define FOURS (TILE / 4)       /**< float4 of a row of a tile, its threads */
#define THREADS (TILE * FOURS) /**< threads of one block: 256 */
#define STAGES 2               /**< tiles of A and of B in shared memory */

/** Begin to copy four neighbours, or zeros where there are none. */
static __device__ void copy4(float *to, const float *from, bool there)
{
    __pipeline_memcpy_async(to, from, 16, there ? 0 : 16);
}

/** Add to four sums the products of all k of a tile. */
static __device__ void multiply(float4 *sum, const float *a,
                                float Bs[TILE][TILE], int x)
{
    for (int k = 0; k < TILE; k++) {
        float4 b = *(const float4 *)&Bs[k][x];
        sum->x += a[k] * b.x;
        sum->y += a[k] * b.y;
        sum->z += a[k] * b.z;
        sum->w += a[k] * b.w;
    }
}

/**
 * One thread computes four neighbours of a row of C, and copies four words of
 * each tile.
 *
 * Launch: block (THREADS), grid (ceil(N / TILE), ceil(M / TILE)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ __align__(16) float As[STAGES][TILE][TILE];
    __shared__ __align__(16) float Bs[STAGES][TILE][TILE];
    int y = threadIdx.x / FOURS, x = threadIdx.x % FOURS * 4;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    const float *a = A + (int64_t)row * lda + x; // at the first tile of A
    const float *b = B + (int64_t)y * ldb + col; // and of B
    int tiles = ceil_div(K, TILE);

    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int t = 1 - STAGES; t < tiles; t++) {
        int to = (t + STAGES - 1) % STAGES; // where the next tiles go
        int64_t next = (int64_t)(t + STAGES - 1) * TILE; // their step along K
        if (t >= 0) {
            // [hunt]
            __pipeline_wait_prior(STAGES - 2);
            //: __pipeline_wait_prior(1);
            // [end]
            __syncthreads(); // tile t for all; tile t - 1 has been read
        }
        copy4(&As[to][y][x], a + next, row < M && next + x < K);
        copy4(&Bs[to][y][x], b + next * ldb, next + y < K && col < N);
        __pipeline_commit(); // a group for each tile, past K of zeros
        if (t >= 0)
            multiply(&sum, As[t % STAGES][y], Bs[t % STAGES], x);
    }
    __pipeline_wait_prior(0); // no copy is under way when the block ends

    const float sums[4] = {sum.x, sum.y, sum.z, sum.w};
    float *c = C + (int64_t)row * ldc + col;
    for (int j = 0; j < 4 && row < M && col + j < N; j++)
        c[j] = alpha * sums[j] + (beta == 0.0f ? 0.0f : beta * c[j]);
}

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(THREADS);
    dim3 grid(ceil_div(p->N, TILE), ceil_div(p->M, TILE));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * TILE);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_11_async", launch);
}
