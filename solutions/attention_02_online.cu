// Attention step 2, the exercise: four warps share the keys of a row.
#include "attention.h"

#define WARPS 4 /**< of a block, which computes one row of O */

/**
 * Each warp takes every fourth key; a lane has columns lane, lane + 32 and so
 * on of q, of k and v, and of o. In the end the warps join what they have.
 *
 * Launch: block WARPS warps, grid (S, H, B).
 */
__global__ void attention_kernel(attention_problem p)
{
    __shared__ float mosts[WARPS], sums[WARPS], parts[WARPS][128];
    int row = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const bfloat16 *q = head_of(p.Q, p.q) + (int64_t)row * p.q.row + lane;
    const bfloat16 *k = head_of(p.K, p.k) + lane;
    const bfloat16 *v = head_of(p.V, p.v) + lane;

    float most = -1e30f, sum = 0.0f, o[4] = {};
    for (int key = warp; key < seen_keys(&p, row); key += WARPS) {
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
        sum = sum * factor + weight;
        for (int j = 0; j < p.D / 32; j++)
            o[j] =
                o[j] * factor +
                weight * __bfloat162float(v[(int64_t)key * p.v.row + j * 32]);
    }

    float mean = 0.0f; // column threadIdx.x of the row of O
    // [write 14] join what the warps have in most, sum and o; 0 if there is no
    // key
    mosts[warp] = most;
    sums[warp] = sum;
    for (int j = 0; j < p.D / 32; j++)
        parts[warp][j * 32 + lane] = o[j];
    __syncthreads(); // what all warps have is there
    for (int i = 0; i < WARPS; i++)
        most = fmaxf(most, mosts[i]);
    float all = 0.0f;
    for (int i = 0; i < WARPS && threadIdx.x < p.D; i++) {
        float factor = expf(mosts[i] - most);
        all += sums[i] * factor;
        mean += parts[i][threadIdx.x] * factor;
    }
    mean = all == 0.0f ? 0.0f : mean / all;
    // [end]
    if (threadIdx.x < p.D)
        head_of(p.O, p.o)[(int64_t)row * p.o.row + threadIdx.x] =
            __float2bfloat16(mean);
}

/** Enqueue attention: a block for each row. */
static void launch(const attention_problem *p)
{
    dim3 grid(p->S, p->H, p->B);
    attention_kernel<<<grid, WARPS * 32>>>(*p);
    CHECK_LAUNCH(attention_kernel, grid, WARPS * 32, 0);
}

int main(int argc, char **argv)
{
    return attention_main(argc, argv, "attention_02_online", launch, 80, 0);
}
