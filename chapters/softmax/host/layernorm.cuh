/**
 * @file layernorm.cuh
 * @brief Layernorm, the exercise: its inputs, what is right.
 *
 *     y[r][c] = (x[r][c] - mean) / sqrt(variance + EPSILON)
 *
 * of the row r: the mean of its elements, and the mean of (x - mean)^2.
 */

#include "problem.cuh"

#define EPSILON 1e-5f    /**< so that no row is divided by 0 */
#define FAR_AWAY 4096.0f /**< the mean of every other row */

static const char *fill_layernorm(void *problem, array *arrays, int,
                                  uint64_t seed)
{
    const softmax *s = (const softmax *)problem;
    fill_random(&arrays[X], seed);
    for (int64_t r = 0; r < s->rows; r += 2)
        for (int c = 0; c < s->cols; c++)
            ((float *)arrays[X].host)[r * s->pitch + c] += FAR_AWAY;
    return "random data, every other row around 4096";
}

/**
 * The bound: a mean of which no element goes through more than h additions is
 * off by gamma_h times the mean magnitude, and all distances by that much; the
 * sum of their squares only by its square, since the distances add up to 0.
 */
static void want_layernorm(const void *problem, const array *, const band *b,
                           double *want, double *bound)
{
    const softmax *s = (const softmax *)problem;
    double gamma = verify_gamma(s->cols / 32 + 32.0);
    for (int64_t i = 0; i < b->rows; i++) {
        const float *x = s->x + (b->row + i) * s->pitch;
        double mean = 0, size = 0, squares = 0;
        for (int c = 0; c < s->cols; c++) {
            mean += x[c] / (double)s->cols;
            size += fabs(x[c]) / s->cols;
        }
        for (int c = 0; c < s->cols; c++)
            squares += (x[c] - mean) * (x[c] - mean);
        double deviation = sqrt(squares / s->cols + EPSILON);
        double off = gamma * size / deviation;
        for (int64_t j = 0; j < b->cols; j++) {
            double y = (x[b->col + j] - mean) / deviation;
            want[i * b->cols + j] = y;
            bound[i * b->cols + j] =
                off + fabs(y) * (off * off + gamma) + FLT_MIN;
        }
    }
}

/** What variants.h must know, with these variants. */
static experiment describe_layernorm(const variant *variants, int count)
{
    experiment e = describe(variants, count);
    e.about = "Layernorm of the rows of a matrix, float32: verified, then "
              "timed.";
    e.cases = 1;
    e.exact = e.plantings = 0;
    e.fill = fill_layernorm;
    e.want = want_layernorm;
    return e;
}
