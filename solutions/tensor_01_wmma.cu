// Tensor cores, step 1, the exercise: four warps share the k of one fragment.
#include "gemm_bf16.h"

#include <mma.h>

using namespace nvcuda;

#define SIDE 16                /**< rows and columns of C of a block */
#define WARPS 4                /**< of a block */
#define BK (WARPS * 16)        /**< step along K: 16 k for each warp */
#define PAD 8                  /**< elements after each row of a tile */
#define THREADS (WARPS * 32)   /**< of a block: 128 */
#define EIGHTS (SIDE * BK / 8) /**< of a tile, 16 bytes each: 128 */

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, bfloat16, wmma::row_major>
    fragment_a;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, bfloat16, wmma::row_major>
    fragment_b;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> fragment_sum;

/** Eight neighbours of a matrix, or zeros where there are none. */
static __device__ uint4 eight(const bfloat16 *x, bool there)
{
    return there ? *(const uint4 *)x : make_uint4(0, 0, 0, 0);
}

/**
 * One block computes SIDE x SIDE elements of C. A thread brings 8 elements of
 * each tile, and stores two neighbours of C.
 *
 * Launch: block THREADS, grid (ceil(N / SIDE), ceil(M / SIDE)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A,
                            int lda, const bfloat16 *B, int ldb, float beta,
                            bfloat16 *C, int ldc)
{
    __shared__ __align__(32) bfloat16 As[SIDE][BK + PAD];
    __shared__ __align__(32) bfloat16 Bs[BK][SIDE + PAD];
    __shared__ __align__(32) float Cs[WARPS][SIDE][SIDE];
    static_assert(EIGHTS == THREADS, "8 elements of a tile for each thread");
    int row = blockIdx.y * SIDE, col = blockIdx.x * SIDE;
    int warp = threadIdx.x / 32;
    int a_y = threadIdx.x / (BK / 8), a_x = threadIdx.x % (BK / 8) * 8;
    int b_y = threadIdx.x / (SIDE / 8), b_x = threadIdx.x % (SIDE / 8) * 8;

    fragment_sum sum; // of this warp's k
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < K; k += BK) {
        *(uint4 *)&As[a_y][a_x] =
            eight(A + (int64_t)(row + a_y) * lda + k + a_x,
                  row + a_y < M && k + a_x < K);
        *(uint4 *)&Bs[b_y][b_x] =
            eight(B + (int64_t)(k + b_y) * ldb + col + b_x,
                  k + b_y < K && col + b_x < N);
        __syncthreads(); // both tiles are complete
        // [write 5] of these BK k this warp takes 16: load both
        // fragments, and add their product to `sum`
        fragment_a a;
        fragment_b b;
        wmma::load_matrix_sync(a, &As[0][warp * 16], BK + PAD);
        wmma::load_matrix_sync(b, &Bs[warp * 16][0], SIDE + PAD);
        wmma::mma_sync(sum, a, b, sum);
        // [end]
        __syncthreads(); // everyone has finished reading
    }

    int y = threadIdx.x / (SIDE / 2), x = threadIdx.x % (SIDE / 2) * 2;
    float pair[2] = {0.0f, 0.0f}; // elements (y, x) and (y, x + 1)
    // [write 5] put this warp's sums where all can read them; then add
    // up, in `pair`, what all warps have of this thread's two elements
    wmma::store_matrix_sync(&Cs[warp][0][0], sum, SIDE, wmma::mem_row_major);
    __syncthreads(); // the sums of all warps are there
    for (int w = 0; w < WARPS; w++)
        for (int i = 0; i < 2; i++)
            pair[i] += Cs[w][y][x + i];
    // [end]
    if (row + y < M)
        store_pair(C + (int64_t)(row + y) * ldc + col + x, alpha, pair, beta,
                   N - col - x);
}

/** Enqueue one GEMM: a block for each SIDE x SIDE elements of C. */
static void launch(const gemm_bf16_problem *p)
{
    dim3 grid(ceil_div(p->N, SIDE), ceil_div(p->M, SIDE));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * SIDE);
    gemm_kernel<<<grid, THREADS>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda,
                                   p->B, p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, THREADS, 0);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_01_wmma", launch, 80, 0);
}
