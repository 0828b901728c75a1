// Tensor cores, step 4, the exercise: a ring that does not run dry.
#include "gemm_bf16.h"

#include "ptx.cuh"

#define TILE 64  /**< rows and columns of all tiles */
#define WARP 32  /**< rows and columns of C of a warp */
#define PARTS 2  /**< tiles of C of a block */
#define STAGES 3 /**< tiles of A and of B in shared memory */

#define ELEMENTS (TILE * TILE)                     /**< of a tile */
#define THREADS (TILE / WARP * (TILE / WARP) * 32) /**< of a block: 128 */
#define SHARED (2 * STAGES * ELEMENTS * (int)sizeof(bfloat16)) /**< bytes */

/** Where the piece of 8 elements lies that has this one, in a tile. */
static __device__ int place(int row, int col)
{
    return row * TILE + (col / 8 ^ row % 8) * 8;
}

/** Begin to copy a tile; zeros beyond `rows` and `cols`. */
static __device__ void copy(bfloat16 *to, const bfloat16 *x, int ld, int rows,
                            int cols)
{
    for (int i = threadIdx.x * 8; i < ELEMENTS; i += THREADS * 8) {
        int row = i / TILE, col = i % TILE;
        copy_async(shared_address(to + place(row, col)),
                   x + (int64_t)row * ld + col,
                   row < rows && col < cols ? 16 : 0);
    }
}

/** Add the products of a tile of A and one of B to a warp's sums. */
static __device__ void multiply(float sum[WARP / 16][WARP / 8][4],
                                const bfloat16 *As, const bfloat16 *Bs, int y,
                                int x)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < TILE; k += 16) {
        uint32_t a[WARP / 16][4], b[WARP / 16][4];
        for (int i = 0; i < WARP / 16; i++) // 16 rows, 16 of K
            ldmatrix_x4(a[i], shared_address(As + place(y + i * 16 + lane % 16,
                                                        k + lane / 16 * 8)));
        for (int j = 0; j < WARP / 16; j++) // 16 of K, 16 columns
            ldmatrix_x4_trans(
                b[j], shared_address(Bs + place(k + lane % 16,
                                                x + j * 16 + lane / 16 * 8)));
        for (int i = 0; i < WARP / 16; i++)
            for (int j = 0; j < WARP / 8; j++)
                mma_m16n8k16(sum[i][j], a[i], &b[j / 2][j % 2 * 2]);
    }
}

/**
 * Store a warp's sums, and begin anew.
 *
 * @param C          the warp's first element
 * @param rows,cols  what C has from there on
 */
static __device__ void store(bfloat16 *C, int ldc, int rows, int cols,
                             float alpha, float sum[WARP / 16][WARP / 8][4],
                             float beta)
{
    int row = threadIdx.x % 32 / 4, col = threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < WARP / 8; i++) // eight rows at a time
        for (int j = 0; j < WARP / 8; j++) {
            float *pair = &sum[i / 2][j][i % 2 * 2];
            if (row + i * 8 < rows)
                store_pair(C + (int64_t)(row + i * 8) * ldc + col + j * 8,
                           alpha, pair, beta, cols - col - j * 8);
            pair[0] = pair[1] = 0.0f;
        }
}

/**
 * One block computes PARTS tiles of C side by side, one after the other; a warp
 * WARP x WARP elements of each.
 *
 * Launch: block THREADS, grid (ceil(N / (PARTS * TILE)), ceil(M / TILE)),
 * SHARED bytes.
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A,
                            int lda, const bfloat16 *B, int ldb, float beta,
                            bfloat16 *C, int ldc)
{
    extern __shared__ __align__(128) bfloat16 shared[];
    bfloat16 *As = shared, *Bs = As + STAGES * ELEMENTS;

    int row = blockIdx.y * TILE;         // of the tiles of C
    int col = blockIdx.x * PARTS * TILE; // of the first of them
    int warp = threadIdx.x / 32;
    int y = warp / (TILE / WARP) * WARP, x = warp % (TILE / WARP) * WARP;
    int steps = ceil_div(K, TILE); // tiles of A for a tile of C
    A += (int64_t)row * lda;
    B += col;
    C += (int64_t)(row + y) * ldc + col + x;
    float sum[WARP / 16][WARP / 8][4] = {}; // fragments of 16 x 8 elements

    // [write 19] let one ring run through all steps of all parts: while the
    // last steps of a part are multiplied, copies of the next part begin. Past
    // the last step of the last part copy zeros, or nothing
    for (int t = 1 - STAGES; t < PARTS * steps; t++) {
        int now = (t + STAGES) % STAGES, free = (t + STAGES - 1) % STAGES;
        int next = t + STAGES - 1; // the step to be copied
        int k = next % steps * TILE, right = next / steps * TILE;
        int rows = next < PARTS * steps ? M - row : 0;
        if (t >= 0) {
            copy_wait<STAGES - 2>();
            __syncthreads(); // tiles t for all; tiles t - 1 have been read
        }
        copy(As + free * ELEMENTS, A + k, lda, rows, K - k);
        copy(Bs + free * ELEMENTS, B + (int64_t)k * ldb + right, ldb, K - k,
             rows > 0 ? N - col - right : 0);
        copy_commit();
        if (t >= 0)
            multiply(sum, As + now * ELEMENTS, Bs + now * ELEMENTS, y, x);
        if (t >= 0 && t % steps == steps - 1)
            store(C + t / steps * TILE, ldc, M - row - y,
                  N - col - x - t / steps * TILE, alpha, sum, beta);
    }
    //: for (int part = 0; part < PARTS; part++) {
    //:     int right = part * TILE; // columns before this part
    //:     for (int t = 1 - STAGES; t < steps; t++) {
    //:         int now = (t + STAGES) % STAGES;
    //:         int free = (t + STAGES - 1) % STAGES;
    //:         int k = (t + STAGES - 1) * TILE; // of the step to be copied
    //:         if (t >= 0) {
    //:             copy_wait<STAGES - 2>();
    //:             __syncthreads(); // tiles t; tiles t - 1 have been read
    //:         }
    //:         copy(As + free * ELEMENTS, A + k, lda, M - row, K - k);
    //:         copy(Bs + free * ELEMENTS, B + (int64_t)k * ldb + right, ldb,
    //:              K - k, N - col - right);
    //:         copy_commit();
    //:         if (t >= 0)
    //:             multiply(sum, As + now * ELEMENTS, Bs + now * ELEMENTS, y,
    //:                      x);
    //:     }
    //:     copy_wait<0>();
    //:     __syncthreads(); // everyone has finished reading all stages
    //:     store(C + right, ldc, M - row - y, N - col - x - right, alpha, sum,
    //:           beta);
    //: }
    // [end]
}

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_bf16_problem *p)
{
    dim3 grid(ceil_div(p->N, PARTS * TILE), ceil_div(p->M, TILE));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * TILE);
    CUDA_CHECK(cudaFuncSetAttribute(
        gemm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    gemm_kernel<<<grid, THREADS, SHARED>>>(p->M, p->N, p->K, p->alpha, p->A,
                                           p->lda, p->B, p->ldb, p->beta, p->C,
                                           p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, THREADS, SHARED);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_04_async", launch, 80, 0);
}
