/**
 * @file 6_wide.cuh
 * @brief Four elements a load.
 *
 * Change: a thread loads a float4, 16 bytes, instead of a float.
 * Reason: it waits once for four elements: four times as many bytes are under
 *         way, by as many requests.
 * Limit:  it still waits for each load before it asks for the next.
 * Uses:   reduce_tree (4)
 */

/** The four of @p v as one. */
template <operation OP>
__device__ float combine_four(float4 v)
{
    return combine<OP>(combine<OP>(v.x, v.y), combine<OP>(v.z, v.w));
}

/** Up to three elements are left after the last four: one for a thread. */
template <operation OP>
__device__ float tail_of_four(int64_t n, const float *x)
{
    if (blockIdx.x == 0 && threadIdx.x < n % 4)
        return x[n - 1 - threadIdx.x];
    return identity<OP>();
}

/**
 * Thread t of all threads takes fours t, t + threads, t + 2 * threads, ...
 *
 * Launch: block BLOCK, grid full_grid(n, 4 * BLOCK), after identity_kernel.
 */
template <operation OP>
__global__ void __launch_bounds__(BLOCK)
    wide_kernel(int64_t n, const float *x, float *result)
{
    // [wide]
    const float4 *fours = (const float4 *)x;
    int64_t threads = (int64_t)gridDim.x * BLOCK;
    int64_t thread = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    float value = tail_of_four<OP>(n, x);
#pragma unroll 1 // a load at a time, as before
    for (int64_t i = thread; i < n / 4; i += threads)
        value = combine<OP>(value, combine_four<OP>(fours[i]));
    // [wide]
    value = reduce_tree<OP>(value);
    if (threadIdx.x == 0)
        combine_atomically<OP>(result, value);
}

template <operation OP>
static void launch_wide(const reduction *r)
{
    unsigned grid = full_grid(r->n, 4 * BLOCK);
    identity_kernel<OP><<<1, 1>>>(r->result);
    CHECK_LAUNCH(identity_kernel<OP>, 1, 1, 0);
    wide_kernel<OP><<<grid, BLOCK>>>(r->n, r->x, r->result);
    CHECK_LAUNCH(wide_kernel<OP>, grid, BLOCK, 0);
}
