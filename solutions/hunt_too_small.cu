// hunt of attention_02_online
// Rows whose largest score comes late are too small.
#include "attention.h"

/**
 * A warp computes one row of O, key by key; a lane has columns lane, lane + 32
 * and so on of q, of k and v, and of o.
 *
 * Launch: block 32, grid (S, H, B).
 */
__global__ void attention_kernel(attention_problem p)
{
    int row = blockIdx.x, lane = threadIdx.x;
    const bfloat16 *q = head_of(p.Q, p.q) + (int64_t)row * p.q.row + lane;
    const bfloat16 *k = head_of(p.K, p.k) + lane;
    const bfloat16 *v = head_of(p.V, p.v) + lane;

    float most = -1e30f, sum = 0.0f, o[4] = {};
    for (int key = 0; key < seen_keys(&p, row); key++) {
        float score = 0.0f;
        for (int j = 0; j < p.D / 32; j++)
            score += __bfloat162float(q[j * 32]) *
                     __bfloat162float(k[(int64_t)key * p.k.row + j * 32]);
        for (int lanes = 16; lanes > 0; lanes /= 2)
            score += __shfl_xor_sync(~0u, score, lanes);
        score *= rsqrtf((float)p.D);
        float top = fmaxf(most, score), factor = expf(most - top);
        float weight = expf(score - top);
        most = top;
        // [hunt]
        sum = sum * factor + weight;
        //: sum += weight;
        // [end]
        for (int j = 0; j < p.D / 32; j++) {
            float x = __bfloat162float(v[(int64_t)key * p.v.row + j * 32]);
            o[j] = o[j] * factor + weight * x;
        }
    }

    bfloat16 *to = head_of(p.O, p.o) + (int64_t)row * p.o.row + lane;
    for (int j = 0; j < p.D / 32; j++)
        to[j * 32] = __float2bfloat16(sum == 0.0f ? 0.0f : o[j] / sum);
}

/** Enqueue attention: a warp for each row. */
static void launch(const attention_problem *p)
{
    dim3 grid(p->S, p->H, p->B);
    attention_kernel<<<grid, 32>>>(*p);
    CHECK_LAUNCH(attention_kernel, grid, 32, 0);
}

int main(int argc, char **argv)
{
    return attention_main(argc, argv, "attention_02_online", launch, 80, 0);
}
