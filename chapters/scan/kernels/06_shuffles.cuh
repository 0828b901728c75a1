/**
 * @file 06_shuffles.cuh
 * @brief The same three kernels; lanes hand values on by shuffles.
 *
 * Change: where threads exchanged values round by round in shared memory, the
 *         lanes of a warp do so by shuffles. Shared memory holds one value of
 *         each warp, which every warp then scans for itself.
 * Reason: a shuffle needs no barrier: 4 instead of 33 for a section.
 * Limit:  the elements themselves still go to shared memory and back, one
 *         word at a time.
 * Uses:   load_section, store_section, three_phase (4)
 */

#define ALL_LANES 0xffffffffu /**< mask of a shuffle of the whole warp */

/** What stands before this lane in its warp; @p value becomes inclusive. */
template <operation OP>
__device__ float scan_warp(float *value)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int stride = 1; stride < 32; stride *= 2) {
        float other = __shfl_up_sync(ALL_LANES, *value, stride);
        if (lane >= stride)
            *value = combine<OP>(other, *value);
    }
    float before = __shfl_up_sync(ALL_LANES, *value, 1);
    return lane > 0 ? before : identity<OP>();
}

/** The values of all lanes as one, in all lanes. */
template <operation OP>
__device__ float reduce_warp(float value)
{
#pragma unroll
    for (int offset = 16; offset >= 1; offset /= 2)
        value = combine<OP>(value, __shfl_xor_sync(ALL_LANES, value, offset));
    return value;
}

/**
 * What stands before this warp in the block, of a value of each warp.
 *
 * @param[in,out] value  of this warp, in all lanes; becomes the block's
 */
template <operation OP>
__device__ float scan_block(float *value)
{
    __shared__ float sums[32];
    int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    int lane = threadIdx.x % 32;
    if (lane == 0)
        sums[warp] = *value;
    __syncthreads(); // a value of each warp, before all warps read them
    float sum = lane < warps ? sums[lane] : identity<OP>();
    float before = scan_warp<OP>(&sum);
    *value = __shfl_sync(ALL_LANES, sum, 31);
    return __shfl_sync(ALL_LANES, before, warp);
}

/** Scan s[SECTION] in place, by BLOCK threads. */
template <operation OP>
__device__ void scan_by_shuffles(float *s)
{
    float *mine = s + threadIdx.x * EACH;
    __syncthreads(); // the section is there
    // [shuffles]
    float sum = mine[0];
    for (int i = 1; i < EACH; i++)
        mine[i] = sum = combine<OP>(sum, mine[i]); // phase 1

    float before = scan_warp<OP>(&sum); // phase 2: of the lanes before,
    float all = __shfl_sync(ALL_LANES, sum, 31);
    before = combine<OP>(scan_block<OP>(&all), before); // and of the warps

    for (int i = 0; i < EACH; i++)
        mine[i] = combine<OP>(before, mine[i]); // phase 3
    // [shuffles]
    __syncthreads(); // all is there before others read it
}

/** As section_sums_kernel, which says how it is launched. */
template <operation OP>
__global__ void __launch_bounds__(BLOCK)
    shuffled_sums_kernel(int64_t n, const float *x, float *sums)
{
    int64_t first = (int64_t)blockIdx.x * SECTION;
    float sum = identity<OP>();
    for (int i = threadIdx.x; i < SECTION; i += BLOCK)
        sum = combine<OP>(sum, element<OP>(n, x, first + i));
    sum = reduce_warp<OP>(sum);
    scan_block<OP>(&sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

/** As section_scan_kernel, which says how it is launched. */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(BLOCK)
    shuffled_scan_kernel(int64_t n, const float *x, const float *sums, float *y)
{
    __shared__ float s[SECTION];
    int64_t first = (int64_t)blockIdx.x * SECTION;
    float before = sums[blockIdx.x];
    load_section<OP>(n, x, first, before, s);
    scan_by_shuffles<OP>(s);
    store_section<OP, KIND>(n, y, first, before, s);
}

template <operation OP, scan_kind KIND>
static void launch_shuffles(const scan *s)
{
    unsigned blocks = device_blocks(s->n, SECTION);
    shuffled_sums_kernel<OP><<<blocks, BLOCK>>>(s->n, s->x, s->sums);
    CHECK_LAUNCH(shuffled_sums_kernel<OP>, blocks, BLOCK, 0);
    three_phase_kernel<OP, EXCLUSIVE><<<1, BLOCK>>>(blocks, s->sums, s->sums);
    CHECK_LAUNCH((three_phase_kernel<OP, EXCLUSIVE>), 1, BLOCK, 0);
    shuffled_scan_kernel<OP, KIND>
        <<<blocks, BLOCK>>>(s->n, s->x, s->sums, s->y);
    CHECK_LAUNCH((shuffled_scan_kernel<OP, KIND>), blocks, BLOCK, 0);
}
