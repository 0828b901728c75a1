/**
 * @file reference.cuh
 * @brief What a convolution should have given, in float64.
 *
 * The bound: a sum of n = side * side products, in any order, fused or not, is
 * off by at most gamma_n times the sum of the magnitudes (Higham 2002, section
 * 3.1). The variant separable goes through 2 * side products only, but the
 * product of its two weights is not rounded to a weight of f: two roundings in
 * the factors' product and one in the reference's weight, so gamma_(n + 3)
 * covers all. FLT_MIN allows for results that underflow.
 */

/** One pixel of the result and its bound; x and f wherever the caller is. */
static HOST_DEVICE void want_pixel(const conv *c, double gamma, int row,
                                   int col, double *want, double *bound)
{
    int side = 2 * c->radius + 1;
    double sum = 0, size = 0;
    for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
            int at_row = row + i - c->radius, at_col = col + j - c->radius;
            if (at_row < 0 || at_row >= c->height || at_col < 0 ||
                at_col >= c->width)
                continue;
            double product = (double)c->weights.at[i * side + j] *
                             c->x[(int64_t)at_row * c->pitch + at_col];
            sum += product;
            size += fabs(product);
        }
    }
    *want = sum;
    *bound = gamma * size + FLT_MIN;
}

/** gamma_(n + 3). */
static double bound_factor(const conv *c)
{
    return verify_gamma((2 * c->radius + 1.0) * (2 * c->radius + 1) + 3);
}

/** On the host. */
static void want(const void *problem, const array *, const band *b,
                 double *want, double *bound)
{
    const conv *c = (const conv *)problem;
    double gamma = bound_factor(c);
    for (int64_t i = 0; i < b->rows * b->cols; i++)
        want_pixel(c, gamma, (int)(b->row + i / b->cols),
                   (int)(b->col + i % b->cols), &want[i], &bound[i]);
}

#if !SIMULATED

/** One thread a pixel of the band. Launch: 256 threads, ceil(n / 256). */
static __global__ void want_kernel(conv c, double gamma, band b, double *want,
                                   double *bound)
{
    int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i < b.rows * b.cols)
        want_pixel(&c, gamma, (int)(b.row + i / b.cols),
                   (int)(b.col + i % b.cols), &want[i], &bound[i]);
}

static void want_gpu(const void *problem, const array *, const band *b,
                     double *want, double *bound)
{
    const conv *c = (const conv *)problem;
    unsigned grid = device_blocks(b->rows * b->cols, 256);
    want_kernel<<<grid, 256>>>(*c, bound_factor(c), *b, want, bound);
    CUDA_CHECK(cudaGetLastError()); // messages name the chapter's kernels
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}

#endif
