/**
 * @file 3_shared.cuh
 * @brief The tree in shared memory: global memory is read once.
 *
 * Change: a thread combines its first two elements on the way in, and the tree
 *         above them stands in shared memory.
 * Reason: each element crosses the L1 once; nine steps are shared accesses.
 * Limit:  one block, so one of the GPU's SMs works and all others wait.
 * Uses:   nothing
 */

/**
 * The block reduces x section by section; thread t owns work[t].
 *
 * Launch: one block of BLOCK threads.
 */
template <operation OP>
__global__ void shared_kernel(int64_t n, const float *x, float *result)
{
    // [shared]
    __shared__ float work[BLOCK];
    int t = threadIdx.x;
    float total = identity<OP>(); // of thread 0: the sections before
    for (int64_t first = 0; first < n; first += SECTION) {
        float value = combine<OP>(element<OP>(n, x, first + t),
                                  element<OP>(n, x, first + t + BLOCK));
        work[t] = value;
        __syncthreads(); // all pairs are there before anybody combines them
        for (int stride = BLOCK / 2; stride >= 1; stride /= 2) {
            if (t < stride) {
                value = combine<OP>(value, work[t + stride]);
                work[t] = value;
            }
            __syncthreads(); // this step's results before the next one's reads
        }
        if (t == 0)
            total = combine<OP>(total, value);
    }
    // [shared]
    if (t == 0)
        *result = total;
}

template <operation OP>
static void launch_shared(const reduction *r)
{
    shared_kernel<OP><<<1, BLOCK>>>(r->n, r->x, r->result);
    CHECK_LAUNCH(shared_kernel<OP>, 1, BLOCK, 0);
}
