/**
 * @file 2_convergent.cuh
 * @brief A tree of sums by one block, whose stride halves.
 *
 * Change: the partners of a step are as far apart as they can be, not as near:
 *         the threads that work are the first ones, and stand side by side.
 * Reason: whole warps drop out, 8 of 16 after the first step. Those that stay
 *         work with all lanes, on neighbouring words.
 * Limit:  every step reads and writes global memory.
 * Uses:   nothing
 */

/**
 * The block reduces x section by section; thread t owns work[t].
 *
 * @param work  [SECTION], for the section at hand
 *
 * Launch: one block of BLOCK threads.
 */
template <operation OP>
__global__ void convergent_kernel(int64_t n, const float *x, float *work,
                                  float *result)
{
    int t = threadIdx.x;
    float total = identity<OP>(); // of thread 0: the sections before
    for (int64_t first = 0; first < n; first += SECTION) {
        work[t] = element<OP>(n, x, first + t);
        work[t + BLOCK] = element<OP>(n, x, first + t + BLOCK);
        // The first step combines what this thread has brought: no barrier.
        // [convergent]
        for (int stride = BLOCK; stride >= 1; stride /= 2) {
            if (t < stride)
                work[t] = combine<OP>(work[t], work[t + stride]);
            __syncthreads(); // this step's results before the next one's reads
        }
        // [convergent]
        if (t == 0)
            total = combine<OP>(total, work[0]);
    }
    if (t == 0)
        *result = total;
}

template <operation OP>
static void launch_convergent(const reduction *r)
{
    convergent_kernel<OP><<<1, BLOCK>>>(r->n, r->x, r->work, r->result);
    CHECK_LAUNCH(convergent_kernel<OP>, 1, BLOCK, 0);
}
