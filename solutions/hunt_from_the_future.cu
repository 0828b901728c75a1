// hunt of attention_03_fragments
// With --causal 1 rows know keys that come after them.
#include "attention.h"

#define TILE 32 /**< keys that pass by together: one for each lane */

/** The sum, or the largest, of what all lanes have. */
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
 * A warp computes one row of O, in tiles of keys. A lane has one key of a tile
 * for its score, and columns lane, lane + 32 and so on of v and of o.
 *
 * Launch: block 32, grid (S, H, B).
 */
__global__ void attention_kernel(attention_problem p)
{
    int row = blockIdx.x, lane = threadIdx.x;
    const bfloat16 *q = head_of(p.Q, p.q) + (int64_t)row * p.q.row;
    const bfloat16 *K = head_of(p.K, p.k), *V = head_of(p.V, p.v) + lane;
    int seen = seen_keys(&p, row);
    float scale = rsqrtf((float)p.D), most = -1e30f, sum = 0.0f, o[4] = {};

    for (int first = 0; first < p.keys; first += TILE) {
        int key = first + lane;
        float score = 0.0f;
        for (int j = 0; j < p.D && key < p.keys; j++)
            score += __bfloat162float(q[j]) *
                     __bfloat162float(K[(int64_t)key * p.k.row + j]);
        score *= scale;
        // A tile that the row sees as a whole needs no mask.
        // [hunt]
        if (first + TILE > seen)
            score = key < seen ? score : -INFINITY;
        //: if (first + TILE > p.keys)
        //:     score = key < seen ? score : -INFINITY;
        // [end]
        float top = fmaxf(most, max_of_lanes(score));
        float factor = expf(most - top), weight = expf(score - top);
        most = top;
        sum = sum * factor + sum_of_lanes(weight);
        for (int j = 0; j < p.D / 32; j++)
            o[j] *= factor;
        for (int i = 0; i < TILE && first + i < p.keys; i++) {
            float one = __shfl_sync(~0u, weight, i);
            for (int j = 0; j < p.D / 32; j++)
                o[j] += one * __bfloat162float(
                                  V[(int64_t)(first + i) * p.v.row + j * 32]);
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
    return attention_main(argc, argv, "attention_03_fragments", launch, 80, 0);
}
