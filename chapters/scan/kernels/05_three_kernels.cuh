/**
 * @file 05_three_kernels.cuh
 * @brief All SMs: the sums of all sections, a scan of the sums, the sections.
 *
 * Change: a block for each section, and three launches. The first kernel only
 *         sums its section, the second one scans the sums of all sections, the
 *         third one scans each section after what stands before it.
 * Reason: blocks work at the same time. x is read twice and y written once:
 *         3N words move. (Were the first kernel to scan and store, and the
 *         third one to add to what is there, it would be 4N.)
 * Limit:  threads hand values on through shared memory, and wait at a barrier
 *         for each step.
 * Uses:   load_section, scan_three_phase, store_section, three_phase (4)
 */

/** Block b sums section b. Launch: block BLOCK, a block for each section. */
template <operation OP>
__global__ void __launch_bounds__(BLOCK)
    section_sums_kernel(int64_t n, const float *x, float *sums)
{
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    int64_t first = (int64_t)blockIdx.x * SECTION;
    float sum = identity<OP>();
    for (int i = t; i < SECTION; i += BLOCK)
        sum = combine<OP>(sum, element<OP>(n, x, first + i));
    s[t] = sum;
    for (int stride = BLOCK / 2; stride >= 1; stride /= 2) {
        __syncthreads(); // the step before has written what is read now
        if (t < stride)
            s[t] = combine<OP>(s[t], s[t + stride]);
    }
    if (t == 0)
        sums[blockIdx.x] = s[0];
}

/**
 * Block b scans section b, after all that stands before it.
 *
 * @param sums  an exclusive scan of what section_sums_kernel found
 *
 * Launch: block BLOCK, a block for each section.
 */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(BLOCK)
    section_scan_kernel(int64_t n, const float *x, const float *sums, float *y)
{
    __shared__ float s[SECTION];
    // [three_kernels]
    int64_t first = (int64_t)blockIdx.x * SECTION;
    float before = sums[blockIdx.x];
    load_section<OP>(n, x, first, before, s);
    scan_three_phase<OP>(s);
    store_section<OP, KIND>(n, y, first, before, s);
    // [three_kernels]
}

template <operation OP, scan_kind KIND>
static void launch_three_kernels(const scan *s)
{
    unsigned blocks = device_blocks(s->n, SECTION);
    section_sums_kernel<OP><<<blocks, BLOCK>>>(s->n, s->x, s->sums);
    CHECK_LAUNCH(section_sums_kernel<OP>, blocks, BLOCK, 0);
    three_phase_kernel<OP, EXCLUSIVE><<<1, BLOCK>>>(blocks, s->sums, s->sums);
    CHECK_LAUNCH((three_phase_kernel<OP, EXCLUSIVE>), 1, BLOCK, 0);
    section_scan_kernel<OP, KIND><<<blocks, BLOCK>>>(s->n, s->x, s->sums, s->y);
    CHECK_LAUNCH((section_scan_kernel<OP, KIND>), blocks, BLOCK, 0);
}
