// Tensor cores step 10, the exercise: tiles of C in squares.
#include "gemm_bf16.h"

#define TILE 16   /**< edge of a tile of C; a thread computes an element */
#define SIDE 4    /**< a square has so many tiles a side */
#define BLOCKS 16 /**< that stay, and work at the same time: a square */

/**
 * The first row and column of tile number t of C.
 *
 * Squares of SIDE x SIDE tiles follow each other as words of a text do: from
 * left to right, then those below; and so do the tiles of a square. At the
 * right and the lower edge of C squares have only the tiles that there are.
 */
static __host__ __device__ void place_tile(int t, int M, int N, int *row,
                                           int *col)
{
    int down = (M + TILE - 1) / TILE, across = (N + TILE - 1) / TILE;
    // [write 8] where tile t begins, first of all its square
    int above = t / (SIDE * across) * SIDE; // tiles above the square
    int height = min(SIDE, down - above);   // of all squares beside it
    int in_row = t % (SIDE * across);
    int left = in_row / (height * SIDE) * SIDE; // tiles left of the square
    int width = min(SIDE, across - left);
    int in_square = in_row % (height * SIDE);
    *row = (above + in_square / width) * TILE;
    *col = (left + in_square % width) * TILE;
    //: *row = t / across * TILE;
    //: *col = t % across * TILE;
    // [end]
}

/** A block computes one tile of C after the other. Launch: TILE x TILE. */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A,
                            int lda, const bfloat16 *B, int ldb, float beta,
                            bfloat16 *C, int ldc)
{
    int tile_count = ceil_div(M, TILE) * ceil_div(N, TILE);
    for (int t = blockIdx.x; t < tile_count; t += gridDim.x) {
        int row, col;
        place_tile(t, M, N, &row, &col);
        row += threadIdx.y;
        col += threadIdx.x;
        if (row >= M || col >= N)
            continue;
        float sum = 0.0f;
        for (int k = 0; k < K; k++)
            sum += __bfloat162float(A[(int64_t)row * lda + k]) *
                   __bfloat162float(B[(int64_t)k * ldb + col]);
        bfloat16 *c = C + (int64_t)row * ldc + col;
        float old = beta == 0.0f ? 0.0f : beta * __bfloat162float(*c);
        *c = __float2bfloat16_rn(alpha * sum + old);
    }
}

/** Refuse an order in which blocks at work need more than SIDE strips of A or
 * of B, where C is all whole squares. */
static void examine(int M, int N)
{
    int squares = TILE * SIDE, row, col;
    for (int t = 0;
         M % squares == 0 && N % squares == 0 && t < M / TILE * (N / TILE);
         t += BLOCKS) {
        uint64_t rows = 0, cols = 0; // a bit for each strip
        for (int i = t; i < t + BLOCKS; i++) {
            place_tile(i, M, N, &row, &col);
            rows |= 1ull << row / TILE % 64;
            cols |= 1ull << col / TILE % 64;
        }
        int of_A = __builtin_popcountll(rows);
        int of_B = __builtin_popcountll(cols);
        REQUIRE(of_A <= SIDE && of_B <= SIDE,
                "tiles %d to %d need %d strips of A and %d of B", t,
                t + BLOCKS - 1, of_A, of_B);
    }
}

/** Enqueue one GEMM: a few blocks, which stay. */
static void launch(const gemm_bf16_problem *p)
{
    examine(p->M, p->N);
    dim3 block(TILE, TILE);
    gemm_kernel<<<BLOCKS, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda,
                                   p->B, p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, BLOCKS, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_10_epilogue", launch, 90, 90);
}
