/**
 * @file tile.cuh
 * @brief A tile of C, or a part of its sums: gemm_11's loop, for any sizes.
 */

#include "cp_async.cuh"

#define COPY_AT 2 /**< k at which the next copies begin */
#define GROUP 8   /**< rows of tiles that blocks walk over together */
#define PAD 4     /**< unused end of a row of As */

/* ---- floats -------------------------------------------------------------- */

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

/** sum += four floats that another block has stored: not from the L1. */
static __device__ void add4(float sum[4], const float *from)
{
    float4 x = __ldcg((const float4 *)from);
    sum[0] += x.x;
    sum[1] += x.y;
    sum[2] += x.z;
    sum[3] += x.w;
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

/* ---- tiles --------------------------------------------------------------- */

// [sizes]
/** For large C: gemm_11's tile. */
struct large {
    static const int BM = 128, BN = 256; /**< tile of C of a block */
    static const int BK = 8;             /**< step along K */
    static const int TM = 16, TN = 8;    /**< sums of a thread */
    static const int STAGES = 3;         /**< buffers for tiles of A and B */
    static const int BLOCKS = 1;         /**< on an SM at the same time */
};
// [sizes]

/** For C that few large tiles cover badly. */
struct middle {
    static const int BM = 128, BN = 64, BK = 8;
    static const int TM = 8, TN = 8, STAGES = 3, BLOCKS = 3;
};

/** The same, lying on its side. */
struct wide : middle {
    static const int BM = 64, BN = 128;
};

/** For small C. */
struct small {
    static const int BM = 32, BN = 64, BK = 16;
    static const int TM = 4, TN = 4, STAGES = 4, BLOCKS = 4;
};

/** The same, upright: for C with few columns. */
struct narrow : small {
    static const int BM = 64, BN = 32;
};

/** What follows from these sizes, and what a block does with its tile. */
template <class SIZES>
struct tile : SIZES {
    static const int BM = SIZES::BM, BN = SIZES::BN, BK = SIZES::BK;
    static const int TM = SIZES::TM, TN = SIZES::TN, STAGES = SIZES::STAGES;
    static const int WM = 4 * TM, WN = 8 * TN;      /**< warp: 4 x 8 lanes */
    static const int THREADS = BM / TM * (BN / TN); /**< of a block */
    static const int FOURS = TM * TN / 4;           /**< of a thread's sums */
    static const int A_ROWS = BM * 8 / THREADS;     /**< it copies from */
    static const int B_PART = BK * BN / THREADS;    /**< elements it copies */

    static_assert(BK % 8 == 0 && 4 * THREADS % BN == 0, "pointers");
    static_assert(BM % WM == 0 && BN % WN == 0, "whole warps");
    static_assert(STAGES * BK * (BM + PAD + BN) * 4 <= 48 << 10, "static");
    static_assert(SIZES::BLOCKS * BM * BN <= 128 * 256, "workspace");

    /** Number @p number of the tiles of C: its first row and column. Tiles go
     *  down a band of GROUP tiles, then to the right. */
    static __device__ void corner(int M, int N, int number, int *row, int *col)
    {
        // [raster]
        int tiles_n = ceil_div(N, BN);
        int band = number / (GROUP * tiles_n) * GROUP;
        int height = min(GROUP, ceil_div(M, BM) - band);
        int in_band = number % (GROUP * tiles_n);
        *row = (band + in_band % height) * BM;
        *col = in_band / height * BN;
        // [raster]
    }

    /** Where the @p q-th four sums of this thread lie in the tile. */
    static __device__ void place(int q, int *row, int *col)
    {
        int thread = threadIdx.x; // signed: nvcc made a faster loop
        int warp = thread / 32;
        int lane = thread % 32;
        int lane_row = lane / 16 * 2 + lane % 2; // in pairs, as in gemm_10
        int lane_col = lane / 2 % 8;
        int i = q / (TN / 4), j = q % (TN / 4) * 4;
        *row = warp / (BN / WN) * WM + lane_row * 4 + i / 4 * (4 * WM / TM) +
               i % 4;
        *col = warp % (BN / WN) * WN + lane_col * 4 + j * (WN / TN);
    }

    /**
     * Begin to copy this thread's part of the next tiles of A and B, as in
     * gemm_11. A warp copies 4 rows of A for 8 values of k.
     */
    static __device__ void copy(float As[BK][BM + PAD], float Bs[BK][BN],
                                const float *const A[A_ROWS], int64_t at,
                                const float *B, int b_row, int ldb, int left)
    {
        int row = threadIdx.x / 8;
#pragma unroll
        for (int i = 0; i < A_ROWS * (BK / 8); i++) {
            int r = i / (BK / 8), k = i % (BK / 8) * 8;
            copy_async<4>(&As[k + threadIdx.x % 8][row + r * (THREADS / 8)],
                          A[r] + at + k, (int)threadIdx.x % 8 + k < left);
        }
        int e = threadIdx.x * 4;
#pragma unroll
        for (int i = 0; i < B_PART; i += 4) {
            int k = i * THREADS / BN;
            copy_async<16>(&Bs[e / BN + k][e % BN], B + (int64_t)k * ldb,
                           b_row + k < left);
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

    /** The @p q-th four of a thread's sums. */
    static __device__ const float *four(const float sum[TM][TN], int q)
    {
        return &sum[q / (TN / 4)][q % (TN / 4) * 4];
    }

    /** C = alpha * sum + beta * C for the @p q-th four of this thread, in the
     *  tile that begins at @p row, @p col. */
    static __device__ void store(const gemm_problem &p, int row, int col, int q,
                                 float alpha, const float *sum)
    {
        int r, c;
        place(q, &r, &c);
        r += row;
        c += col;
        update4(p.C + (int64_t)r * p.ldc + c, r < p.M ? p.N - c : 0, alpha, sum,
                p.beta);
    }

    /** This thread's sums of the tile at @p row, @p col over k from @p begin to
     *  @p end - 1. */
    static __device__ void multiply(float sum[TM][TN], const gemm_problem &p,
                                    int row, int col, int begin, int end)
    {
        __shared__ __align__(16) float As[STAGES][BK][BM + PAD]; // transposed
        __shared__ __align__(16) float Bs[STAGES][BK][BN];
        const float *a_from[A_ROWS]; // places in the first tiles, as in gemm_11
        int ldb = p.ldb, left = end - begin;
        int rows = p.M - row, cols = p.N - col;
        const float *A = p.A + (int64_t)row * p.lda + begin;
        const float *B = p.B + (int64_t)begin * p.ldb + col;
#pragma unroll
        for (int i = 0; i < A_ROWS; i++) {
            int r = threadIdx.x / 8 + i * (THREADS / 8);
            a_from[i] = A + (int64_t)min(r, rows - 1) * p.lda + threadIdx.x % 8;
        }
        int e = threadIdx.x * 4;
        // Past the edge of B no row is below `left`, so zeros come. In the
        // large tile the last columns come again: in a trial it was faster.
        const bool ask = BN < 256;
        int b_row = ask && e % BN >= cols ? INT32_MAX / 2 : e / BN;
        int b_col = ask ? e % BN : min(e % BN, (cols - 1) / 4 * 4);
        B += (int64_t)(e / BN) * p.ldb + b_col;
        int thread_row, thread_col;
        place(0, &thread_row, &thread_col);
        float a[2][TM], b[2][TN];         // fragments of this k and the next
        int now = 0, before = STAGES - 1; // buffers: at work, and free
        int64_t at = 0;                   // step along K of the next copies

        __syncthreads(); // the last tile's buffers have been read by all
        for (int i = 0; i < STAGES - 1; i++) { // prologue
            copy(As[i], Bs[i], a_from, at, B, b_row, ldb, left - i * BK);
            at += BK;
            B += (int64_t)BK * ldb;
        }
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // the first tiles are complete before they are read
        fragments(a[0], b[0], &As[0][0][thread_row], &Bs[0][0][thread_col]);

        for (; left > 0; left -= BK) {
#pragma unroll
            for (int k = 0; k < BK; k++) {
                if (k == COPY_AT) { // past the end: zeros, which nobody uses
                    copy(As[before], Bs[before], a_from, at, B, b_row, ldb,
                         left - (STAGES - 1) * BK);
                    at += BK;
                    B += (int64_t)BK * ldb;
                }
                if (k == BK - 1) {
                    __pipeline_wait_prior(STAGES - 2);
                    __syncthreads(); // the next tiles are complete, and all
                    before = now;    // have read these before they go
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
        __pipeline_wait_prior(0); // no copy comes when the next tile begins
    }
};
