/**
 * @file reference.cuh
 * @brief What a softmax should have given, in float64.
 *
 * The bound, with u = 2^-24 and d the distance of x to the largest element of
 * its row:
 *
 * - exp(): the subtraction rounds its argument, by d u at most. expf() is off
 *   by 2 units in the last place at most, __expf() by 2 + 1.173 d (CUDA
 *   Programming Guide, Mathematical Functions), and a unit is 2 u at most:
 *   together (4 + 4 d) u. Where a maximum is corrected in steps, their
 *   distances add up to d, and each step counts 4 u.
 * - The sum: its terms are off as much, each weighted by its share. The mean of
 *   d is then at most ln(cols), since the row's entropy is. All terms are
 *   positive, so an addition adds u. thread_row makes cols of them, one after
 *   the other. A step of online has a correction, a product and an addition,
 *   6 u, and a thread has cols / BLOCK + 1 of them at most; merging adds four
 *   such levels. gamma(cols + 64) covers both.
 * - A division, two products with a factor, the rounding of `want`: 16 u.
 *
 * FLT_MIN allows for results that underflow. A row whose elements keep their
 * bounds adds up to 1 within the largest of them.
 */

/** Rows or parts of a row: of each all of its elements are looked at. */
static void want(const void *problem, const array *, const band *b,
                 double *want, double *bound)
{
    const softmax *s = (const softmax *)problem;
    double factor = verify_gamma(s->cols + 64.0) +
                    (4 * log((double)s->cols) + 16) * 0x1p-24;
    for (int64_t i = 0; i < b->rows; i++) {
        const float *x = s->x + (b->row + i) * s->pitch;
        double most = -INFINITY, sum = 0;
        for (int c = 0; c < s->cols; c++)
            most = fmax(most, x[c]);
        for (int c = 0; c < s->cols; c++)
            sum += exp(x[c] - most);
        for (int64_t j = 0; j < b->cols; j++) {
            double d = most - x[b->col + j], y = exp(-d) / sum;
            want[i * b->cols + j] = (float)y; // exact data: 1 / k, rounded
            bound[i * b->cols + j] = y * (factor + 4 * d * 0x1p-24) + FLT_MIN;
        }
    }
}
