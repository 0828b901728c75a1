// Attention step 3, the exercise: from scores to weights, in registers.
#include "attention.h"

#include "ptx.cuh"

/** Two neighbours of a row, or zeros. */
static __device__ uint32_t word(const bfloat16 *x, bool there)
{
    return there ? *(const uint32_t *)x : 0;
}

/** Two of a column, from row to row `pitch`, those of the first `left`. */
static __device__ uint32_t two(const bfloat16 *x, int pitch, int left)
{
    __nv_bfloat162 pair;
    pair.x = left > 0 ? *x : __float2bfloat16(0.0f);
    pair.y = left > 1 ? x[pitch] : __float2bfloat16(0.0f);
    return *(const uint32_t *)&pair;
}

/**
 * A warp computes 16 rows of O, 16 keys at a time, without shared memory.
 *
 * Launch: block 32, grid (ceil(S / 16), H, B).
 */
template <int D>
__global__ void attention_kernel(attention_problem p)
{
    int lane = threadIdx.x, row = blockIdx.x * 16 + lane / 4;
    int x = lane % 4 * 2;
    const bfloat16 *Q = head_of(p.Q, p.q) + x, *K = head_of(p.K, p.k) + x;
    const bfloat16 *V = head_of(p.V, p.v) + lane / 4;
    bfloat16 *O = head_of(p.O, p.o) + x;
    float scale = 1.44269504f * rsqrtf((float)D);
    float most[2] = {-1e30f, -1e30f}, sum[2] = {}, o[D / 8][4] = {};

    for (int key = 0; key < p.keys; key += 16) {
        float s[2][4] = {};
        for (int k = 0; k < D; k += 16) {
            uint32_t a[4], b[2];
            for (int i = 0; i < 4; i++)
                a[i] = word(Q + (int64_t)(row + i % 2 * 8) * p.q.row + k +
                                i / 2 * 8,
                            row + i % 2 * 8 < p.S);
            for (int j = 0; j < 2; j++) {
                int at = key + j * 8 + lane / 4;
                for (int i = 0; i < 2; i++)
                    b[i] = word(K + (int64_t)at * p.k.row + k + i * 8,
                                at < p.keys);
                mma_m16n8k16(s[j], a, b);
            }
        }
        for (int i = 0; i < 8; i++)
            if (key + i / 4 * 8 + x + i % 2 >=
                seen_keys(&p, row + i % 4 / 2 * 8))
                s[i / 4][i % 4] = -INFINITY;

        uint32_t weights[4] = {}; // a fragment of A
        // [write 18] weights, and most, sum and o for these 16 keys: h = 0 is
        // row `row`, h = 1 row + 8
        for (int h = 0; h < 2; h++) {
            float *left = s[0] + h * 2, *right = s[1] + h * 2;
            float top =
                fmaxf(fmaxf(left[0], left[1]), fmaxf(right[0], right[1]));
            top = max_of_4_lanes(fmaxf(top, most[h]));
            float factor = power_of_2((most[h] - top) * scale);
            most[h] = top;
            sum[h] *= factor;
            for (int j = 0; j < D / 8; j++)
                for (int e = 0; e < 2; e++)
                    o[j][h * 2 + e] *= factor;
            for (int j = 0; j < 2; j++) {
                float a = power_of_2((s[j][h * 2] - top) * scale);
                float b = power_of_2((s[j][h * 2 + 1] - top) * scale);
                sum[h] += a + b;
                weights[j * 2 + h] = pair_bf16(a, b);
            }
        }
        // [end]

        for (int j = 0; j < D / 8; j++) {
            uint32_t b[2];
            for (int i = 0; i < 2; i++) {
                int at = key + i * 8 + x;
                b[i] = two(V + (int64_t)at * p.v.row + j * 8, p.v.row,
                           p.keys - at);
            }
            mma_m16n8k16(o[j], weights, b);
        }
    }
    for (int h = 0; h < 2; h++) {
        float all = sum_of_4_lanes(sum[h]);
        float factor = all == 0.0f ? 0.0f : 1.0f / all;
        for (int j = 0; j < D / 8 && row + h * 8 < p.S; j++)
            *(uint32_t *)(O + (int64_t)(row + h * 8) * p.o.row + j * 8) =
                pair_bf16(o[j][h * 2] * factor, o[j][h * 2 + 1] * factor);
    }
}

/** Enqueue attention: a warp for each 16 rows. */
template <int D>
static void enqueue(const attention_problem *p)
{
    dim3 grid(ceil_div(p->S, 16), p->H, p->B);
    attention_kernel<D><<<grid, 32>>>(*p);
    CHECK_LAUNCH(attention_kernel<D>, grid, 32, 0);
}

static void launch(const attention_problem *p)
{
    if (p->D == 64)
        enqueue<64>(p);
    else
        enqueue<128>(p);
}

int main(int argc, char **argv)
{
    return attention_main(argc, argv, "attention_03_fragments", launch, 80, 0);
}
