// hunt of reduction
// order: lane:1
// One barrier is needed within a warp. Or two?
#include "../chapters/reduction/host/problem.cuh"

/** A block reduces one section. Launch: as segmented_kernel. */
template <operation OP>
__global__ void last_warp_kernel(int64_t n, const float *x, float *result)
{
    __shared__ float work[BLOCK];
    int t = threadIdx.x;
    int64_t first = (int64_t)blockIdx.x * SECTION;
    work[t] = combine<OP>(element<OP>(n, x, first + t),
                          element<OP>(n, x, first + t + BLOCK));
    __syncthreads(); // all pairs are there before anybody combines them
    for (int stride = BLOCK / 2; stride > 32; stride /= 2) {
        if (t < stride)
            work[t] = combine<OP>(work[t], work[t + stride]);
        __syncthreads(); // this step's results before the next one's reads
    }
    if (t >= 32)
        return;
    // The last steps are those of one warp.
    for (int stride = 32; stride >= 1; stride /= 2) {
        float other = work[t + stride];
        // [hunt]
        __syncwarp(); // all lanes have read before one of them writes
        // [end]
        work[t] = combine<OP>(work[t], other);
        __syncwarp(); // all have written before one of them reads
    }
    if (t == 0)
        combine_atomically<OP>(result, work[0]);
}

template <operation OP>
static void launch_last_warp(const reduction *r)
{
    unsigned grid = device_blocks(r->n, SECTION);
    identity_kernel<OP><<<1, 1>>>(r->result);
    CHECK_LAUNCH(identity_kernel<OP>, 1, 1, 0);
    last_warp_kernel<OP><<<grid, BLOCK>>>(r->n, r->x, r->result);
    CHECK_LAUNCH(last_warp_kernel<OP>, grid, BLOCK, 0);
}

ENQUEUE(last_warp)

static const variant variants[] = {
    {"last_warp", "the last steps by one warp, without barriers", last_warp},
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
