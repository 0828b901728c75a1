/**
 * @file reference.cuh
 * @brief What a softmax should have given, in float64.
 *
 * The bound, with u = 2^-24 and d the distance of x to the largest element of
 * its row:
 *
 * - exp(): its argument is rounded by the subtraction, d u at most. What nvcc
 *   makes of expf() is off by 2 units in the last place at most, __expf() by
 *   2 + 1.173 d (CUDA Programming Guide, Mathematical Functions), and a unit is
 *   2 u: together (4 + 4 d) u. Where a maximum is corrected, the distances of
 *   the steps add up to d, and each step counts 4 u.
 * - The sum: its terms are off as much, each with its own d, which is weighted
 *   by its share of the sum. The mean of d is at most ln(cols), since the
 *   entropy of the row is. All terms are positive, so an addition adds u.
 *   thread_row makes one after the other, cols of them. In online a step has a
 *   correction, a product and an addition, 6 u, and a thread has at most
 *   cols / BLOCK + 1 of them; merging adds four such levels. gamma(cols + 64)
 *   covers both.
 * - A division, products with a factor: 8 u.
 *
 * FLT_MIN allows for results that underflow. Rows whose elements are within
 * their bounds add up to 1 within the largest of them.
 */

/** The largest of elements first, first + step, ... of a row; of none -Inf. */
static HOST_DEVICE double largest(const softmax *s, int64_t row, int first,
                                  int step)
{
    double most = -INFINITY;
    for (int64_t c = first; c < s->cols; c += step)
        most = fmax(most, (double)s->x[row * s->pitch + c]);
    return most;
}

/** The sum of their exp(x - most). */
static HOST_DEVICE double sum_of(const softmax *s, int64_t row, double most,
                                 int first, int step)
{
    double sum = 0;
    for (int64_t c = first; c < s->cols; c += step)
        sum += exp(s->x[row * s->pitch + c] - most);
    return sum;
}

/** Element x of a row: what it should become, and its bound. */
static HOST_DEVICE void want_element(float x, double most, double sum,
                                     double factor, double *want, double *bound)
{
    double y = exp(x - most) / sum;
    *want = (float)y; // exact data: 1 / k, rounded once
    *bound = y * (factor + 4 * (most - x) * 0x1p-24) + FLT_MIN;
}

/** What the bound has beside d. */
static double bound_factor(const softmax *s)
{
    return verify_gamma(s->cols + 64.0) +
           (4 * log((double)s->cols) + 16) * 0x1p-24;
}

/** On the host. */
static void want(const void *problem, const array *, const band *b,
                 double *want, double *bound)
{
    const softmax *s = (const softmax *)problem;
    double factor = bound_factor(s);
    for (int64_t i = 0; i < b->rows; i++) {
        const float *x = s->x + (b->row + i) * s->pitch + b->col;
        double most = largest(s, b->row + i, 0, 1);
        double sum = sum_of(s, b->row + i, most, 0, 1);
        for (int64_t j = 0; j < b->cols; j++)
            want_element(x[j], most, sum, factor, &want[i * b->cols + j],
                         &bound[i * b->cols + j]);
    }
}

#if !SIMULATED

/** The largest, or the sum, of a block's values. */
static __device__ double all_of(double value, bool sum)
{
    __shared__ double values[256];
    __syncthreads(); // all have read the result before
    values[threadIdx.x] = value;
    __syncthreads(); // all values are there
    for (int i = 0; i < 256; i++)
        value = i == 0 ? values[0]
                : sum  ? value + values[i]
                       : fmax(value, values[i]);
    return value;
}

/** A block a row of the band. Launch: 256 threads. */
static __global__ void want_kernel(softmax s, double factor, band b,
                                   double *want, double *bound)
{
    int64_t i = blockIdx.x, row = b.row + i;
    int t = threadIdx.x;
    double most = all_of(largest(&s, row, t, 256), false);
    double sum = all_of(sum_of(&s, row, most, t, 256), true);
    for (int64_t j = t; j < b.cols; j += 256)
        want_element(s.x[row * s.pitch + b.col + j], most, sum, factor,
                     &want[i * b.cols + j], &bound[i * b.cols + j]);
}

static void want_gpu(const void *problem, const array *, const band *b,
                     double *want, double *bound)
{
    const softmax *s = (const softmax *)problem;
    want_kernel<<<device_blocks(b->rows, 1), 256>>>(*s, bound_factor(s), *b,
                                                    want, bound);
    CUDA_CHECK(cudaGetLastError()); // messages name the chapter's kernels
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}

#endif
