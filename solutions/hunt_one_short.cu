// hunt of reduction
// Right if n is a multiple of four.
#include "../chapters/reduction/host/problem.cuh"

#define THREADS 256 /**< of a block */
#define BLOCKS 64   /**< of the grid */

/** Launch: BLOCKS blocks of THREADS, after identity_kernel. */
template <operation OP>
__global__ void fours_kernel(int64_t n, const float *x, float *result)
{
    __shared__ float work[THREADS];
    int t = threadIdx.x;
    const float4 *fours = (const float4 *)x;
    float value = identity<OP>();
    int64_t thread = (int64_t)blockIdx.x * THREADS + t;
    for (int64_t i = thread; i < n / 4; i += THREADS * BLOCKS) {
        float4 v = fours[i];
        value = combine<OP>(
            value, combine<OP>(combine<OP>(v.x, v.y), combine<OP>(v.z, v.w)));
    }
    // Up to three elements are left after the last four.
    // [hunt]
    if (thread < n % 4)
        value = combine<OP>(value, x[n - 1 - thread]);
    //: if (thread < n % 4 - 1)
    //:     value = combine<OP>(value, x[n - 1 - thread]);
    // [end]

    work[t] = value;
    __syncthreads(); // all shares are there before anybody combines them
    for (int stride = THREADS / 2; stride >= 1; stride /= 2) {
        if (t < stride)
            work[t] = combine<OP>(work[t], work[t + stride]);
        __syncthreads(); // this step's results before the next one's reads
    }
    if (t == 0)
        combine_atomically<OP>(result, work[0]);
}

template <operation OP>
static void launch_fours(const reduction *r)
{
    identity_kernel<OP><<<1, 1>>>(r->result);
    CHECK_LAUNCH(identity_kernel<OP>, 1, 1, 0);
    fours_kernel<OP><<<BLOCKS, THREADS>>>(r->n, r->x, r->result);
    CHECK_LAUNCH(fours_kernel<OP>, BLOCKS, THREADS, 0);
}

ENQUEUE(fours)

static const variant variants[] = {
    {"fours", "four elements a load", fours},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    variants_open(&e, argc, argv);
    e.exact = problem.op == SUM ? 1 : 2;
    variants_verify(&e);
    variants_time(&e);
    return variants_close(&e);
}
