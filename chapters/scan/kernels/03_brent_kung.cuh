/**
 * @file 03_brent_kung.cuh
 * @brief Brent and Kung's scan: up a tree of sums, and down again.
 *
 * Change: two trees instead of a full round for every stride. Up: sums of 2, 4,
 *         8, ... elements, each at the place of its last one. Down: what is
 *         still missing, in halves of halves.
 * Reason: 2N - 2 - log2(N) additions for a section of N elements, 4083 for
 *         2048, where Kogge and Stone's scan takes 20,481.
 * Limit:  2 log2(N) - 1 rounds with a barrier each, most of them with a few
 *         threads; and their strides of 2, 4, ... words meet in the same banks.
 * Uses:   store_scanned (1)
 */

#define PAIRS (2 * BLOCK) /**< elements of a section, two for each thread */

/** Scan s[PAIRS] in place, by BLOCK threads. */
template <operation OP>
__device__ void scan_brent_kung(float *s)
{
    // [brent_kung]
    for (int stride = 1; stride < PAIRS; stride *= 2) {
        __syncthreads(); // the sums of the round before are there
        int i = (threadIdx.x + 1) * 2 * stride - 1;
        if (i < PAIRS)
            s[i] = combine<OP>(s[i - stride], s[i]);
    }
    for (int stride = PAIRS / 4; stride >= 1; stride /= 2) {
        __syncthreads(); // and here as well
        int i = (threadIdx.x + 1) * 2 * stride - 1;
        if (i + stride < PAIRS)
            s[i + stride] = combine<OP>(s[i], s[i + stride]);
    }
    // [brent_kung]
    __syncthreads(); // all is there before others read it
}

/**
 * The block scans x section by section of PAIRS elements.
 *
 * Launch: one block of BLOCK threads.
 */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(BLOCK)
    brent_kung_kernel(int64_t n, const float *x, float *y)
{
    __shared__ float s[PAIRS];
    int t = threadIdx.x;
    float carry = identity<OP>(); // of all sections before this one
    for (int64_t first = 0; first < n; first += PAIRS) {
        float own = element<OP>(n, x, first + t);
        if (t == 0 && first > 0)
            own = combine<OP>(carry, own); // as if it stood in front
        s[t] = own;
        s[t + BLOCK] = element<OP>(n, x, first + t + BLOCK);
        scan_brent_kung<OP>(s);
        store_scanned<OP, KIND>(n, y, first, carry, s);
        store_scanned<OP, KIND>(n, y, first + BLOCK, s[BLOCK - 1], s + BLOCK);
        carry = s[PAIRS - 1];
        __syncthreads(); // all have read, before the next section comes
    }
}

template <operation OP, scan_kind KIND>
static void launch_brent_kung(const scan *s)
{
    brent_kung_kernel<OP, KIND><<<1, BLOCK>>>(s->n, s->x, s->y);
    CHECK_LAUNCH((brent_kung_kernel<OP, KIND>), 1, BLOCK, 0);
}
