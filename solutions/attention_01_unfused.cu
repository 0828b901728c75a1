// Attention step 1, the exercise: the largest score and the sum in one pass.
#include "attention.h"

#define WARPS 4 /**< of a block: each computes a row of O */

/** The largest, or the sum, of what the lanes of a warp have. */
static __device__ float max_of_lanes(float x)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        x = fmaxf(x, __shfl_xor_sync(~0u, x, lanes));
    return x;
}

static __device__ float sum_of_lanes(float x)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        x += __shfl_xor_sync(~0u, x, lanes);
    return x;
}

/** Launch: block WARPS warps, grid (ceil(S / WARPS), H, B). */
__global__ void attention_kernel(attention_problem p)
{
    int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= p.S)
        return;
    const bfloat16 *q = head_of(p.Q, p.q) + (int64_t)row * p.q.row;
    const bfloat16 *k = head_of(p.K, p.k), *v = head_of(p.V, p.v);
    bfloat16 *o = head_of(p.O, p.o) + (int64_t)row * p.o.row;
    int64_t head = (int64_t)blockIdx.z * p.H + blockIdx.y;
    float *scores = p.scores + (head * p.S + row) * p.pitch;
    int seen = seen_keys(&p, row);

    for (int key = lane; key < seen; key += 32) {
        float sum = 0.0f;
        for (int d = 0; d < p.D; d++)
            sum += __bfloat162float(q[d]) *
                   __bfloat162float(k[(int64_t)key * p.k.row + d]);
        scores[key] = sum * rsqrtf((float)p.D);
    }

    float most = -INFINITY, sum = 0.0f;
    // [write 9] most: the largest of scores[0] to scores[seen - 1]; sum: that
    // of all expf(score - most); with one load of each score
    for (int key = lane; key < seen; key += 32) {
        float score = scores[key], old = most;
        most = fmaxf(most, score);
        sum = sum * expf(old - most) + expf(score - most);
    }
    float largest = max_of_lanes(most);
    sum = sum_of_lanes(sum > 0.0f ? sum * expf(most - largest) : 0.0f);
    most = largest;
    // [end]
    for (int key = lane; key < seen; key += 32)
        scores[key] = expf(scores[key] - most) / sum;
    __syncwarp(); // all weights are there

    for (int d = lane; d < p.D; d += 32) {
        float mean = 0.0f;
        for (int key = 0; key < seen; key++)
            mean +=
                scores[key] * __bfloat162float(v[(int64_t)key * p.v.row + d]);
        o[d] = __float2bfloat16(mean);
    }
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
    return attention_scores_main(argc, argv, "attention_01_unfused", launch, 80,
                                 0);
}
