/**
 * @file 1_divergent.cuh
 * @brief A tree of sums by one block, whose stride doubles.
 *
 * Change: none; this is the plainest way for many threads to add up numbers.
 * Limit:  from step to step half of the working threads drop out, one in two
 *         of every warp, then three in four: up to the sixth step all 16 warps
 *         work, for fewer and fewer lanes.
 * Uses:   nothing
 */

/**
 * The block reduces x section by section; thread t owns work[2 t].
 *
 * @param work  [SECTION], for the section at hand
 *
 * Launch: one block of BLOCK threads.
 */
template <operation OP>
__global__ void divergent_kernel(int64_t n, const float *x, float *work,
                                 float *result)
{
    int t = threadIdx.x;
    float total = identity<OP>(); // of thread 0: the sections before
    for (int64_t first = 0; first < n; first += SECTION) {
        work[t] = element<OP>(n, x, first + t);
        work[t + BLOCK] = element<OP>(n, x, first + t + BLOCK);
        __syncthreads(); // the section is there before anybody combines it
        // [divergent]
        for (int stride = 1; stride <= BLOCK; stride *= 2) {
            if (t % stride == 0)
                work[2 * t] = combine<OP>(work[2 * t], work[2 * t + stride]);
            __syncthreads(); // this step's results before the next one's reads
        }
        // [divergent]
        if (t == 0)
            total = combine<OP>(total, work[0]);
    }
    if (t == 0)
        *result = total;
}

template <operation OP>
static void launch_divergent(const reduction *r)
{
    divergent_kernel<OP><<<1, BLOCK>>>(r->n, r->x, r->work, r->result);
    CHECK_LAUNCH(divergent_kernel<OP>, 1, BLOCK, 0);
}
