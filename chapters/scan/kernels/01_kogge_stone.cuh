/**
 * @file 01_kogge_stone.cuh
 * @brief Kogge and Stone's scan: every thread adds in every round.
 *
 * Change: none; this is the plainest way for many threads to scan.
 * Reason: log2(N) rounds for a section of N elements, not N - 1 additions one
 *         after the other.
 * Limit:  N log2(N) - (N - 1) additions, 9 times as many as needed for 1024
 *         elements, and two barriers a round.
 * Uses:   identity, combine, element (device.cuh), as all variants
 */

/**
 * Store this thread's result of the section that begins at @p first.
 *
 * @param carry  all sections before this one as one element
 */
template <operation OP, scan_kind KIND>
__device__ void store_scanned(int64_t n, float *y, int64_t first, float carry,
                              const float *s)
{
    int t = threadIdx.x;
    if (first + t < n)
        y[first + t] = KIND == INCLUSIVE ? s[t] : t > 0 ? s[t - 1] : carry;
}

/**
 * The block scans x section by section of BLOCK elements; thread t owns s[t].
 *
 * Launch: one block of BLOCK threads.
 */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(BLOCK)
    kogge_stone_kernel(int64_t n, const float *x, float *y)
{
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    float carry = identity<OP>(); // of all sections before this one
    for (int64_t first = 0; first < n; first += BLOCK) {
        float own = element<OP>(n, x, first + t);
        if (t == 0 && first > 0)
            own = combine<OP>(carry, own); // as if it stood in front
        s[t] = own;
        // [kogge_stone]
        for (int stride = 1; stride < BLOCK; stride *= 2) {
            __syncthreads(); // the round before has written what is read now
            if (t >= stride)
                own = combine<OP>(s[t - stride], own);
            __syncthreads(); // all have read what is overwritten now
            s[t] = own;
        }
        // [kogge_stone]
        __syncthreads(); // the last round, before others read it
        store_scanned<OP, KIND>(n, y, first, carry, s);
        carry = s[BLOCK - 1];
        __syncthreads(); // all have read, before the next section comes
    }
}

template <operation OP, scan_kind KIND>
static void launch_kogge_stone(const scan *s)
{
    kogge_stone_kernel<OP, KIND><<<1, BLOCK>>>(s->n, s->x, s->y);
    CHECK_LAUNCH((kogge_stone_kernel<OP, KIND>), 1, BLOCK, 0);
}
