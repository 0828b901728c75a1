// hunt of gemm_10_warptile
// Right with one tile along K.

#include "gemm.h"

#define EDGE 64               /**< of the tile of C of a block */
#define BK 8                  /**< step along K */
#define SIDE (EDGE / 4)       /**< threads of a row of a block: 16 */
#define THREADS (SIDE * SIDE) /**< of a block, each computes 4 x 4 elements */

/** Load four neighbours. */
static __device__ void load4(float *to, const float *from)
{
    float4 x = *(const float4 *)from;
    to[0] = x.x;
    to[1] = x.y;
    to[2] = x.z;
    to[3] = x.w;
}

/** Bring a tile of A, transposed, and one of B; past K they hold zeros. */
static __device__ void bring(float As[BK][EDGE], float Bs[BK][EDGE],
                             const gemm_problem &p, int row, int col,
                             int64_t first)
{
    for (int i = threadIdx.x; i < EDGE * BK; i += THREADS) {
        int64_t a_k = first + i % BK, b_k = first + i / EDGE;
        int a_row = row + i / BK, b_col = col + i % EDGE;
        bool in_a = a_row < p.M && a_k < p.K, in_b = b_k < p.K && b_col < p.N;
        As[i % BK][i / BK] = in_a ? p.A[(int64_t)a_row * p.lda + a_k] : 0.0f;
        Bs[i / EDGE][i % EDGE] = in_b ? p.B[b_k * p.ldb + b_col] : 0.0f;
    }
}

/**
 * Words of A and B come into registers one step before they are multiplied:
 * those of step k + 1 while step k is computed.
 *
 * Launch: block (THREADS), grid (ceil(N / EDGE), ceil(M / EDGE)).
 */
__global__ void gemm_kernel(gemm_problem p)
{
    __shared__ __align__(16) float As[2][BK][EDGE];
    __shared__ __align__(16) float Bs[2][BK][EDGE];
    int y = threadIdx.x / SIDE * 4, x = threadIdx.x % SIDE * 4;
    int row = blockIdx.y * EDGE, col = blockIdx.x * EDGE;
    float sum[4][4] = {{0.0f}};
    float a[2][4], b[2][4]; // of this step, and of the next one

    bring(As[0], Bs[0], p, row, col, 0);
    __syncthreads(); // the first tiles are complete
    load4(a[0], &As[0][0][y]);
    load4(b[0], &Bs[0][0][x]);
    int now = 0; // the buffer that is read
    for (int64_t next = BK; next < (int64_t)p.K + BK; next += BK) {
        bring(As[now ^ 1], Bs[now ^ 1], p, row, col, next);
#pragma unroll
        for (int k = 0; k < BK; k++) {
            // [hunt]
            if (k == BK - 1) {
                __syncthreads(); // the next tiles are there, these are read
                now ^= 1;
            }
            //: if (k == BK - 1)
            //:     __syncthreads(); // the next tiles are there, these are read
            // [end]
            load4(a[(k + 1) % 2], &As[now][(k + 1) % BK][y]);
            load4(b[(k + 1) % 2], &Bs[now][(k + 1) % BK][x]);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += a[k % 2][i] * b[k % 2][j];
        }
        // [hunt]
        //: now ^= 1;
        // [end]
    }

    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            float *c = p.C + (int64_t)(row + y + i) * p.ldc + col + x + j;
            float new_c = p.alpha * sum[i][j];
            if (row + y + i < p.M && col + x + j < p.N)
                *c = p.beta == 0.0f ? new_c : new_c + p.beta * *c;
        }
    }
}

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(THREADS);
    dim3 grid(ceil_div(p->N, EDGE), ceil_div(p->M, EDGE));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * EDGE);
    gemm_kernel<<<grid, block>>>(*p);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_10_warptile", launch);
}
