// Reduction, the exercise: each warp reduces its part alone.
#include "../chapters/reduction/host/problem.cuh"

#define PART 2048             /**< elements that a warp reduces */
#define THREADS 256           /**< of a block: 8 warps */
#define ALL_LANES 0xffffffffu /**< mask of a shuffle of the whole warp */

/** Launch: block THREADS, a warp for each PART, after identity_kernel. */
template <operation OP>
__global__ void warps_kernel(int64_t n, const float *x, float *result)
{
    int lane = threadIdx.x % 32;
    int64_t warp = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / 32;
    // [write 6] value: what elements warp * PART to (warp + 1) * PART - 1
    // come to, in lane 0
    float value = identity<OP>();
    for (int i = lane; i < PART; i += 32)
        value = combine<OP>(value, element<OP>(n, x, warp * PART + i));
    for (int offset = 16; offset >= 1; offset /= 2)
        value = combine<OP>(value, __shfl_down_sync(ALL_LANES, value, offset));
    //: float value = element<OP>(n, x, warp * PART + lane);
    // [end]
    if (lane == 0)
        combine_atomically<OP>(result, value);
}

template <operation OP>
static void launch_warps(const reduction *r)
{
    unsigned grid = device_blocks(r->n, THREADS / 32 * PART);
    identity_kernel<OP><<<1, 1>>>(r->result);
    CHECK_LAUNCH(identity_kernel<OP>, 1, 1, 0);
    warps_kernel<OP><<<grid, THREADS>>>(r->n, r->x, r->result);
    CHECK_LAUNCH(warps_kernel<OP>, grid, THREADS, 0);
}

ENQUEUE(warps)

static const variant variants[] = {
    {"warps", "each warp alone, an atomic at its end", warps},
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
