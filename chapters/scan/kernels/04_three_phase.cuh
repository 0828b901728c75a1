/**
 * @file 04_three_phase.cuh
 * @brief A thread scans some elements alone, before threads work together.
 *
 * Change: each of T threads has EACH neighbours, N = EACH T elements in all.
 *         (1) A thread scans its own. (2) Kogge and Stone's scan of the T last
 *         ones. (3) A thread adds what stands before its own to all but the
 *         last one.
 * Reason: rounds with barriers for one element in EACH; the rest is additions
 *         of a thread that waits for nobody.
 * Limit:  one block: one SM of more than a hundred works.
 * Uses:   store_scanned (1)
 */

#ifndef EACH
#define EACH 9 /**< elements of a thread; odd: no two lanes share a bank */
#endif
#define SECTION (EACH * BLOCK) /**< elements that the block takes at a time */

/** Load a section into s, with @p carry in front of it. */
template <operation OP>
__device__ void load_section(int64_t n, const float *x, int64_t first,
                             float carry, float *s)
{
    for (int i = threadIdx.x; i < SECTION; i += BLOCK)
        s[i] = element<OP>(n, x, first + i);
    if (threadIdx.x == 0 && first > 0)
        s[0] = combine<OP>(carry, s[0]);
}

/** Store a scanned section. */
template <operation OP, scan_kind KIND>
__device__ void store_section(int64_t n, float *y, int64_t first, float carry,
                              const float *s)
{
    for (int i = 0; i < SECTION; i += BLOCK)
        store_scanned<OP, KIND>(n, y, first + i, i > 0 ? s[i - 1] : carry,
                                s + i);
}

/** Scan s[SECTION] in place, by BLOCK threads. */
template <operation OP>
__device__ void scan_three_phase(float *s)
{
    int t = threadIdx.x;
    float *mine = s + t * EACH;
    float *last = mine + EACH - 1;
    __syncthreads(); // the section is there
    // [three_phase]
    float sum = mine[0];
    for (int i = 1; i < EACH; i++)
        mine[i] = sum = combine<OP>(sum, mine[i]); // phase 1

    for (int stride = 1; stride < BLOCK; stride *= 2) { // phase 2
        __syncthreads(); // the round before has written what is read now
        if (t >= stride)
            sum = combine<OP>(last[-stride * EACH], sum);
        __syncthreads(); // all have read what is overwritten now
        *last = sum;
    }
    // [three_phase]
    __syncthreads(); // the last round, before others read it
    if (t > 0) {     // phase 3
        float before = mine[-1];
        for (int i = 0; i < EACH - 1; i++)
            mine[i] = combine<OP>(before, mine[i]);
    }
    __syncthreads(); // all is there before others read it
}

/**
 * The block scans x section by section of SECTION elements; x == y is allowed.
 *
 * Launch: one block of BLOCK threads.
 */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(BLOCK)
    three_phase_kernel(int64_t n, const float *x, float *y)
{
    __shared__ float s[SECTION];
    float carry = identity<OP>(); // of all sections before this one
    for (int64_t first = 0; first < n; first += SECTION) {
        load_section<OP>(n, x, first, carry, s);
        scan_three_phase<OP>(s);
        store_section<OP, KIND>(n, y, first, carry, s);
        carry = s[SECTION - 1];
        __syncthreads(); // all have read, before the next section comes
    }
}

template <operation OP, scan_kind KIND>
static void launch_three_phase(const scan *s)
{
    three_phase_kernel<OP, KIND><<<1, BLOCK>>>(s->n, s->x, s->y);
    CHECK_LAUNCH((three_phase_kernel<OP, KIND>), 1, BLOCK, 0);
}
