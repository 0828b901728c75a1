// Scan, the exercise: warps scan by shuffles, then add what stands before.
#include "../chapters/scan/host/problem.cuh"

#define ALL_LANES 0xffffffffu /**< mask of a shuffle of the whole warp */

/** The inclusive scan of the values of a warp's 32 lanes, without barriers. */
template <operation OP>
__device__ float scan_warp(float value)
{
    int lane = threadIdx.x % 32;
    // [write 5] with strides of 1, 2, 4, 8, 16 each lane combines what the
    // lane a stride before it has with its own, if there is one
    for (int stride = 1; stride < 32; stride *= 2) {
        float other = __shfl_up_sync(ALL_LANES, value, stride);
        if (lane >= stride)
            value = combine<OP>(other, value);
    }
    //: (void)lane; // not used yet
    // [end]
    return value;
}

/**
 * The block scans x section by section of BLOCK elements.
 *
 * Launch: one block of BLOCK threads.
 */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(BLOCK)
    warps_kernel(int64_t n, const float *x, float *y)
{
    __shared__ float sums[32]; // of each warp; then of all up to this one
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    float carry = identity<OP>(); // of all sections before this one
    for (int64_t first = 0; first < n; first += BLOCK) {
        float value = scan_warp<OP>(element<OP>(n, x, first + t));
        if (lane == 31)
            sums[warp] = value;
        __syncthreads(); // a sum of each warp before warp 0 scans them
        if (warp == 0)
            sums[lane] = scan_warp<OP>(sums[lane]);
        __syncthreads(); // their scan before all warps read it
        float before = warp > 0 ? combine<OP>(carry, sums[warp - 1]) : carry;
        // [write 4] scanned: the scan at this element, of the KIND asked
        // for, from `before` and `value`
        float left = __shfl_up_sync(ALL_LANES, value, 1);
        if (KIND == EXCLUSIVE)
            value = lane > 0 ? left : identity<OP>();
        float scanned = combine<OP>(before, value);
        //: float scanned = combine<OP>(before, value);
        // [end]
        if (first + t < n)
            y[first + t] = scanned;
        carry = combine<OP>(carry, sums[31]);
        __syncthreads(); // all have read the sums before the next ones come
    }
}

template <operation OP, scan_kind KIND>
static void launch_warps(const scan *s)
{
    warps_kernel<OP, KIND><<<1, BLOCK>>>(s->n, s->x, s->y);
    CHECK_LAUNCH((warps_kernel<OP, KIND>), 1, BLOCK, 0);
}

ENQUEUE(warps)

static const variant variants[] = {
    {"warps", "warps scan by shuffles, then their sums", warps},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    variants_open(&e, argc, argv);
    e.exact = problem.op == SUM ? 1 : 2;
    variants_verify(&e);
    variants_time(&e);
    free(before);
    return variants_close(&e);
}
