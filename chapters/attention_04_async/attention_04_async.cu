/**
 * @file attention_04_async.cu
 * @brief Attention, step 4: tiles come ahead, and the maximum may lag behind.
 *
 * O = softmax(Q K^T / sqrt(D)) V for each head: Q, O [S x D], K, V [keys x D]
 * in bfloat16, sums in float32.
 *
 * Change:  cp.async brings the next tile meanwhile, its pieces swizzled. The
 *          maximum of a row follows only if a score exceeds it by 2^8.
 * Reason:  nobody waits for a tile. While nothing grows by much, lanes need not
 *          agree on a maximum, and nothing is corrected.
 * Run:     make chapter=attention_04 run
 * Measure: make compare chapter=attention
 * Limit:   mma.sync makes two thirds of what tensor cores can do, and each warp
 *          loads all fragments of K and V for 32 rows.
 */

#include "attention.h"

#include "ptx.cuh"

/* ---- parameters --------------------------------------------------------- */

#define BM 128                 /**< rows of Q and O of a block */
#define BN 64                  /**< keys of a tile */
#define WM 32                  /**< rows of a warp: two fragments */
#define MT (WM / 16)           /**< fragments of rows */
#define LEAST -1e30f           /**< of a maximum: LEAST - LEAST is no NaN */
#define LAG 8                  /**< weights may be as large as 2^LAG */
#define THREADS (BM / WM * 32) /**< of a block: 128 */
/** Shared memory of a block (bytes): Q, two tiles of K and of V. */
#define SHARED(D) ((BM + 4 * BN) * D * (int)sizeof(bfloat16))

/* ---- kernel ------------------------------------------------------------- */

/** Where an element lies in a tile: as in tensor_03. */
template <int D>
static __device__ int place(int row, int col)
{
    return row * D + (col / 8 ^ row % 8) * 8;
}

/** Begin to copy a tile of rows into shared memory, all threads together;
 *  zeros where there are fewer rows. */
template <int ROWS, int D>
static __device__ void copy(bfloat16 *to, const bfloat16 *x, int pitch,
                            int rows)
{
    int row = threadIdx.x / (D / 8), col = threadIdx.x % (D / 8) * 8;
    uint32_t at = shared_address(to + place<D>(row, col));
    x += (int64_t)row * pitch + col;
#pragma unroll
    for (int i = 0; i < ROWS; i += THREADS / (D / 8)) // multiples of 8
        copy_async(at + i * D * 2, x + (int64_t)i * pitch,
                   row + i < rows ? 16 : 0);
}

/** s = Q K^T of a warp: K lies as ldmatrix wants it, with k side by side. */
template <int D>
static __device__ void multiply_rows(float s[MT][BN / 8][4], uint32_t q_at,
                                     uint32_t k_at)
{
#pragma unroll
    for (int k = 0; k < D; k += 16) {
        uint32_t a[MT][4], b[4];
        for (int i = 0; i < MT; i++) // 16 rows, 16 of D
            ldmatrix_x4(a[i], (q_at ^ k * 2) + i * 16 * D * 2);
        for (int j = 0; j < BN / 16; j++) { // 16 of D, 16 keys
            ldmatrix_x4(b, (k_at ^ k * 2) + j * 16 * D * 2);
            for (int i = 0; i < MT; i++) {
                mma_m16n8k16(s[i][j * 2], a[i], b);
                mma_m16n8k16(s[i][j * 2 + 1], a[i], b + 2);
            }
        }
    }
}

/** o += weights V for 16 keys from k on: two products a fragment of V. */
template <int D>
static __device__ void multiply_weights(float o[MT][D / 8][4],
                                        uint32_t weights[MT][4], uint32_t v_at,
                                        int k)
{
#pragma unroll
    for (int j = 0; j < D / 16; j++) { // 16 columns
        uint32_t b[4];
        ldmatrix_x4_trans(b, (v_at ^ j * 32) + k * D * 2);
        for (int i = 0; i < MT; i++) {
            mma_m16n8k16(o[i][j * 2], weights[i], b);
            mma_m16n8k16(o[i][j * 2 + 1], weights[i], b + 2);
        }
    }
}

/** Scores of keys that a row does not see; this lane's first row and key. */
static __device__ void mask(float s[MT][BN / 8][4], const attention_problem &p,
                            int row, int key)
{
#pragma unroll
    for (int i = 0; i < MT; i++)
        for (int j = 0; j < BN / 8; j++)
            for (int e = 0; e < 4; e++)
                if (key + j * 8 + e % 2 >=
                    seen_keys(&p, row + i * 16 + e / 2 * 8))
                    s[i][j][e] = -INFINITY;
}

/** All so far becomes relative to the largest scores of the rows. */
template <int D>
static __device__ void follow(float most[MT][2], float top[MT][2],
                              float sum[MT][2], float o[MT][D / 8][4],
                              float scale)
{
#pragma unroll
    for (int i = 0; i < MT; i++)
        for (int h = 0; h < 2; h++) {
            top[i][h] = max_of_4_lanes(top[i][h]);
            float factor = power_of_2((most[i][h] - top[i][h]) * scale);
            most[i][h] = top[i][h];
            sum[i][h] *= factor;
            for (int j = 0; j < D / 8; j++) {
                o[i][j][h * 2] *= factor;
                o[i][j][h * 2 + 1] *= factor;
            }
        }
}

/**
 * A block computes BM rows of O of a head, a warp WM of them.
 *
 * Launch: block THREADS, grid (ceil(S / BM), H, B), SHARED(D) bytes.
 */
template <int D>
__global__ void __launch_bounds__(THREADS, 2)
    attention_kernel(attention_problem p)
{
    extern __shared__ __align__(256) bfloat16 shared[];
    bfloat16 *Qs = shared, *Ks = Qs + BM * D, *Vs = Ks + 2 * BN * D;

    int row = (gridDim.x - 1 - blockIdx.x) * BM; // long causal rows first
    int lane = threadIdx.x % 32, y = threadIdx.x / 32 * WM;
    const bfloat16 *Q = head_of(p.Q, p.q);
    const bfloat16 *K = head_of(p.K, p.k), *V = head_of(p.V, p.v);
    float scale = 1.44269504f * rsqrtf((float)D); // powers of 2, not of e
    float o[MT][D / 8][4] = {};
    float most[MT][2], sum[MT][2] = {}; // of rows lane / 4, and 8 below
    for (int i = 0; i < MT * 2; i++)
        most[i / 2][i % 2] = LEAST;

    // This lane's rows of squares for ldmatrix.
    uint32_t q_at = shared_address(Qs + place<D>(y + lane % 16, lane / 16 * 8));
    uint32_t k_at = shared_address(
        Ks + place<D>(lane / 16 * 8 + lane % 8, lane / 8 % 2 * 8));
    uint32_t v_at = shared_address(Vs + place<D>(lane % 16, lane / 16 * 8));

    int keys = seen_keys(&p, min(row + BM, p.S) - 1); // by the last row
    copy<BM, D>(Qs, Q + (int64_t)row * p.q.row, p.q.row, p.S - row);
    copy<BN, D>(Ks, K, p.k.row, p.keys);
    copy<BN, D>(Vs, V, p.v.row, p.keys);
    copy_commit();
    int now = 0; // which of two tiles
    for (int key = 0; key < keys; key += BN, now ^= 1) {
        // [ahead]
        copy_wait<0>();
        __syncthreads(); // this tile is complete, and the last one is read
        int next = key + BN;
        if (next < keys) {
            int to = (now ^ 1) * BN * D, left = p.keys - next;
            copy<BN, D>(Ks + to, K + (int64_t)next * p.k.row, p.k.row, left);
            copy<BN, D>(Vs + to, V + (int64_t)next * p.v.row, p.v.row, left);
            copy_commit();
        }
        // [ahead]

        float s[MT][BN / 8][4] = {};
        multiply_rows<D>(s, q_at, k_at + now * BN * D * 2);
        if (next > seen_keys(&p, row + y)) // more than the first row sees
            mask(s, p, row + y + lane / 4, key + lane % 4 * 2);
        // [lazy]
        float top[MT][2];
        bool grown = false;
#pragma unroll
        for (int i = 0; i < MT; i++)
            for (int h = 0; h < 2; h++) { // rows 0 to 7, and 8 to 15
                top[i][h] = most[i][h];
                for (int j = 0; j < BN / 8; j++)
                    top[i][h] = fmaxf(
                        top[i][h], fmaxf(s[i][j][h * 2], s[i][j][h * 2 + 1]));
                grown |= (top[i][h] - most[i][h]) * scale > LAG;
            }
        if (__any_sync(~0u, grown))
            follow<D>(most, top, sum, o, scale);
        // [lazy]
        uint32_t weights[BN / 16][MT][4]; // of 16 keys: a fragment of A
#pragma unroll
        for (int i = 0; i < MT; i++)
            for (int h = 0; h < 2; h++) {
                float scaled = most[i][h] * scale;
                for (int j = 0; j < BN / 8; j++) {
                    float a = power_of_2(s[i][j][h * 2] * scale - scaled);
                    float b = power_of_2(s[i][j][h * 2 + 1] * scale - scaled);
                    sum[i][h] += a + b;
                    weights[j / 2][i][j % 2 * 2 + h] = pair_bf16(a, b);
                }
            }
#pragma unroll
        for (int k = 0; k < BN / 16; k++)
            multiply_weights<D>(o, weights[k], v_at + now * BN * D * 2, k * 16);
    }

    bfloat16 *O = head_of(p.O, p.o) + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < MT; i++)
        for (int h = 0; h < 2; h++) {
            int at = row + y + i * 16 + h * 8 + lane / 4;
            float all = sum_of_4_lanes(sum[i][h]);
            float factor = all == 0.0f ? 0.0f : 1.0f / all; // 0: sees no key
            for (int j = 0; j < D / 8 && at < p.S; j++)
                *(uint32_t *)(O + (int64_t)at * p.o.row + j * 8) = pair_bf16(
                    o[i][j][h * 2] * factor, o[i][j][h * 2 + 1] * factor);
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
    return attention_main(argc, argv, "attention_04_async", launch, 80, 0);
}
