/**
 * @file 3_online.cuh
 * @brief The largest element and the sum in one pass.
 *
 * Change: the sum begins before the largest element is known. When a larger one
 *         comes, what has been added so far is multiplied by
 *         exp(old - new), and is what it would have been.
 * Reason: x is asked for twice, not three times. The same correction merges
 *         what two threads know, so one reduction is left of two.
 * Limit:  x comes a second time, for the result.
 * Source: M. Milakov and N. Gimelshein, Online normalizer calculation for
 *         softmax, arXiv:1805.02867 (2018).
 * Uses:   warp_max, warp_sum (device.cuh)
 */

/** What is known of some elements of a row. */
typedef struct __align__(8)
{
    float most; /**< the largest; of none -Inf */
    float sum;  /**< of exp(x - most) */
}
part;

// [merge]
/** exp(x - most); 0 for -Inf, even where nothing larger has come so far. */
__device__ float weight(float x, float most)
{
    return x == -INFINITY ? 0.0f : expf(x - most);
}

/** What all lanes know together, in each of them. */
__device__ part warp_merge(part p)
{
    float most = warp_max(p.most);
    return {most, warp_sum(p.sum * weight(p.most, most))};
}
// [merge]

/** What all threads of a block know together, in each; once in a kernel. */
__device__ part block_merge(part p)
{
    __shared__ part of_warp[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    p = warp_merge(p);
    if (lane == 0)
        of_warp[warp] = p;
    __syncthreads(); // there is a part of each warp before all merge them
    part none = {-INFINITY, 0.0f};
    return warp_merge(lane < blockDim.x / 32 ? of_warp[lane] : none);
}

/**
 * A block computes a row.
 *
 * Launch: block BLOCK, a block a row.
 */
__global__ void __launch_bounds__(BLOCK) online_kernel(softmax s)
{
    const float *x = s.x + blockIdx.x * s.pitch;
    float *y = s.y + blockIdx.x * s.pitch;
    // [online]
    part p = {-INFINITY, 0.0f};
    for (int c = threadIdx.x; c < s.cols; c += BLOCK) {
        float value = x[c], most = fmaxf(p.most, value);
        p.sum = p.sum * weight(p.most, most) + weight(value, most);
        p.most = most;
    }
    p = block_merge(p);
    float scale = 1.0f / p.sum; // a division a thread, not one an element
    for (int c = threadIdx.x; c < s.cols; c += BLOCK)
        y[c] = expf(x[c] - p.most) * scale;
    // [online]
}

static void online(const void *problem)
{
    const softmax *s = (const softmax *)problem;
    unsigned grid = device_blocks(s->rows, 1);
    online_kernel<<<grid, BLOCK>>>(*s);
    CHECK_LAUNCH(online_kernel, grid, BLOCK, 0);
}
