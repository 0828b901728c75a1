/**
 * @file reference.cuh
 * @brief What a product should have given, in float64, and by how much a sum of
 *        tensor cores may be off.
 */

/**
 * By how much a sum of K products of halves may be off, as a factor of the sum
 * of their magnitudes.
 *
 * A product of two halves has 22 bits and is exact. A tensor core adds several
 * at a time to its sum and cuts off what lies beyond 24 bits of the largest
 * one: at most 2^-23 of a magnitude for each product, and as much for the sum,
 * whatever number it takes at a time. So 2 K errors of 2^-23, 4 K of 2^-24.
 */
static double gamma_of(const product *p)
{
    return verify_gamma(4.0 * p->K);
}

#if SIMULATED

static void want(const void *problem, const array *, const band *b,
                 double *want, double *bound)
{
    const product *p = (const product *)problem;
    double gamma = gamma_of(p);
    for (int64_t i = 0; i < b->rows * b->cols; i++)
        want[i] = 0;
    for (int64_t col = 0; col < b->cols; col++)
        for (int k = 0; k < p->K; k++) {
            double y =
                element_read(ELEMENT_FLOAT16, p->B, k * p->ldb + b->col + col);
            for (int64_t row = 0; row < b->rows; row++) {
                double x = element_read(ELEMENT_FLOAT16, p->A,
                                        (b->row + row) * p->lda + k);
                want[row * b->cols + col] += x * y;
                bound[row * b->cols + col] += gamma * fabs(x * y);
            }
        }
}

#else

/** One thread computes one element of a band. Launch: block (32, 8). */
static __global__ void want_kernel(product p, band b, double gamma,
                                   double *want, double *bound)
{
    int64_t col = (int64_t)blockIdx.x * 32 + threadIdx.x;
    int64_t row = (int64_t)blockIdx.y * 8 + threadIdx.y;
    if (row >= b.rows || col >= b.cols)
        return;
    const __half *x = p.A + (b.row + row) * p.lda;
    const __half *y = p.B + b.col + col;
    double sum = 0, size = 0;
    for (int k = 0; k < p.K; k++) {
        double term = (double)__half2float(x[k]) * __half2float(y[k * p.ldb]);
        sum += term;
        size += fabs(term);
    }
    want[row * b.cols + col] = sum;
    bound[row * b.cols + col] = gamma * size;
}

static void want_gpu(const void *problem, const array *, const band *b,
                     double *want, double *bound)
{
    const product *p = (const product *)problem;
    for (band part = *b; part.row < b->row + b->rows; part.row += part.rows) {
        int64_t left = b->row + b->rows - part.row;
        int64_t most = 65535 * 8;
        part.rows = left < most ? left : most;
        int64_t done = (part.row - b->row) * b->cols;
        dim3 grid((unsigned)((b->cols + 31) / 32),
                  (unsigned)((part.rows + 7) / 8));
        want_kernel<<<grid, dim3(32, 8)>>>(*p, part, gamma_of(p), want + done,
                                           bound + done);
        CHECK_LAUNCH(want_kernel, grid, dim3(32, 8), 0);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
}

#endif
