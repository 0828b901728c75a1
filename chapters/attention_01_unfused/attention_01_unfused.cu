/**
 * @file attention_01_unfused.cu
 * @brief Attention, step 1: a product, a softmax, a product.
 *
 * O = softmax(Q K^T / sqrt(D)) V for each head: Q, O [S x D], K, V [keys x D]
 * in bfloat16, sums in float32.
 *
 * Reason:  two products as in the ladder of GEMM, and a small kernel between
 *          them: what anybody writes first, and what libraries offer.
 * Run:     make chapter=attention_01 run
 * Measure: make chapter=attention_01 profile
 * Limit:   between the kernels all scores lie in memory. 64 heads of 4096 rows
 *          and keys have 4.3 GB of them, 16 times as much as Q, K, V and O.
 */

#include "attention.h"

/* ---- parameters --------------------------------------------------------- */

#define TILE 64     /**< rows and columns of a product that a block computes */
#define STEP 16     /**< of the sum's index, k */
#define EACH 4      /**< rows and columns of the tile of a thread */
#define ROW 68      /**< words from k to k in shared memory */
#define THREADS 256 /**< of a block */

/* ---- kernels ------------------------------------------------------------ */

static __device__ float number(float x)
{
    return x;
}

static __device__ float number(bfloat16 x)
{
    return __bfloat162float(x);
}

/** Bring a tile of the left factor, [TILE x STEP], so that a row has one k;
 *  zeros where there are fewer rows or fewer k. */
template <class T>
static __device__ void bring_turned(float to[STEP][ROW], const T *x, int pitch,
                                    int rows, int left)
{
    int k = threadIdx.x % STEP;
    for (int row = threadIdx.x / STEP; row < TILE; row += THREADS / STEP)
        to[k][row] =
            row < rows && k < left ? number(x[(int64_t)row * pitch + k]) : 0.0f;
}

/** Add STEP products to each sum of a thread: gemm_05's, with loads of 16
 *  bytes. */
static __device__ void multiply(float sum[EACH][EACH], const float A[STEP][ROW],
                                const float B[STEP][ROW])
{
    int y = threadIdx.x / 16 * EACH, x = threadIdx.x % 16 * EACH;
#pragma unroll
    for (int k = 0; k < STEP; k++) {
        float4 a4 = *(const float4 *)&A[k][y], b4 = *(const float4 *)&B[k][x];
        float a[EACH] = {a4.x, a4.y, a4.z, a4.w};
        float b[EACH] = {b4.x, b4.y, b4.z, b4.w};
        for (int i = 0; i < EACH; i++)
            for (int j = 0; j < EACH; j++)
                sum[i][j] += a[i] * b[j];
    }
}

/**
 * Scores = Q K^T / sqrt(D): a block computes TILE rows and keys of a head.
 *
 * Launch: block THREADS, grid (ceil(keys / TILE), ceil(S / TILE), B * H).
 */
__global__ void __launch_bounds__(THREADS) scores_kernel(attention_problem p)
{
    __shared__ __align__(16) float Qs[STEP][ROW], Ks[STEP][ROW];
    int row = blockIdx.y * TILE, key = blockIdx.x * TILE;
    int batch = blockIdx.z / p.H, head = blockIdx.z % p.H;
    const bfloat16 *Q = p.Q + batch * p.q.batch + head * p.q.head;
    const bfloat16 *K = p.K + batch * p.k.batch + head * p.k.head;
    Q += (int64_t)row * p.q.row;
    K += (int64_t)key * p.k.row;

    float sum[EACH][EACH] = {};
    for (int k = 0; k < p.D; k += STEP) {
        bring_turned(Qs, Q + k, p.q.row, p.S - row, STEP);
        bring_turned(Ks, K + k, p.k.row, p.keys - key, STEP);
        __syncthreads(); // both tiles are complete
        multiply(sum, Qs, Ks);
        __syncthreads(); // everyone has finished reading
    }

    row += threadIdx.x / 16 * EACH;
    key += threadIdx.x % 16 * EACH;
    float *scores = p.scores + ((int64_t)blockIdx.z * p.S + row) * p.pitch;
    float scale = rsqrtf((float)p.D);
    for (int i = 0; i < EACH; i++)
        if (row + i < p.S && key < p.keys)
            *(float4 *)(scores + (int64_t)i * p.pitch + key) =
                make_float4(scale * sum[i][0], scale * sum[i][1],
                            scale * sum[i][2], scale * sum[i][3]);
}

/** Sum, or the largest, of what the lanes of a warp have. */
static __device__ float sum_of_lanes(float x)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        x += __shfl_xor_sync(~0u, x, lanes);
    return x;
}

static __device__ float max_of_lanes(float x)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        x = fmaxf(x, __shfl_xor_sync(~0u, x, lanes));
    return x;
}

/**
 * Scores become weights, in place; those of keys that a row does not see 0. A
 * warp has a row.
 *
 * Launch: block THREADS, grid ceil(B * H * S / warps of a block).
 */
// [softmax]
__global__ void __launch_bounds__(THREADS) softmax_kernel(attention_problem p)
{
    int64_t row = (int64_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= (int64_t)p.B * p.H * p.S)
        return;
    float *scores = p.scores + row * p.pitch;
    int seen = seen_keys(&p, (int)(row % p.S));

    float most = -INFINITY;
    for (int key = lane; key < seen; key += 32)
        most = fmaxf(most, scores[key]);
    most = max_of_lanes(most);

    float sum = 0.0f;
    for (int key = lane; key < seen; key += 32)
        sum += expf(scores[key] - most);
    sum = sum_of_lanes(sum);

    for (int key = lane; key < p.keys; key += 32)
        scores[key] = key < seen ? expf(scores[key] - most) / sum : 0.0f;
}
// [softmax]

/**
 * O = weights V: a block computes TILE rows and columns of a head.
 *
 * Launch: block THREADS, grid (D / TILE, ceil(S / TILE), B * H).
 */
__global__ void __launch_bounds__(THREADS) output_kernel(attention_problem p)
{
    __shared__ __align__(16) float Ps[STEP][ROW], Vs[STEP][ROW];
    int row = blockIdx.y * TILE, col = blockIdx.x * TILE;
    int batch = blockIdx.z / p.H, head = blockIdx.z % p.H;
    const float *P = p.scores + ((int64_t)blockIdx.z * p.S + row) * p.pitch;
    const bfloat16 *V = p.V + batch * p.v.batch + head * p.v.head + col;

    float sum[EACH][EACH] = {};
    for (int key = 0; key < p.keys; key += STEP) {
        bring_turned(Ps, P + key, p.pitch, p.S - row, p.keys - key);
        int x = threadIdx.x % TILE;
        for (int k = threadIdx.x / TILE; k < STEP; k += THREADS / TILE)
            Vs[k][x] = key + k < p.keys
                           ? number(V[(int64_t)(key + k) * p.v.row + x])
                           : 0.0f;
        __syncthreads(); // both tiles are complete
        multiply(sum, Ps, Vs);
        __syncthreads(); // everyone has finished reading
    }

    row += threadIdx.x / 16 * EACH;
    col += threadIdx.x % 16 * EACH;
    bfloat16 *O = p.O + batch * p.o.batch + head * p.o.head + col;
    for (int i = 0; i < EACH && row + i < p.S; i++) {
        __nv_bfloat162 four[2] = {__floats2bfloat162_rn(sum[i][0], sum[i][1]),
                                  __floats2bfloat162_rn(sum[i][2], sum[i][3])};
        *(uint2 *)(O + (int64_t)(row + i) * p.o.row) = *(const uint2 *)four;
    }
}

/* ---- launch ------------------------------------------------------------- */

/** Enqueue attention: three kernels. */
static void launch(const attention_problem *p)
{
    int heads = p->B * p->H;
    REQUIRE(heads <= MAX_GRID_Y, "--b %d --h %d: at most %d heads in all", p->B,
            p->H, MAX_GRID_Y);
    dim3 tiles(ceil_div(p->keys, TILE), ceil_div(p->S, TILE), heads);
    scores_kernel<<<tiles, THREADS>>>(*p);
    CHECK_LAUNCH(scores_kernel, tiles, THREADS, 0);

    unsigned rows = device_blocks((int64_t)heads * p->S, THREADS / 32);
    softmax_kernel<<<rows, THREADS>>>(*p);
    CHECK_LAUNCH(softmax_kernel, rows, THREADS, 0);

    tiles.x = p->D / TILE;
    output_kernel<<<tiles, THREADS>>>(*p);
    CHECK_LAUNCH(output_kernel, tiles, THREADS, 0);
}

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    // options, Q K V O, verify, time beside cuBLAS, report
    return attention_scores_main(argc, argv, "attention_01_unfused", launch, 80,
                                 0);
}
