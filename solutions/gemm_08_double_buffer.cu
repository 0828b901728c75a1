// GEMM step 8, the exercise: a load has the time of a tile to arrive.
#include "gemm.h"

#define TILE 32          /**< edge of all tiles (elements) */
#define FOURS (TILE / 4) /**< float4 of a row of a tile, and its threads */
#define THREADS (TILE * FOURS) /**< threads of one block: 256 */

/** Four neighbours, or zeros where there are none. */
static __device__ float4 fetch(bool there, const float *from)
{
    return there ? *(const float4 *)from : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
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
 * One thread computes four neighbours of a row of C, and brings four words of
 * each tile.
 *
 * Launch: block (THREADS), grid (ceil(N / TILE), ceil(M / TILE)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    __shared__ __align__(16) float As[2][TILE][TILE];
    __shared__ __align__(16) float Bs[2][TILE][TILE];
    int y = threadIdx.x / FOURS, x = threadIdx.x % FOURS * 4;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    A += (int64_t)row * lda + x; // what this thread brings of the first tile
    B += (int64_t)y * ldb + col;

    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    // [write 16] the first tiles into As[0] and Bs[0]; then for each tile:
    // fetch the next one into registers, multiply this one, put the next one
    // into the other buffer, wait
    *(float4 *)&As[0][y][x] = fetch(row < M && x < K, A);
    *(float4 *)&Bs[0][y][x] = fetch(y < K && col < N, B);
    __syncthreads(); // the first tiles are complete
    int now = 0;
    for (int left = K; left > 0; left -= TILE) {
        A += TILE;
        B += (int64_t)TILE * ldb;
        float4 a_next = fetch(row < M && TILE + x < left, A);
        float4 b_next = fetch(TILE + y < left && col < N, B);
        multiply(&sum, As[now][y], Bs[now], x);
        now ^= 1;
        *(float4 *)&As[now][y][x] = a_next;
        *(float4 *)&Bs[now][y][x] = b_next;
        __syncthreads(); // the next tiles are complete, these read by all
    }
    //: *(float4 *)&As[0][y][x] = fetch(row < M && x < K, A);
    //: *(float4 *)&Bs[0][y][x] = fetch(y < K && col < N, B);
    //: __syncthreads(); // the first tiles are complete
    //: multiply(&sum, As[0][y], Bs[0], x);
    // [end]

    const float sums[4] = {sum.x, sum.y, sum.z, sum.w};
    C += (int64_t)row * ldc + col;
    for (int j = 0; j < 4; j++) {
        float new_c = alpha * sums[j];
        if (row < M && col + j < N)
            C[j] = beta == 0.0f ? new_c : new_c + beta * C[j];
    }
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
    return gemm_main(argc, argv, "gemm_08_double_buffer", launch);
}
