// hunt of softmax
// Rows that add up to almost 1.
#include "../chapters/softmax/host/problem.cuh"

#define THREADS 1024 /**< of a block: 32 warps */

/** The sum of all threads' values, in each of them. */
__device__ float sum_of_block(float value)
{
    __shared__ float of_warp[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = warp_sum(value);
    if (lane == 0)
        of_warp[warp] = value;
    __syncthreads(); // there is a sum of each warp before any is read
    // [hunt]
    value = of_warp[lane];
    //: if (warp == 0)
    //:     value = of_warp[lane];
    // [end]
    return warp_sum(value);
}

/** Launch: block THREADS, a block a row. */
__global__ void __launch_bounds__(THREADS) almost_one_kernel(softmax s)
{
    const float *x = s.x + blockIdx.x * s.pitch;
    float *y = s.y + blockIdx.x * s.pitch;
    float most = -INFINITY, sum = 0.0f;
    for (int c = threadIdx.x; c < s.cols; c += THREADS)
        most = fmaxf(most, x[c]);
    most = block_max(most);
    for (int c = threadIdx.x; c < s.cols; c += THREADS)
        sum += expf(x[c] - most);
    sum = sum_of_block(sum);
    for (int c = threadIdx.x; c < s.cols; c += THREADS)
        y[c] = expf(x[c] - most) / sum;
}

static void almost_one(const void *problem)
{
    const softmax *s = (const softmax *)problem;
    unsigned grid = device_blocks(s->rows, 1);
    almost_one_kernel<<<grid, THREADS>>>(*s);
    CHECK_LAUNCH(almost_one_kernel, grid, THREADS, 0);
}

static const variant variants[] = {
    {"almost_one", "a block a row, three passes", almost_one},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    return variants_main(&e, argc, argv);
}
