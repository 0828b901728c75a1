/**
 * @file gemm_11_async.cu
 * @brief GEMM step 11: asynchronous copies into a ring of buffers.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  tiles come by cp.async: from global into shared memory, through no
 *          register, two tiles ahead of their use into a third buffer.
 * Reason:  gemm_10 holds 12 registers of a thread for what is on its way, and
 *          a step of k at which all warps must stop to put it. A copy is begun
 *          and forgotten; what is left is to wait, once a tile, for a group of
 *          copies that began a tile and a quarter ago.
 * Run:     make chapter=gemm_11 run
 * Measure: make chapter=gemm_11 asm
 *          LDG and STS are gone from the loop, LDGSTS have come.
 * Limit:   small C leaves SMs idle: 1024 x 1024 has 32 tiles for 132 SMs.
 */

#include "gemm.h"

#include <cuda_pipeline_primitives.h>

/* ---- parameters --------------------------------------------------------- */

#define BM 128    /**< rows of the tile of C of a block */
#define BN 256    /**< columns of that tile */
#define BK 8      /**< step along K (elements) */
#define WM 64     /**< rows of the tile of C of a warp */
#define WN 64     /**< columns of that tile */
#define TM 16     /**< rows of the tile of C of a thread */
#define TN 8      /**< columns of that tile */
#define STAGES 3  /**< tiles of A and of B in shared memory */
#define COPY_AT 5 /**< k at which the next copies begin */
#define GROUP 8   /**< rows of tiles that blocks walk over together */
#define PAD 4     /**< unused end of a row of As */
#define THREADS (BM / TM * (BN / TN)) /**< threads of one block: 256 */
#define A_PART (BM * BK / THREADS)    /**< elements of A a thread brings: 4 */
#define B_PART (BK * BN / THREADS)    /**< elements of B a thread brings: 8 */

static_assert(4 * THREADS % BN == 0, "one pointer into B is enough");
static_assert(WM / TM * (WN / TN) == 32, "a warp tile is one for each lane");

/* ---- kernel ------------------------------------------------------------- */

/** Load four neighbouring floats, 16-byte aligned, by one instruction. */
static __device__ void load4(float *to, const float *from)
{
    float4 x = *(const float4 *)from;
    to[0] = x.x;
    to[1] = x.y;
    to[2] = x.z;
    to[3] = x.w;
}

/** Store four neighbouring floats, 16-byte aligned, by one instruction. */
static __device__ void store4(float *to, const float *from)
{
    *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
}

/**
 * Begin to copy 4 or 16 bytes from global to shared memory, or zeros unless
 * `there`: one instruction, which reads so many bytes and fills up with zeros.
 */
// [copy]
template <int BYTES>
static __device__ void copy_async(float *to, const float *from, bool there)
{
#if __CUDA_ARCH__ >= 800 && !SIMULATED
    unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    int bytes = there ? BYTES : 0;
    if (BYTES == 16) // past the L1
        asm volatile(
            "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared),
            "l"(from), "r"(bytes)
            : "memory");
    else
        asm volatile(
            "cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared),
            "l"(from), "r"(bytes)
            : "memory");
#else // CUDA's function, of which nvcc makes two instructions
    __pipeline_memcpy_async(to, from, BYTES, there ? 0 : BYTES);
#endif
}
// [copy]

/**
 * Begin to copy this thread's part of the next tiles: A + at and B are its own
 * places in them. Zeros beyond the `left` steps along K that follow there.
 */
static __device__ void copy(float As[BK][BM + PAD], float Bs[BK][BN],
                            const float *const A[A_PART], int64_t at,
                            const float *B, int ldb, int left)
{
    int k = threadIdx.x % BK, row = threadIdx.x / BK; // A is transposed
#pragma unroll
    for (int i = 0; i < A_PART; i++)
        copy_async<4>(&As[k][row + i * (THREADS / BK)], A[i] + at, k < left);
    int e = threadIdx.x * 4;
#pragma unroll
    for (int i = 0; i < B_PART; i += 4) {
        int k = i * THREADS / BN;
        copy_async<16>(&Bs[e / BN + k][e % BN], B + (int64_t)k * ldb,
                       e / BN + k < left);
    }
    __pipeline_commit(); // these copies are a group
}

/** Load for one k TM elements of As and TN of Bs, in groups of 4. */
static __device__ void fragments(float a[TM], float b[TN], const float *As,
                                 const float *Bs)
{
#pragma unroll
    for (int j = 0; j < TN; j += 4)
        load4(b + j, Bs + j * (WN / TN));
#pragma unroll
    for (int i = 0; i < TM; i += 4)
        load4(a + i, As + i * (WM / TM));
}

/** c = alpha * sum + beta * c, for the first `valid` of four neighbours. */
static __device__ void update4(float *c, int valid, float alpha,
                               const float sum[4], float beta)
{
    float x[4], old[4];
#pragma unroll
    for (int j = 0; j < 4; j++)
        x[j] = alpha * sum[j];
    if (valid >= 4) {
        if (beta != 0.0f) {
            load4(old, c);
#pragma unroll
            for (int j = 0; j < 4; j++)
                x[j] += beta * old[j];
        }
        store4(c, x);
    } else { // the last columns of C: its padding must not change
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (j < valid)
                c[j] = beta == 0.0f ? x[j] : x[j] + beta * c[j];
    }
}

/**
 * One thread computes TM x TN elements of C, in groups of 4 x 4.
 *
 * @param M,N,K        sizes, each >= 1
 * @param alpha        factor of A * B
 * @param A,lda        [M x K], rows 16-byte aligned, zeros in the padding
 * @param B,ldb        [K x N], likewise
 * @param beta         factor of C; 0: C is not read
 * @param[in,out] C    [M x N], rows 16-byte aligned
 * @param ldc          leading dimension of C
 *
 * Launch: block (THREADS), grid (ceil(N / BN) * ceil(M / BM)).
 */
// [kernel]
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(int M, int N, int K, float alpha, const float *A, int lda,
                const float *B, int ldb, float beta, float *C, int ldc)
{
    __shared__ __align__(16) float As[STAGES][BK][BM + PAD]; // transposed
    __shared__ __align__(16) float Bs[STAGES][BK][BN];

    // The tile of C of this block. Blocks go down a band of GROUP tiles, then
    // to the right. From here on rows and columns are counted from its corner.
    int tiles_n = ceil_div(N, BN);
    int band = blockIdx.x / (GROUP * tiles_n) * GROUP;
    int height = min(GROUP, ceil_div(M, BM) - band);
    int in_band = blockIdx.x % (GROUP * tiles_n);
    int tile_row = (band + in_band % height) * BM;
    int tile_col = in_band / height * BN;
    int rows = M - tile_row;
    int cols = N - tile_col;
    // The first elements of A and B that this thread copies; beyond the edges
    // those of the last row, the last columns: their sums are not stored.
    const float *a_from[A_PART];
#pragma unroll
    for (int i = 0; i < A_PART; i++) {
        int row = threadIdx.x / BK + i * (THREADS / BK);
        a_from[i] = A + (int64_t)(tile_row + min(row, rows - 1)) * lda +
                    threadIdx.x % BK;
    }
    int e = threadIdx.x * 4;
    B += (int64_t)(e / BN) * ldb + tile_col + min(e % BN, (cols - 1) / 4 * 4);
    C += (int64_t)tile_row * ldc + tile_col;

    // The elements of C that this thread computes begin here.
    // [lanes]
    // Four lanes down, eight across, numbered in pairs:
    //     0  2  4  6  8 10 12 14
    //     1  3  5  7  9 11 13 15
    //    16 18 20 22 24 26 28 30
    //    17 19 21 23 25 27 29 31
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int lane_row = lane / (2 * (WN / TN)) * 2 + lane % 2;
    int lane_col = lane / 2 % (WN / TN);
    int thread_row = warp / (BN / WN) * WM + lane_row * 4;
    int thread_col = warp % (BN / WN) * WN + lane_col * 4;
    // [lanes]
    float sum[TM][TN] = {{0.0f}};
    float a[2][TM], b[2][TN];         // fragments of this k and the next
    int now = 0, before = STAGES - 1; // buffers: at work, and free
    int64_t at = 0;                   // step along K of the next copies

    for (int i = 0; i < STAGES - 1; i++) { // prologue
        copy(As[i], Bs[i], a_from, at, B, ldb, K - i * BK);
        at += BK;
        B += (int64_t)BK * ldb;
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads(); // the first tiles are complete before anybody reads them
    fragments(a[0], b[0], &As[0][0][thread_row], &Bs[0][0][thread_col]);

    // [loop]
    for (int left = K; left > 0; left -= BK) {
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k == COPY_AT) { // past K: zeros, which nobody multiplies
                copy(As[before], Bs[before], a_from, at, B, ldb,
                     left - (STAGES - 1) * BK);
                at += BK;
                B += (int64_t)BK * ldb;
            }
            if (k == BK - 1) {
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads(); // the next tiles are complete, and all have
                before = now;    // read these before they are replaced
                now = now + 1 == STAGES ? 0 : now + 1;
            }
            int next = (k + 1) % BK;
            fragments(a[next % 2], b[next % 2], &As[now][next][thread_row],
                      &Bs[now][next][thread_col]);
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++) {
                    int turn = i % 2 ? TN - 1 - j : j; // serpentine
                    sum[i][turn] += a[k % 2][i] * b[k % 2][turn];
                }
        }
    }
    // [loop]

#pragma unroll
    for (int i = 0; i < TM; i++) {
        int row = thread_row + i / 4 * (4 * WM / TM) + i % 4;
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            int col = thread_col + j * (WN / TN);
            float *c = C + (int64_t)row * ldc + col;
            int valid = row < rows ? cols - col : 0;
            update4(c, valid, alpha, &sum[i][j], beta);
        }
    }
}
// [kernel]

/* ---- launch ------------------------------------------------------------- */

/** Enqueue one GEMM: a block for each BM x BN tile of C. */
static void launch(const gemm_problem *p)
{
    dim3 block(THREADS);
    int64_t tiles = (int64_t)ceil_div(p->M, BM) * ceil_div(p->N, BN);
    REQUIRE(tiles <= INT32_MAX, "--M %d --N %d: at most %d tiles of C", p->M,
            p->N, INT32_MAX);
    dim3 grid((unsigned)tiles);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    gemm_problem p = gemm_open(argc, argv, "gemm_11_async");
    gemm_verify(&p, launch);
    gemm_time(&p, launch);
    return gemm_close(&p);
}
