// hunt of tensor_07_tma_store
// C leaves by the copy engine, and some of it may be older than it should.
#include "gemm_bf16.h"

#include "ptx.cuh"
#include "tensor_map.h"

#define BM 64       /**< rows of the tile of C of a block */
#define BN 64       /**< columns of that tile */
#define BK 32       /**< step along K */
#define PAD 8       /**< elements after each row of A and of B */
#define THREADS 128 /**< of a block: four warps, 16 rows each */

/** Bring a tile, zeros beyond the edges. */
static __device__ void bring(bfloat16 *to, const bfloat16 *from, int ld,
                             int high, int wide, int rows, int cols)
{
    for (int i = threadIdx.x; i < high * wide / 8; i += THREADS) {
        int y = i / (wide / 8), x = i % (wide / 8) * 8;
        uint4 eight = {0, 0, 0, 0};
        if (y < rows && x < cols)
            eight = *(const uint4 *)(from + (int64_t)y * ld + x);
        *(uint4 *)&to[y * (wide + PAD) + x] = eight;
    }
}

/** A warp: add the products of a tile to 16 x BN sums. */
static __device__ void multiply(float sum[8][4],
                                const bfloat16 As[16][BK + PAD],
                                const bfloat16 Bs[BK][BN + PAD], int lane)
{
    for (int k = 0; k < BK; k += 16) {
        uint32_t a[4], b[4];
        ldmatrix_x4(a, shared_address(&As[lane % 16][k + lane / 16 * 8]));
        for (int j = 0; j < 8; j += 2) {
            ldmatrix_x4_trans(
                b, shared_address(&Bs[k + lane % 16][j * 8 + lane / 16 * 8]));
            mma_m16n8k16(sum[j], a, b);
            mma_m16n8k16(sum[j + 1], a, b + 2);
        }
    }
}

/**
 * A block computes BM rows of C, a tile of BN columns after the other.
 *
 * @param C_map  of C without the last N % 8 columns, boxes of BM rows
 * Launch: block THREADS, grid ceil(M / BM).
 */
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A, int lda,
                const bfloat16 *B, int ldb, float beta, bfloat16 *C, int ldc,
                const __grid_constant__ CUtensorMap C_map)
{
    __shared__ __align__(1024) unsigned char shared_C[BM * 128];
    __shared__ __align__(16) bfloat16 As[BM][BK + PAD], Bs[BK][BN + PAD];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = blockIdx.x * BM, whole = N / 8 * 8;
    uint32_t place = shared_address(shared_C);

    for (int col = 0; col < N; col += BN) {
        float sum[8][4] = {};
        for (int k = 0; k < K; k += BK) {
            __syncthreads(); // the tiles before have been multiplied
            bring(As[0], A + (int64_t)row * lda + k, lda, BM, BK, M - row,
                  K - k);
            bring(Bs[0], B + (int64_t)k * ldb + col, ldb, BK, BN, K - k,
                  N - col);
            __syncthreads(); // the tiles are there
            multiply(sum, &As[warp * 16], Bs, lane);
        }

        if (threadIdx.x == 0)
            store_wait_read<0>();
        __syncthreads();     // the place is free
        uint32_t held[8][2]; // pairs of columns 8 * j and on, rows 8 * h
        for (int j = 0; j < 8; j++)
            for (int h = 0; h < 2; h++) {
                int y = row + warp * 16 + h * 8 + lane / 4;
                int x = col + j * 8 + lane % 4 * 2;
                int left = y < M ? N - x : 0;
                bfloat16 *c = C + (int64_t)y * ldc + x;
                __nv_bfloat162 pair =
                    pair_of(c, alpha, &sum[j][h * 2], beta, left);
                held[j][h] = *(uint32_t *)&pair;
                if (col + j * 8 >= whole)
                    store_pair(c, alpha, &sum[j][h * 2], beta, left);
            }
        for (int j = 0; j < 8; j += 2) {
            int y = warp * 16 + lane % 16, piece = j + lane / 16;
            stmatrix_x4(place + y * 128 + (piece ^ y % 8) * 16, held[j]);
        }
        // [hunt]
        fence_proxy_async();
        __syncthreads(); // the place is full
        if (threadIdx.x == 0 && col < whole) {
            tensor_store(&C_map, place, col, row);
            store_commit();
        }
        //: __syncthreads(); // the place is full
        //: if (threadIdx.x == 0 && col < whole) {
        //:     fence_proxy_async();
        //:     tensor_store(&C_map, place, col, row);
        //:     store_commit();
        //: }
        // [end]
    }
    if (threadIdx.x == 0)
        store_wait_read<0>(); // before shared memory goes
}

/** Enqueue one GEMM: a block for every BM rows of C. */
static void launch(const gemm_bf16_problem *p)
{
    int grid = ceil_div(p->M, BM);
    CUtensorMap C = tensor_map(p->C, p->M, max(p->N / 8 * 8, 8), p->ldc, BM);
    gemm_kernel<<<grid, THREADS>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda,
                                   p->B, p->ldb, p->beta, p->C, p->ldc, C);
    CHECK_LAUNCH(gemm_kernel, grid, THREADS, 0);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_07_tma_store", launch, 90, 90);
}
