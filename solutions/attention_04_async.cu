// Attention step 4, the exercise: a maximum that lags behind.
#include "attention.h"

#include "ptx.cuh"

#define WARPS 4      /**< of a block: each computes a row of O */
#define LAG 8        /**< weights may be as large as 2^LAG */
#define LEAST -1e30f /**< of a maximum */

/**
 * A warp takes the keys of a row one by one; a lane has columns lane, lane + 32
 * and so on of q, of k and v, and of o.
 *
 * Launch: block WARPS warps, grid (ceil(S / WARPS), H, B).
 */
__global__ void attention_kernel(attention_problem p)
{
    int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= p.S)
        return;
    const bfloat16 *q = head_of(p.Q, p.q) + (int64_t)row * p.q.row + lane;
    const bfloat16 *k = head_of(p.K, p.k) + lane;
    const bfloat16 *v = head_of(p.V, p.v) + lane;
    float scale = 1.44269504f * rsqrtf((float)p.D);

    float most = LEAST, sum = 0.0f, o[4] = {};
    for (int key = 0; key < seen_keys(&p, row); key++) {
        float score = 0.0f; // in powers of 2, the same in all lanes
        for (int j = 0; j < p.D / 32; j++)
            score += __bfloat162float(q[j * 32]) *
                     __bfloat162float(k[(int64_t)key * p.k.row + j * 32]);
        for (int lanes = 16; lanes > 0; lanes /= 2)
            score += __shfl_xor_sync(~0u, score, lanes);
        score *= scale;
        float weight = 0.0f;
        // [write 8] weight; most, sum and o only if the score exceeds most by
        // more than LAG
        if (score > most + LAG) {
            float factor = power_of_2(most - score);
            most = score;
            sum *= factor;
            for (int j = 0; j < p.D / 32; j++)
                o[j] *= factor;
        }
        weight = power_of_2(score - most);
        // [end]
        sum += weight;
        for (int j = 0; j < p.D / 32; j++)
            o[j] +=
                weight * __bfloat162float(v[(int64_t)key * p.v.row + j * 32]);
    }
    bfloat16 *out = head_of(p.O, p.o) + (int64_t)row * p.o.row + lane;
    for (int j = 0; j < p.D / 32; j++)
        out[j * 32] = __float2bfloat16(sum == 0.0f ? 0.0f : o[j] / sum);
}

/** Enqueue attention: a warp for each row. */
static void launch(const attention_problem *p)
{
    dim3 grid(ceil_div(p->S, WARPS), p->H, p->B);
    attention_kernel<<<grid, WARPS * 32>>>(*p);
    CHECK_LAUNCH(attention_kernel, grid, WARPS * 32, 0);
}

int main(int argc, char **argv)
{
    return attention_main(argc, argv, "attention_04_async", launch, 80, 0);
}
