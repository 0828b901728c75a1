// The capstone of the ladder: a GEMM of your own.
#include "gemm.h"

// [write 69] a GEMM of your own: any tile, any idea of the
// ladder. The kernel below is right, but loads two words for each product
#define BM 128      /**< rows of the tile of C of a block */
#define BN 128      /**< columns of that tile */
#define BK 8        /**< step along K */
#define THREADS 256 /**< of a block; each computes 8 x 8 elements */

/** Load four neighbours, or zeros where there are none. */
static __device__ void load4(float *to, const float *from, bool there)
{
    float4 x = there ? *(const float4 *)from : make_float4(0, 0, 0, 0);
    to[0] = x.x;
    to[1] = x.y;
    to[2] = x.z;
    to[3] = x.w;
}

/**
 * A warp computes 32 x 64 elements. Its lanes are 4 x 8, numbered in pairs one
 * below the other, and each has 8 rows and two groups of 4 columns.
 *
 * Launch: block (THREADS), grid (ceil(N / BN), ceil(M / BM)).
 */
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(int M, int N, int K, float alpha, const float *A, int lda,
                const float *B, int ldb, float beta, float *C, int ldc)
{
    __shared__ __align__(16) float As[BK][BM + 4]; // transposed
    __shared__ __align__(16) float Bs[BK][BN];
    int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    int row = warp / 2 * 32 + (lane / 16 * 2 + lane % 2) * 8;
    int col = warp % 2 * 64 + lane / 2 % 8 * 4;
    int bottom = M - blockIdx.y * BM; // rows of C from this tile on,
    int right = N - blockIdx.x * BN;  // and columns
    C += (int64_t)blockIdx.y * BM * ldc + blockIdx.x * BN;

    // Of each tile this thread brings four words of a row.
    int a_row = thread / 2, a_k = thread % 2 * 4;
    int b_k = thread / 32, b_col = thread % 32 * 4;
    A += ((int64_t)blockIdx.y * BM + a_row) * lda + a_k;
    B += (int64_t)b_k * ldb + blockIdx.x * BN + b_col;
    float a_next[4], b_next[4];
    load4(a_next, A, a_row < bottom && a_k < K);
    load4(b_next, B, b_col < right && b_k < K);

    float sum[8][8] = {{0.0f}};
    for (int left = K; left > 0; left -= BK) {
        for (int i = 0; i < 4; i++)
            As[a_k + i][a_row] = a_next[i];
        *(float4 *)&Bs[b_k][b_col] =
            make_float4(b_next[0], b_next[1], b_next[2], b_next[3]);
        __syncthreads(); // the tiles are complete
        A += BK;
        B += (int64_t)BK * ldb;
        // The next ones travel while these are multiplied.
        load4(a_next, A, a_row < bottom && a_k + BK < left);
        load4(b_next, B, b_col < right && b_k + BK < left);
        for (int k = 0; k < BK; k++) {
            float a[8], b[8];
            load4(a, &As[k][row], true);
            load4(a + 4, &As[k][row + 4], true);
            load4(b, &Bs[k][col], true);
            load4(b + 4, &Bs[k][col + 32], true);
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads(); // all have read the tiles
    }

    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            int c_row = row + i, c_col = col + j / 4 * 32 + j % 4;
            float *c = C + (int64_t)c_row * ldc + c_col;
            if (c_row < bottom && c_col < right)
                *c = alpha * sum[i][j] + (beta == 0.0f ? 0.0f : beta * *c);
        }
}
//: #define BM 8              /**< rows of the tile of C of a block */
//: #define BN 32             /**< columns of that tile */
//: #define THREADS (BM * BN) /**< of a block; each computes an element */
//:
//: /** Launch: block (THREADS), grid (ceil(N / BN), ceil(M / BM)). */
//: __global__ void __launch_bounds__(THREADS)
//:     gemm_kernel(int M, int N, int K, float alpha, const float *A, int lda,
//:                 const float *B, int ldb, float beta, float *C, int ldc)
//: {
//:     int row = blockIdx.y * BM + threadIdx.x / BN;
//:     int col = blockIdx.x * BN + threadIdx.x % BN;
//:     if (row >= M || col >= N)
//:         return;
//:     float sum = 0.0f;
//:     for (int k = 0; k < K; k++)
//:         sum += A[(int64_t)row * lda + k] * B[(int64_t)k * ldb + col];
//:     float *c = C + (int64_t)row * ldc + col;
//:     *c = alpha * sum + (beta == 0.0f ? 0.0f : beta * *c);
//: }
// [end]

/** Enqueue one GEMM: a block for each tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(THREADS);
    dim3 grid(ceil_div(p->N, BN), ceil_div(p->M, BM));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * BM);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}
int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "capstone", launch);
}
