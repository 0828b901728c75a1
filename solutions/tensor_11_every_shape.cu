// Tensor cores step 11, the exercise: a few rows, turned over.
#include "gemm_bf16.h"

#include "ptx.cuh"

#define BM 8  /**< rows of the tile of C of a warp */
#define BN 16 /**< columns of that tile */
#define BK 16 /**< step along K */
#define PAD 8 /**< elements after each row in shared memory */

/** Eight neighbours of a row, or zeros where there are none. */
static __device__ uint4 eight(const bfloat16 *x, bool there)
{
    uint4 zeros = {0, 0, 0, 0};
    return there ? *(const uint4 *)x : zeros;
}

/**
 * One warp computes BM x BN elements of C.
 *
 * Launch: block 32, grid (ceil(N / BN), ceil(M / BM)).
 */
__global__ void gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A,
                            int lda, const bfloat16 *B, int ldb, float beta,
                            bfloat16 *C, int ldc)
{
    __shared__ __align__(16) bfloat16 As[BM][BK + PAD], Bs[BK][BN + PAD];
    int row = blockIdx.y * BM, col = blockIdx.x * BN; // of the tile of C
    int lane = threadIdx.x, half = lane % 2 * 8;      // of a row
    // [write 1] the sums of a lane
    float sum[4] = {};
    //: float sum[2][4] = {};
    // [end]

    for (int k = 0; k < K; k += BK) {
        int r = lane / 2; // each lane brings half of a row of B, 16 one of A
        if (r < BM)
            *(uint4 *)&As[r][half] =
                eight(A + (int64_t)(row + r) * lda + k + half,
                      row + r < M && k + half < K);
        *(uint4 *)&Bs[r][half] = eight(B + (int64_t)(k + r) * ldb + col + half,
                                       k + r < K && col + half < N);
        __syncwarp(); // both tiles are complete

        // Fragments of 8 x 8: of A two beside each other along k; of B the two
        // of columns 0 to 7, k from 0 and from 8, then those of columns 8
        // to 15.
        uint32_t a[2], b[4];
        for (int i = 0; i < 2; i++)
            a[i] = *(const uint32_t *)&As[lane / 4][i * 8 + lane % 4 * 2];
        ldmatrix_x4_trans(b, shared_address(&Bs[lane % 16][lane / 16 * 8]));
        // [write 3] the product: 16 rows, and only 8 of C
        uint32_t columns[4] = {b[0], b[2], b[1], b[3]};
        mma_m16n8k16(sum, columns, a);
        //: uint32_t rows[4] = {a[0], 0, a[1], 0}; // rows 8 to 15: none
        //: for (int j = 0; j < 2; j++) // columns 0 to 7, and 8 to 15
        //:     mma_m16n8k16(sum[j], rows, b + j * 2);
        // [end]
        __syncwarp(); // everyone has finished reading
    }

    for (int i = 0; i < 4; i++) { // one element of C each
        // [write 3] where it lies in the tile, and its sum
        int y = lane % 4 * 2 + i % 2, x = lane / 4 + i / 2 * 8;
        float all = sum[i];
        //: int y = lane / 4, x = lane % 4 * 2 + i % 2 + i / 2 * 8;
        //: float all = sum[i / 2][i % 2];
        // [end]
        if (row + y < M && col + x < N) {
            bfloat16 *c = C + (int64_t)(row + y) * ldc + col + x;
            float old = beta == 0.0f ? 0.0f : beta * __bfloat162float(*c);
            *c = __float2bfloat16_rn(alpha * all + old);
        }
    }
}

/** Enqueue one GEMM: a warp for each tile of C. */
static void launch(const gemm_bf16_problem *p)
{
    dim3 grid(ceil_div(p->N, BN), ceil_div(p->M, BM));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * BM);
    gemm_kernel<<<grid, 32>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                              p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, 32, 0);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_11_every_shape", launch, 80, 0);
}
