// Tensor cores step 2, the exercise: fragments by ordinary loads.
#include "gemm_bf16.h"

#include "ptx.cuh"

#define TILE 32     /**< edge of the tile of C of a block */
#define STEP 16     /**< step along K */
#define PAD 8       /**< elements after each row in shared memory */
#define THREADS 128 /**< of a block: 4 warps, 16 x 16 elements of C each */

/** Two elements as a register holds them, the first one in the lower half. */
static __device__ uint32_t two(bfloat16 first, bfloat16 second)
{
    __nv_bfloat162 pair(first, second);
    return *(uint32_t *)&pair;
}

/** Eight neighbours of a row, or zeros where there are none. */
static __device__ uint4 eight(const bfloat16 *x, bool there)
{
    uint4 zeros = {0, 0, 0, 0};
    return there ? *(const uint4 *)x : zeros;
}

/**
 * One warp computes 16 x 16 elements of C. Half of the threads bring a tile of
 * A, half one of B, 8 elements each.
 *
 * Launch: block THREADS, grid (ceil(N / TILE), ceil(M / TILE)).
 */
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A, int lda,
                const bfloat16 *B, int ldb, float beta, bfloat16 *C, int ldc)
{
    __shared__ __align__(16) bfloat16 As[TILE][STEP + PAD];
    __shared__ __align__(16) bfloat16 Bs[STEP][TILE + PAD];
    int row = blockIdx.y * TILE, col = blockIdx.x * TILE; // of the tile of C
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int y = warp / 2 * 16, x = warp % 2 * 16; // of the warp's part in it
    int piece = threadIdx.x % 64;             // that this thread brings
    int a_row = piece / 2, a_k = piece % 2 * 8;
    int b_k = piece / 4, b_col = piece % 4 * 8;
    float sum[2][4] = {};

    for (int k = 0; k < K; k += STEP) {
        if (threadIdx.x < 64)
            *(uint4 *)&As[a_row][a_k] =
                eight(A + (int64_t)(row + a_row) * lda + k + a_k,
                      row + a_row < M && k + a_k < K);
        else
            *(uint4 *)&Bs[b_k][b_col] =
                eight(B + (int64_t)(k + b_k) * ldb + col + b_col,
                      k + b_k < K && col + b_col < N);
        __syncthreads(); // both tiles are complete

        uint32_t a[4] = {}, b[2][2] = {};
        // [write 8] this lane's registers of a, from rows y to y + 15 of As,
        // and of b[0] and b[1], from columns x to x + 7 and x + 8 to x + 15 of
        // Bs, without ldmatrix
        for (int r = 0; r < 4; r++)
            a[r] = *(const uint32_t *)&As[y + r % 2 * 8 + lane / 4]
                                         [r / 2 * 8 + lane % 4 * 2];
        for (int r = 0; r < 4; r++) {
            int at = r % 2 * 8 + lane % 4 * 2, j = x + r / 2 * 8 + lane / 4;
            b[r / 2][r % 2] = two(Bs[at][j], Bs[at + 1][j]);
        }
        // [end]
        for (int j = 0; j < 2; j++)
            mma_m16n8k16(sum[j], a, b[j]);
        __syncthreads(); // everyone has finished reading
    }

    row += y + lane / 4; // of this lane's first pair of C
    col += x + lane % 4 * 2;
    for (int j = 0; j < 2; j++)
        for (int h = 0; h < 2; h++)
            if (row + h * 8 < M)
                store_pair(C + (int64_t)(row + h * 8) * ldc + col + j * 8,
                           alpha, &sum[j][h * 2], beta, N - col - j * 8);
}

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_bf16_problem *p)
{
    dim3 grid(ceil_div(p->N, TILE), ceil_div(p->M, TILE));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * TILE);
    gemm_kernel<<<grid, THREADS>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda,
                                   p->B, p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, THREADS, 0);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_02_mma", launch, 80, 0);
}
