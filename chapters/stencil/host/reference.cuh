/**
 * @file reference.cuh
 * @brief What is right in float64, and the bound.
 */

#include <float.h>

/**
 * How many steps are exact on integers from -8 to 8.
 *
 * A step multiplies by whole 32nds (128ths): after s steps all values are
 * multiples of 2^-5s (2^-7s). Partial sums are at most 8 = 2^3, since weights
 * are positive and add up to 1. A float32 holds multiples of u up to 2^24 u: so
 * 3 + 5s <= 24 (3 + 7s <= 24).
 */
static int exact_steps(int radius)
{
    return radius == 1 ? 4 : 3;
}

/** The reference before the last step, [nz * ny x nx]; NULL: it is the input.
 */
static double *level;
static double *d_level; /**< the same on a GPU; NULL in the simulator */

/** A cell of the step before: of @p level, of the input if that is NULL. */
static HOST_DEVICE double before(const stencil *s, const double *level,
                                 int64_t row, int64_t x)
{
    return level ? level[row * s->b.nx + x] : s->in[row * s->b.pitch + x];
}

/** What the neighbours add that are @p d cells away. */
static HOST_DEVICE double around(const stencil *s, const double *level,
                                 int64_t row, int x, int d)
{
    const weights *w = &s->w;
    int64_t plane = (int64_t)d * s->b.ny;
    return w->left[d] * before(s, level, row, x - d) +
           w->right[d] * before(s, level, row, x + d) +
           w->front[d] * before(s, level, row - d, x) +
           w->back[d] * before(s, level, row + d, x) +
           w->below[d] * before(s, level, row - plane, x) +
           w->above[d] * before(s, level, row + plane, x);
}

/** One cell of the next step. */
static HOST_DEVICE double next(const stencil *s, const double *level,
                               int64_t row, int x)
{
    const int ny = s->b.ny;
    if (!inside(s->b, s->radius, x, (int)(row % ny), (int)(row / ny)))
        return before(s, level, row, x);
    double sum = s->w.center * before(s, level, row, x);
    sum += around(s, level, row, x, 1);
    if (s->radius == MAX_RADIUS)
        sum += around(s, level, row, x, MAX_RADIUS);
    return sum;
}

/** A step of the reference, as the threads that share it see it. */
typedef struct {
    const stencil *s;
    double *to;
} sweep;

static void sweep_rows(void *context, int64_t begin, int64_t end)
{
    const sweep *p = (const sweep *)context;
    const int nx = p->s->b.nx;
    for (int64_t row = begin; row < end; row++)
        for (int x = 0; x < nx; x++)
            p->to[row * nx + x] = next(p->s, level, row, x);
}

/** Set `level`: all steps but the last, which want() does. */
static void set_reference(void *problem, const array *arrays)
{
    stencil host = *(const stencil *)problem;
    const stencil *s = &host;
    int64_t rows = (int64_t)s->b.nz * s->b.ny;
    host.in = (const float *)arrays[IN].host;
    free(level);
    level = NULL;
    for (int step = 1; step < s->steps; step++) {
        size_t cells = (size_t)(rows * s->b.nx);
        sweep p = {&host, (double *)host_alloc(cells * sizeof(double))};
        parallel_for(rows, sweep_rows, &p);
        free(level);
        level = p.to;
    }
#if !SIMULATED
    size_t bytes = (size_t)(rows * s->b.nx) * sizeof(double);
    device_free(d_level);
    d_level = level ? (double *)device_alloc(bytes) : NULL;
    if (level)
        CUDA_CHECK(cudaMemcpy(d_level, level, bytes, cudaMemcpyHostToDevice));
#endif
}

/**
 * The bound for random data.
 *
 * A product goes through at most as many roundings as there are points: its own
 * and that of each sum (fused or not, in any order). After s steps every cell
 * is a sum over ways of s neighbours, with at most s * points roundings each;
 * the magnitudes of all ways together are at most the largest of the input, 1,
 * since weights are positive and add up to 1. So a cell is off by at most
 * gamma_(s * points) (Higham, Accuracy and Stability of Numerical Algorithms,
 * 2002, section 3.1), and a little where products underflow.
 */
static double bound_of(const stencil *s)
{
    double points = 6.0 * s->radius + 1.0;
    return verify_gamma(points * s->steps) + FLT_MIN;
}

/** On the host. */
static void want(const void *problem, const array *, const band *b,
                 double *want, double *bound)
{
    const stencil *s = (const stencil *)problem;
    double most = bound_of(s);
    for (int64_t i = 0; i < b->rows * b->cols; i++) {
        want[i] =
            next(s, level, b->row + i / b->cols, (int)(b->col + i % b->cols));
        bound[i] = most;
    }
}

#if !SIMULATED

/** One thread a cell of the band. Launch: 256 threads, ceil(n / 256). */
static __global__ void want_kernel(stencil s, const double *level, double most,
                                   band b, double *want, double *bound)
{
    int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= b.rows * b.cols)
        return;
    want[i] = next(&s, level, b.row + i / b.cols, (int)(b.col + i % b.cols));
    bound[i] = most;
}

/** The last step on the GPU; those before it, if any, were the CPU's. */
static void want_gpu(const void *problem, const array *, const band *b,
                     double *want, double *bound)
{
    const stencil *s = (const stencil *)problem;
    unsigned grid = device_blocks(b->rows * b->cols, 256);
    want_kernel<<<grid, 256>>>(*s, d_level, bound_of(s), *b, want, bound);
    CUDA_CHECK(cudaGetLastError()); // messages name the chapter's kernels
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}

#endif
