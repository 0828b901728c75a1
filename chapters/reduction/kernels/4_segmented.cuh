/**
 * @file 4_segmented.cuh
 * @brief A block for each section, and an atomic for each block.
 *
 * Change: the loop over sections is gone: block b reduces section b, and adds
 *         its sum to the result by an atomic operation.
 * Reason: a GPU has more than a hundred SMs; now all of them work.
 * Limit:  a thread loads two elements and then waits at ten barriers,
 *         between most of which its warp has nothing to do.
 * Uses:   nothing
 */

/** The values of all threads as one, in thread 0: the tree of variant 3. */
// [tree]
template <operation OP>
__device__ float reduce_tree(float value)
{
    __shared__ float work[BLOCK];
    int t = threadIdx.x;
    work[t] = value;
    __syncthreads(); // all values are there before anybody combines them
    for (int stride = BLOCK / 2; stride >= 1; stride /= 2) {
        if (t < stride) {
            value = combine<OP>(value, work[t + stride]);
            work[t] = value;
        }
        __syncthreads(); // this step's results before the next one's reads
    }
    return value;
}
// [tree]

/**
 * A block reduces one section.
 *
 * Launch: block BLOCK, grid ceil(n / SECTION), after identity_kernel.
 */
template <operation OP>
__global__ void segmented_kernel(int64_t n, const float *x, float *result)
{
    // [segmented]
    int t = threadIdx.x;
    int64_t first = (int64_t)blockIdx.x * SECTION;
    float value = combine<OP>(element<OP>(n, x, first + t),
                              element<OP>(n, x, first + t + BLOCK));
    value = reduce_tree<OP>(value);
    if (t == 0)
        combine_atomically<OP>(result, value);
    // [segmented]
}

template <operation OP>
static void launch_segmented(const reduction *r)
{
    unsigned grid = device_blocks(r->n, SECTION);
    identity_kernel<OP><<<1, 1>>>(r->result);
    CHECK_LAUNCH(identity_kernel<OP>, 1, 1, 0);
    segmented_kernel<OP><<<grid, BLOCK>>>(r->n, r->x, r->result);
    CHECK_LAUNCH(segmented_kernel<OP>, grid, BLOCK, 0);
}
