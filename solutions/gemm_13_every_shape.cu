// GEMM step 13, the exercise: a few rows, too many for a vector, too few for a
// tile.
#include "gemm.h"

#define ROWS 4   /**< of C, at most, that are computed without a tile */
#define COLS 128 /**< of C for a block, four for a lane */
#define WARPS 8  /**< of a block, which share its steps along K */
#define TILE 16  /**< edge of the tiles for all other C */

/** Load four neighbours. */
static __device__ void load4(float *to, const float *from)
{
    float4 x = *(const float4 *)from;
    to[0] = x.x;
    to[1] = x.y;
    to[2] = x.z;
    to[3] = x.w;
}

/** Store four neighbours. */
static __device__ void store4(float *to, const float *from)
{
    *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
}

/** C = alpha * sum + beta * C for one element, if C has it. */
static __device__ void store(const gemm_problem &p, int row, int col, float sum)
{
    float *c = p.C + (int64_t)row * p.ldc + col;
    if (row < p.M && col < p.N)
        *c = p.alpha * sum + (p.beta == 0.0f ? 0.0f : p.beta * *c);
}

/**
 * C of at most ROWS rows. A lane has four columns, and each warp every 8th row
 * of B, as in gemv_row_kernel of the chapter.
 *
 * Launch: block (32 * WARPS), grid (ceil(N / COLS)).
 */
__global__ void few_rows_kernel(gemm_problem p)
{
    __shared__ __align__(16) float sums[WARPS][ROWS][COLS];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int first = blockIdx.x * COLS, col = first + lane * 4;
    float sum[ROWS][4] = {{0.0f}};
    // [write 9] the sums of this lane over the steps of its warp, for each row
    // that C has; each word of B is loaded once
    for (int k = warp; k < p.K && col < p.N; k += WARPS) {
        float b[4];
        load4(b, p.B + (int64_t)k * p.ldb + col);
        for (int r = 0; r < ROWS; r++) {
            float a = r < p.M ? p.A[(int64_t)r * p.lda + k] : 0.0f;
            for (int j = 0; j < 4; j++)
                sum[r][j] += a * b[j];
        }
    }
    // [end]
    for (int r = 0; r < ROWS; r++)
        store4(&sums[warp][r][lane * 4], sum[r]);
    __syncthreads(); // the sums of all warps are there
    for (int i = threadIdx.x; i < ROWS * COLS; i += blockDim.x) {
        float all = 0.0f;
        for (int w = 0; w < WARPS; w++)
            all += sums[w][i / COLS][i % COLS];
        store(p, i / COLS, first + i % COLS, all);
    }
}

/**
 * C of more rows: a thread computes one element.
 *
 * Launch: block (TILE, TILE), grid (ceil(N / TILE), ceil(M / TILE)).
 */
__global__ void tile_kernel(gemm_problem p)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int64_t first = 0; first < p.K; first += TILE) {
        bool in_a = row < p.M && first + x < p.K;
        bool in_b = first + y < p.K && col < p.N;
        As[y][x] = in_a ? p.A[(int64_t)row * p.lda + first + x] : 0.0f;
        Bs[y][x] = in_b ? p.B[(first + y) * p.ldb + col] : 0.0f;
        __syncthreads(); // both tiles are complete before anybody reads them
        for (int k = 0; k < TILE; k++)
            sum += As[y][k] * Bs[k][x];
        __syncthreads(); // all have read the tiles before they are replaced
    }
    store(p, row, col, sum);
}

/** Enqueue one GEMM by the kernel for its shape. */
static void launch(const gemm_problem *p)
{
    if (p->M <= ROWS) {
        int blocks = ceil_div(p->N, COLS);
        few_rows_kernel<<<blocks, 32 * WARPS>>>(*p);
        CHECK_LAUNCH(few_rows_kernel, blocks, 32 * WARPS, 0);
        return;
    }
    dim3 block(TILE, TILE);
    dim3 grid(ceil_div(p->N, TILE), ceil_div(p->M, TILE));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * TILE);
    tile_kernel<<<grid, block>>>(*p);
    CHECK_LAUNCH(tile_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_13_every_shape", launch);
}
