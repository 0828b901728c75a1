// hunt of tensor_01_wmma
// Good enough for a short K.
#include "gemm_bf16.h"

#include <mma.h>

using namespace nvcuda;

#define SIDE 32 /**< rows and columns of C of a block, and step along K */
#define PAD 8   /**< elements after each row of a tile */
#define THREADS (SIDE / 16 * (SIDE / 16) * 32) /**< of a block: 128 */
#define MINE 8 /**< elements of C of a thread, side by side */

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
 * One block computes SIDE x SIDE elements of C, a warp 16 x 16. After each tile
 * its part of the sums goes through shared memory to the threads.
 *
 * Launch: block THREADS, grid (ceil(N / SIDE), ceil(M / SIDE)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A,
                            int lda, const bfloat16 *B, int ldb, float beta,
                            bfloat16 *C, int ldc)
{
    __shared__ __align__(32) bfloat16 As[SIDE][SIDE + PAD];
    __shared__ __align__(32) bfloat16 Bs[SIDE][SIDE + PAD];
    __shared__ __align__(32) float Cs[SIDE][SIDE];
    int row = blockIdx.y * SIDE, col = blockIdx.x * SIDE;
    int y = threadIdx.x / (SIDE / MINE); // of a thread's elements of a tile
    int x = threadIdx.x % (SIDE / MINE) * MINE;
    int warp_y = threadIdx.x / 64 * 16, warp_x = threadIdx.x / 32 % 2 * 16;

    // [hunt]
    float sum[MINE] = {};
    //: bfloat16 sum[MINE] = {};
    // [end]
    for (int k = 0; k < K; k += SIDE) {
        *(uint4 *)&As[y][x] = eight(A + (int64_t)(row + y) * lda + k + x,
                                    row + y < M && k + x < K);
        *(uint4 *)&Bs[y][x] = eight(B + (int64_t)(k + y) * ldb + col + x,
                                    k + y < K && col + x < N);
        __syncthreads(); // both tiles are complete
        fragment_a a;
        fragment_b b;
        fragment_sum part;
        wmma::fill_fragment(part, 0.0f);
        for (int i = 0; i < SIDE; i += 16) {
            wmma::load_matrix_sync(a, &As[warp_y][i], SIDE + PAD);
            wmma::load_matrix_sync(b, &Bs[i][warp_x], SIDE + PAD);
            wmma::mma_sync(part, a, b, part);
        }
        wmma::store_matrix_sync(&Cs[warp_y][warp_x], part, SIDE,
                                wmma::mem_row_major);
        __syncthreads(); // the parts are there, and the tiles have been read
        for (int i = 0; i < MINE; i++) {
            // [hunt]
            sum[i] += Cs[y][x + i];
            //: float total = __bfloat162float(sum[i]) + Cs[y][x + i];
            //: sum[i] = __float2bfloat16(total);
            // [end]
        }
    }

    C += (int64_t)(row + y) * ldc + col + x;
    for (int i = 0; i < MINE; i += 2) {
        float pair[2] = {sum[i], sum[i + 1]};
        if (row + y < M)
            store_pair(C + i, alpha, pair, beta, N - col - x - i);
    }
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
