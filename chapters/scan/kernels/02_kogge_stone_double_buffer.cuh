/**
 * @file 02_kogge_stone_double_buffer.cuh
 * @brief Kogge and Stone's scan from one array into another.
 *
 * Change: a round reads one array and writes the other one; then they swap.
 * Reason: nobody overwrites what another thread still reads, so one barrier a
 *         round is enough: 10 instead of 20 for 1024 elements.
 * Limit:  as many additions as before, and twice the shared memory.
 * Uses:   store_scanned (1)
 */

/**
 * The block scans x section by section of BLOCK elements.
 *
 * Launch: one block of BLOCK threads.
 */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(BLOCK)
    kogge_stone_double_buffer_kernel(int64_t n, const float *x, float *y)
{
    __shared__ float buffers[2][BLOCK];
    int t = threadIdx.x;
    float carry = identity<OP>(); // of all sections before this one
    for (int64_t first = 0; first < n; first += BLOCK) {
        int now = 0; // the buffer that is read
        float own = element<OP>(n, x, first + t);
        if (t == 0 && first > 0)
            own = combine<OP>(carry, own); // as if it stood in front
        buffers[now][t] = own;
        __syncthreads(); // the section is there before anybody reads it
        // [double_buffer]
        for (int stride = 1; stride < BLOCK; stride *= 2) {
            if (t >= stride)
                own = combine<OP>(buffers[now][t - stride], own);
            now = 1 - now;
            buffers[now][t] = own;
            __syncthreads(); // written before it is read, and the other way
        }
        // [double_buffer]
        store_scanned<OP, KIND>(n, y, first, carry, buffers[now]);
        carry = buffers[now][BLOCK - 1];
        __syncthreads(); // all have read, before the next section comes
    }
}

template <operation OP, scan_kind KIND>
static void launch_kogge_stone_double_buffer(const scan *s)
{
    kogge_stone_double_buffer_kernel<OP, KIND><<<1, BLOCK>>>(s->n, s->x, s->y);
    CHECK_LAUNCH((kogge_stone_double_buffer_kernel<OP, KIND>), 1, BLOCK, 0);
}
