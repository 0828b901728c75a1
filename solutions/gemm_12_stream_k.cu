// GEMM step 12, the exercise: equal pieces of a line of steps.
#include "gemm.h"

#define TILE 16   /**< edge of all tiles (elements); a thread has one element */
#define BLOCKS 64 /**< that share the steps, at most */

/** Sums of blocks that have a part of a tile only. [0]: the tile has begun in
 *  another block; [1]: it begins here, and goes on in the next one. */
static __device__ float partial[BLOCKS][2][TILE][TILE];

/** What a launch works on. */
typedef struct {
    int M, N, K;
    float alpha, beta;
    const float *A, *B;
    float *C;
    int lda, ldb, ldc;
    int across;   /**< tiles of C in a row of them */
    int64_t line; /**< steps of all tiles, one tile after the other */
} work;

/** Steps along K of one tile. */
static __host__ __device__ int steps_of(int K)
{
    return ceil_div(K, TILE);
}

/** The sum of this thread's element of a tile over steps begin to end - 1. */
static __device__ float multiply(const work &w, int64_t tile, int begin,
                                 int end)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = (int)(tile / w.across) * TILE + y;
    int col = (int)(tile % w.across) * TILE + x;
    float sum = 0.0f;
    for (int step = begin; step < end; step++) {
        int first = step * TILE;
        bool in_a = row < w.M && first + x < w.K;
        bool in_b = first + y < w.K && col < w.N;
        As[y][x] = in_a ? w.A[(int64_t)row * w.lda + first + x] : 0.0f;
        Bs[y][x] = in_b ? w.B[(int64_t)(first + y) * w.ldb + col] : 0.0f;
        __syncthreads(); // both tiles are complete before anybody reads them
        for (int k = 0; k < TILE; k++)
            sum += As[y][k] * Bs[k][x];
        __syncthreads(); // all have read the tiles before they are replaced
    }
    return sum;
}

/** C = alpha * sum + beta * C for this thread's element of a tile. */
static __device__ void store(const work &w, int64_t tile, float sum)
{
    int row = (int)(tile / w.across) * TILE + threadIdx.y;
    int col = (int)(tile % w.across) * TILE + threadIdx.x;
    float *c = w.C + (int64_t)row * w.ldc + col;
    if (row < w.M && col < w.N)
        *c = w.alpha * sum + (w.beta == 0.0f ? 0.0f : w.beta * *c);
}

/** A block computes its piece of the line. Launch: block (TILE, TILE). */
__global__ void gemm_kernel(work w)
{
    int steps = steps_of(w.K);
    // [write 2] this block's piece, first to last - 1: as long as those of
    // the others, give or take a step; together they are the line
    int64_t first = w.line * blockIdx.x / gridDim.x;
    int64_t last = w.line * (blockIdx.x + 1) / gridDim.x;
    //: int64_t first = 0;
    //: int64_t last = 0;
    // [end]
    // [parts]
    for (int64_t step = first; step < last;) {
        int64_t tile = step / steps;
        int begin = (int)(step % steps);
        int end = (int)min((int64_t)steps, begin + last - step);
        float sum = multiply(w, tile, begin, end);
        if (end - begin == steps)
            store(w, tile, sum);
        else
            partial[blockIdx.x][begin == 0][threadIdx.y][threadIdx.x] = sum;
        step += end - begin;
    }
    // [parts]
}

/**
 * A block adds up the parts of a tile, if there are several.
 *
 * @param blocks  of gemm_kernel
 *
 * Launch: block (TILE, TILE), a block for each tile.
 */
__global__ void add_kernel(work w, int blocks)
{
    int steps = steps_of(w.K);
    int64_t first = (int64_t)blockIdx.x * steps; // step of the line
    int64_t last = first + steps - 1;
    // The blocks that have steps first and last: see block_of() of the chapter.
    int head = (int)(((first + 1) * blocks - 1) / w.line);
    int tail = (int)(((last + 1) * blocks - 1) / w.line);
    if (head == tail)
        return; // one block has computed all of it, and stored it
    // [write 3] the sum of what the blocks have left, in the order of K
    float sum = 0.0f;
    for (int b = head; b <= tail; b++)
        sum += partial[b][b == head][threadIdx.y][threadIdx.x];
    //: float sum = 0.0f;
    // [end]
    store(w, blockIdx.x, sum);
}

/** Enqueue one GEMM: equal pieces of the line, then what they share. */
static void launch(const gemm_problem *p)
{
    int across = ceil_div(p->N, TILE);
    int64_t tiles = (int64_t)across * ceil_div(p->M, TILE);
    REQUIRE(tiles <= INT32_MAX, "--M %d --N %d: at most %d tiles of C", p->M,
            p->N, INT32_MAX);
    work w = {p->M,
              p->N,
              p->K,
              p->alpha,
              p->beta,
              p->A,
              p->B,
              p->C,
              p->lda,
              p->ldb,
              p->ldc,
              across,
              tiles * steps_of(p->K)};
    int blocks = w.line < BLOCKS ? (int)w.line : BLOCKS;
    dim3 block(TILE, TILE);
    gemm_kernel<<<blocks, block>>>(w);
    CHECK_LAUNCH(gemm_kernel, blocks, block, 0);
    add_kernel<<<(unsigned)tiles, block>>>(w, blocks);
    CHECK_LAUNCH(add_kernel, (unsigned)tiles, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_12_stream_k", launch);
}
