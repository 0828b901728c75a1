/**
 * @file attention_02_online.cu
 * @brief Attention, step 2: one kernel, which corrects its maximum on the way.
 *
 * O = softmax(Q K^T / sqrt(D)) V for each head: Q, O [S x D], K, V [keys x D]
 * in bfloat16, sums in float32.
 *
 * Change:  a block has rows of Q; keys pass by in tiles. A larger maximum than
 *          any before corrects what has been added up by one factor.
 * Reason:  scores are used where they are made. None goes to memory.
 * Run:     make chapter=attention_02 run
 * Measure: make chapter=attention_02 profile
 *          global_store_sectors are those of O.
 * Limit:   both products run on the units for float32, 15 times as slow as
 *          tensor cores.
 */

#include "attention.h"

/* ---- parameters --------------------------------------------------------- */

#define BM 64        /**< rows of Q and O of a block */
#define BN 32        /**< keys of a tile */
#define TM 4         /**< rows of a thread, of scores and of O */
#define TN 4         /**< keys of a thread, 8 apart */
#define PAD 4        /**< words after a row in shared memory: 16 bytes */
#define THREADS 128  /**< of a block: 8 for each TM rows */
#define LEAST -1e30f /**< of a maximum: LEAST - LEAST is no NaN */
/** Shared memory of a block (bytes): Q, K, V, weights. */
#define SHARED(D)                                                              \
    (((BM + BN) * (D + PAD) + BN * D + BM * (BN + PAD)) * (int)sizeof(float))

/* ---- kernel ------------------------------------------------------------- */

/**
 * Copy a tile of rows into shared memory, in float32, all threads together;
 * zeros where there are fewer rows.
 *
 * @param to,apart  [ROWS x D], from row to row
 */
template <int ROWS, int D>
static __device__ void bring(float *to, int apart, const bfloat16 *x, int pitch,
                             int rows)
{
    int row = threadIdx.x / (D / 4), col = threadIdx.x % (D / 4) * 4;
    for (; row < ROWS; row += THREADS / (D / 4)) {
        uint2 four = {0, 0};
        if (row < rows)
            four = *(const uint2 *)(x + (int64_t)row * pitch + col);
        float2 a = __bfloat1622float2(*(const __nv_bfloat162 *)&four.x);
        float2 b = __bfloat1622float2(*(const __nv_bfloat162 *)&four.y);
        *(float4 *)(to + row * apart + col) = make_float4(a.x, a.y, b.x, b.y);
    }
}

/** Scores of a thread: TM rows at q with TN keys at k. */
template <int D>
static __device__ void multiply_rows(float s[TM][TN], const float *q,
                                     const float *k)
{
#pragma unroll 4
    for (int d = 0; d < D; d += 4) {
        float4 a[TM];
        for (int i = 0; i < TM; i++)
            a[i] = *(const float4 *)(q + i * (D + PAD) + d);
        for (int j = 0; j < TN; j++) {
            float4 b = *(const float4 *)(k + j * 8 * (D + PAD) + d);
            for (int i = 0; i < TM; i++) {
                s[i][j] += a[i].x * b.x;
                s[i][j] += a[i].y * b.y;
                s[i][j] += a[i].z * b.z;
                s[i][j] += a[i].w * b.w;
            }
        }
    }
}

/** Sums of a thread: TM rows of weights times 4 of each 32 columns of V. */
template <int D>
static __device__ void multiply_weights(float o[TM][D / 8], const float *p,
                                        const float *v)
{
    for (int k = 0; k < BN; k += 4) {
        float a[TM][4];
        for (int i = 0; i < TM; i++)
            *(float4 *)a[i] = *(const float4 *)(p + i * (BN + PAD) + k);
#pragma unroll
        for (int n = 0; n < 4; n++)
            for (int j = 0; j < D / 8; j += 4) {
                float b[4];
                *(float4 *)b = *(const float4 *)(v + (k + n) * D + j * 8);
                for (int i = 0; i < TM; i++)
                    for (int e = 0; e < 4; e++)
                        o[i][j + e] += a[i][n] * b[e];
            }
    }
}

/** The largest, or the sum, of what the 8 lanes of a row have. */
static __device__ float max_of_8_lanes(float x)
{
    for (int lanes = 8; lanes > 1; lanes /= 2)
        x = fmaxf(x, __shfl_xor_sync(~0u, x, lanes));
    return x;
}

static __device__ float sum_of_8_lanes(float x)
{
    for (int lanes = 8; lanes > 1; lanes /= 2)
        x += __shfl_xor_sync(~0u, x, lanes);
    return x;
}

/**
 * A block computes BM rows of O of a head; 8 threads TM of them.
 *
 * Launch: block THREADS, grid (ceil(S / BM), H, B), SHARED(D) bytes.
 */
template <int D>
__global__ void __launch_bounds__(THREADS, 3)
    attention_kernel(attention_problem p)
{
    extern __shared__ __align__(16) float shared[];
    float *Qs = shared, *Ks = Qs + BM * (D + PAD), *Vs = Ks + BN * (D + PAD);
    float *Ps = Vs + BN * D;

    int row = blockIdx.x * BM;
    // Of 16 bytes a lane: lanes in pairs, as in gemm_10.
    int y = (threadIdx.x / 16 * 2 + threadIdx.x % 2) * TM;
    int x = threadIdx.x / 2 % 8;
    const bfloat16 *Q = head_of(p.Q, p.q);
    const bfloat16 *K = head_of(p.K, p.k), *V = head_of(p.V, p.v);
    bfloat16 *O = head_of(p.O, p.o);
    float scale = 1.44269504f * rsqrtf((float)D); // powers of 2, not of e
    float o[TM][D / 8] = {};
    float most[TM], sum[TM] = {}; // the sum of this lane's weights
    for (int i = 0; i < TM; i++)
        most[i] = LEAST;

    bring<BM, D>(Qs, D + PAD, Q + (int64_t)row * p.q.row, p.q.row, p.S - row);
    int keys = seen_keys(&p, min(row + BM, p.S) - 1); // by the last row
    for (int key = 0; key < keys; key += BN) {
        __syncthreads(); // everyone has finished reading the last tiles
        bring<BN, D>(Ks, D + PAD, K + (int64_t)key * p.k.row, p.k.row,
                     p.keys - key);
        bring<BN, D>(Vs, D, V + (int64_t)key * p.v.row, p.v.row, p.keys - key);
        __syncthreads(); // these are complete

        float s[TM][TN] = {};
        multiply_rows<D>(s, Qs + y * (D + PAD), Ks + x * (D + PAD));
        // [online]
        for (int i = 0; i < TM; i++) {
            int seen = seen_keys(&p, row + y + i) - key; // of this tile
            float top = most[i];
            for (int j = 0; j < TN; j++) {
                s[i][j] = x + j * 8 < seen ? s[i][j] * scale : -INFINITY;
                top = fmaxf(top, s[i][j]);
            }
            top = max_of_8_lanes(top);
            float factor = exp2f(most[i] - top); // 1 where nothing has grown
            most[i] = top;
            sum[i] *= factor;
            for (int j = 0; j < D / 8; j++)
                o[i][j] *= factor;
            for (int j = 0; j < TN; j++) {
                float weight = exp2f(s[i][j] - top);
                sum[i] += weight;
                Ps[(y + i) * (BN + PAD) + x + j * 8] = weight;
            }
        }
        // [online]
        __syncwarp(); // the weights of these rows are there
        multiply_weights<D>(o, Ps + y * (BN + PAD), Vs + x * 4);
    }

    for (int i = 0; i < TM; i++) {
        float all = sum_of_8_lanes(sum[i]);
        float factor = all == 0.0f ? 0.0f : 1.0f / all; // 0: it sees no key
        int64_t at = (int64_t)(row + y + i) * p.o.row + x * 4;
        for (int j = 0; j < D / 8 && row + y + i < p.S; j += 4) {
            const float *part = o[i] + j;
            __nv_bfloat162 four[2] = {
                __floats2bfloat162_rn(part[0] * factor, part[1] * factor),
                __floats2bfloat162_rn(part[2] * factor, part[3] * factor)};
            *(uint2 *)(O + at + j * 8) = *(const uint2 *)four;
        }
    }
}

/* ---- launch ------------------------------------------------------------- */

/** Enqueue attention: a block for each BM rows of a head. */
template <int D>
static void enqueue(const attention_problem *p)
{
    CUDA_CHECK(cudaFuncSetAttribute(attention_kernel<D>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    SHARED(D)));
    dim3 grid(ceil_div(p->S, BM), p->H, p->B);
    attention_kernel<D><<<grid, THREADS, SHARED(D)>>>(*p);
    CHECK_LAUNCH(attention_kernel<D>, grid, THREADS, SHARED(D));
}

static void launch(const attention_problem *p)
{
    if (p->D == 64)
        enqueue<64>(p);
    else
        enqueue<128>(p);
}

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    // options, Q K V O, verify, time beside cuBLAS, report
    return attention_main(argc, argv, "attention_02_online", launch, 80, 0);
}
