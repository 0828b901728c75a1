// Tensor cores step 7, the exercise: each warp has its own part of C leave.
#include "gemm_bf16.h"

#include "ptx.cuh"
#include "tensor_map.h"

#define BM 64             /**< rows of the tile of C of a block */
#define BN 64             /**< columns of that tile */
#define BK 32             /**< step along K */
#define PAD 8             /**< elements after each row of A and of B */
#define ROWS 32           /**< of that tile, that a warp computes */
#define WARPS (BM / ROWS) /**< of a block: 2 */
#define THREADS (WARPS * 32)

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

/** A warp: add the products of a tile to ROWS x BN sums. */
static __device__ void multiply(float sum[2][8][4],
                                const bfloat16 As[ROWS][BK + PAD],
                                const bfloat16 Bs[BK][BN + PAD], int lane)
{
    for (int k = 0; k < BK; k += 16)
#pragma unroll
        for (int j = 0; j < 8; j += 2)
            for (int i = 0; i < 2; i++) {
                uint32_t a[4], b[4];
                ldmatrix_x4(a, shared_address(
                                   &As[i * 16 + lane % 16][k + lane / 16 * 8]));
                ldmatrix_x4_trans(
                    b,
                    shared_address(&Bs[k + lane % 16][j * 8 + lane / 16 * 8]));
                mma_m16n8k16(sum[i][j], a, b);
                mma_m16n8k16(sum[i][j + 1], a, b + 2);
            }
}

/**
 * A block computes BM rows of C, a tile of BN columns after the other.
 *
 * @param C_map  of C without the last N % 8 columns, boxes of ROWS rows
 * Launch: block THREADS, grid ceil(M / BM).
 */
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A, int lda,
                const bfloat16 *B, int ldb, float beta, bfloat16 *C, int ldc,
                const __grid_constant__ CUtensorMap C_map)
{
    __shared__ __align__(1024) unsigned char places[WARPS][ROWS * 128];
    __shared__ __align__(16) bfloat16 As[BM][BK + PAD], Bs[BK][BN + PAD];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = blockIdx.x * BM;
    int my_row = row + warp * ROWS; // the first one of this warp

    for (int col = 0; col < N; col += BN) {
        float sum[2][8][4] = {};
        for (int k = 0; k < K; k += BK) {
            __syncthreads(); // the tiles before have been multiplied
            bring(As[0], A + (int64_t)row * lda + k, lda, BM, BK, M - row,
                  K - k);
            bring(Bs[0], B + (int64_t)k * ldb + col, ldb, BK, BN, K - k,
                  N - col);
            __syncthreads(); // the tiles are there
            multiply(sum, &As[warp * ROWS], Bs, lane);
        }

        // held[i][j][h]: pairs of rows i * 16 + h * 8 and on, columns j * 8
        uint32_t held[2][8][2];
#pragma unroll
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 8; j++)
                for (int h = 0; h < 2; h++) {
                    int y = my_row + i * 16 + h * 8 + lane / 4;
                    int x = col + j * 8 + lane % 4 * 2;
                    int left = y < M ? N - x : 0;
                    bfloat16 *c = C + (int64_t)y * ldc + x;
                    __nv_bfloat162 pair =
                        pair_of(c, alpha, &sum[i][j][h * 2], beta, left);
                    held[i][j][h] = *(uint32_t *)&pair;
                    // [write 2] what leaves from registers
                    if (col + j * 8 >= N / 8 * 8)
                        store_pair(c, alpha, &sum[i][j][h * 2], beta, left);
                    //: store_pair(c, alpha, &sum[i][j][h * 2], beta, left);
                    // [end]
                }
        // [write 16] everything else: through places[warp], by the copy engine,
        // a box of ROWS rows at once. No warp waits for another one.
        uint32_t place = shared_address(places[warp]);
        if (lane == 0)
            store_wait_read<0>();
        __syncwarp(); // the place is free
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 8; j += 2) {
                int y = i * 16 + lane % 16, piece = j + lane / 16;
                stmatrix_x4(place + y * 128 + (piece ^ y % 8) * 16, held[i][j]);
            }
        fence_proxy_async();
        __syncwarp(); // and full
        if (lane == 0 && col < N / 8 * 8)
            tensor_store(&C_map, place, col, my_row);
        store_commit();
        //: ; // yours
        // [end]
    }
    // [write 1] before shared memory goes
    store_wait_read<0>();
    //: ; // yours
    // [end]
}

/** Enqueue one GEMM: a block for every BM rows of C. */
static void launch(const gemm_bf16_problem *p)
{
    int grid = ceil_div(p->M, BM);
    CUtensorMap C = tensor_map(p->C, p->M, max(p->N / 8 * 8, 8), p->ldc, ROWS);
    gemm_kernel<<<grid, THREADS>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda,
                                   p->B, p->ldb, p->beta, p->C, p->ldc, C);
    CHECK_LAUNCH(gemm_kernel, grid, THREADS, 0);
}

int main(int argc, char **argv)
{
    return gemm_bf16_main(argc, argv, "tensor_07_tma_store", launch, 90, 90);
}
