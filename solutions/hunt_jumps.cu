// hunt of scan
// order: warp:31
// Sections whose results are too large.
#include "../chapters/scan/host/problem.cuh"

/**
 * The block scans x section by section of BLOCK elements, from one buffer into
 * the other.
 *
 * Launch: one block of BLOCK threads.
 */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(BLOCK)
    buffers_kernel(int64_t n, const float *x, float *y)
{
    __shared__ float buffers[2][BLOCK];
    __shared__ float carry; // of all sections before this one
    int t = threadIdx.x;
    if (t == 0)
        carry = identity<OP>();
    for (int64_t first = 0; first < n; first += BLOCK) {
        int now = 0; // the buffer that is read
        float own = element<OP>(n, x, first + t);
        buffers[now][t] = own;
        __syncthreads(); // the section is there before anybody reads it
        for (int stride = 1; stride < BLOCK; stride *= 2) {
            if (t >= stride)
                own = combine<OP>(buffers[now][t - stride], own);
            now = 1 - now;
            buffers[now][t] = own;
            __syncthreads(); // written before it is read, and the other way
        }
        float result = KIND == INCLUSIVE ? own
                       : t > 0           ? buffers[now][t - 1]
                                         : identity<OP>();
        if (first + t < n)
            y[first + t] = combine<OP>(carry, result);
        // [hunt]
        __syncthreads(); // all have read, before the next section comes
        if (t == BLOCK - 1)
            carry = combine<OP>(carry, own);
        //: if (t == BLOCK - 1)
        //:     carry = combine<OP>(carry, own);
        //: __syncthreads(); // all have read, before the next section comes
        // [end]
    }
}

template <operation OP, scan_kind KIND>
static void launch_buffers(const scan *s)
{
    buffers_kernel<OP, KIND><<<1, BLOCK>>>(s->n, s->x, s->y);
    CHECK_LAUNCH((buffers_kernel<OP, KIND>), 1, BLOCK, 0);
}

ENQUEUE(buffers)

static const variant variants[] = {
    {"buffers", "from one buffer into the other", buffers},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    variants_open(&e, argc, argv);
    e.exact = problem.op == SUM ? 1 : 2;
    variants_verify(&e);
    variants_time(&e);
    free(before);
    return variants_close(&e);
}
