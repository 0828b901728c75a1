/**
 * @file test_data.c
 * @brief The inputs: what they are made of, and why equality can be demanded.
 */
#include "unit.h"

enum { ROWS = 37, COLS = 61, LD = 68 };

/** @p x with @p bits significant bits: rounded to nearest, ties to even. */
static float rounded(float x, int bits)
{
    int exponent;
    float fraction = frexpf(x, &exponent); // 1/2 to 1
    return ldexpf(rintf(ldexpf(fraction, bits)), exponent - bits);
}

/** Each of them is another number in TF32 and float16, and in bfloat16. */
TEST(grid_values)
{
    static float x[ROWS * LD];
    int negative = 0;
    fill_grid(matrix(x, ROWS, COLS, LD), 1);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < LD; j++) {
            float v = x[i * LD + j];
            if (j >= COLS) {
                assert_true(v == 0.0f);
                continue;
            }
            assert_true(fabsf(v) > 0.5f && fabsf(v) < 1.0f);
            assert_true(rounded(v, 12) == v && rounded(v, 11) != v);
            assert_true(rounded(v, 8) != v);
            negative += v < 0;
        }
    }
    int half = ROWS * COLS / 2;
    assert_in_range(negative, half - 150, half + 150);
}

TEST(random_values)
{
    static float x[ROWS * LD];
    int low_bit = 0, negative = 0;
    fill_random(matrix(x, ROWS, COLS, LD), 1);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++) {
            float v = x[i * LD + j];
            assert_true(v >= -1.0f && v < 1.0f);
            low_bit += (long)(v * 0x1p24f) & 1;
            negative += v < 0;
        }
        for (int j = COLS; j < LD; j++)
            assert_true(x[i * LD + j] == 0.0f);
    }
    int half = ROWS * COLS / 2; // the last bit is as random as the first
    assert_in_range(low_bit, half - 150, half + 150);
    assert_in_range(negative, half - 150, half + 150);
}

/** Equal seeds, equal data, whatever the leading dimension; others differ. */
TEST(seeds)
{
    static float x[ROWS * LD], y[ROWS * COLS], z[ROWS * LD];
    fill_random(matrix(x, ROWS, COLS, LD), 5);
    fill_random(matrix(y, ROWS, COLS, COLS), 5);
    fill_random(matrix(z, ROWS, COLS, LD), 6);
    for (int i = 0; i < ROWS; i++)
        assert_memory_equal(x + i * LD, y + i * COLS, sizeof(float) * COLS);
    assert_memory_not_equal(x, z, sizeof(x));
    // Known words: the same on every platform.
    float words[4];
    fill_random(matrix(words, 2, 2, 2), 5);
    assert_true(words[0] == 0x1.1f8ebcp-1f && words[3] == 0x1.6a6448p-2f);
    fill_grid(matrix(words, 2, 2, 2), 5);
    assert_true(words[0] == -0x1.722p-1f && words[3] == -0x1.566p-1f);
}

/* ---- exact sums ---------------------------------------------------------- */

enum { LONGEST = 3 * GRID_SMALL_TERMS };

/** One row of A and one column of B, and their products; all have K terms. */
static float a[LONGEST], b[LONGEST], products[LONGEST];

static void make_products(int K, uint64_t seed)
{
    fill_grid_left(matrix(a, 1, K, K), seed);
    fill_grid_right(matrix(b, K, 1, 1), seed + 4);
    for (int k = 0; k < K; k++)
        products[k] = a[k] * b[k];
}

/** What the comment in array.h counts: terms of each kind, and their sum. */
TEST(grid_terms)
{
    const int lengths[] = {1,       2,      3,     2047,    2048,
                           2049,    4096,   65536, 1 << 22, (1 << 22) + 1,
                           5000000, LONGEST};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
        const int K = lengths[i];
        int large[2] = {0}, zeros = 0;
        double size = 0;
        make_products(K, i);
        for (int k = 0; k < K; k++) {
            float v = fabsf(products[k]);
            assert_true(v * 0x1p12f == rintf(v * 0x1p12f) && v < 1.0f);
            assert_true(v > 0.5f || v == 0x1p-12f || v == 0.0f);
            size += v;
            zeros += v == 0.0f;
            large[0] += fabsf(a[k]) > 0.5f && fabsf(b[k]) == 1.0f;
            large[1] += fabsf(b[k]) > 0.5f && fabsf(a[k]) == 1.0f;
        }
        assert_true(size <= 3072);
        assert_in_range(large[0] + large[1], K < 682 ? K : 682, 2048);
        assert_in_range(large[0] - large[1], 0, 1);
        assert_true(zeros == 0 || K > GRID_SMALL_TERMS);
        assert_true(products[0] != 0.0f && products[K - 1] != 0.0f);
    }
}

static float pairwise(const float *x, int n)
{
    return n == 1 ? x[0] : pairwise(x, n / 2) + pairwise(x + n / 2, n - n / 2);
}

/** All orders give the same float32, also with 0.5 and -1. */
static void same_in_every_order(int K)
{
    double exact = 0;
    float forward = 0, backward = 0, fused = 0, strided = 0, scaled = 0;
    for (int k = 0; k < K; k++) {
        exact += (double)a[k] * b[k];
        forward += products[k];
        backward += products[K - 1 - k];
        fused = fmaf(a[k], b[k], fused);
        scaled = fmaf(0.5f * a[k], b[k], scaled);
    }
    for (int start = 0; start < 32; start++) {
        float part = 0;
        for (int k = start; k < K; k += 32)
            part += products[k];
        strided += part;
    }
    assert_true(forward == exact);
    assert_true(backward == exact);
    assert_true(fused == exact);
    assert_true(strided == exact);
    assert_true(pairwise(products, K) == exact);

    float c[64];
    fill_grid(matrix(c, 1, 64, 64), 7);
    for (int i = 0; i < 64; i++) {
        double want = 0.5 * exact - c[i];
        assert_true(0.5f * forward - c[i] == want);
        assert_true(fmaf(0.5f, forward, -c[i]) == want);
        assert_true(scaled - c[i] == want);
        assert_true(0.5f * (forward - 2.0f * c[i]) == want);
    }
}

TEST(every_order_is_exact)
{
    const int lengths[] = {1, 100, 2048, 4096, 65536, 1 << 22, LONGEST};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
        const int K = lengths[i];
        make_products(K, i);
        same_in_every_order(K);
        for (int k = 0; k < K; k++) { // the largest sum: no sign but one
            a[k] = fabsf(a[k]);
            b[k] = fabsf(b[k]);
            products[k] = a[k] * b[k];
        }
        same_in_every_order(K);
    }
}

/* ---- memory -------------------------------------------------------------- */

/** Bytes on host and device, and those of the device: free, and all. */
static int require(void *context)
{
    const double *bytes = context;
    device_info info = {.free_bytes = (size_t)bytes[2],
                        .total_bytes = (size_t)bytes[3]};
    memory_require(bytes[0], bytes[1], &info);
    return 0;
}

TEST(memory)
{
    // 2^64 does not wrap to 0
    child c = run_child(require, (double[]){0x1p66, 1, 0x1p60, 0x1p60});
    assert_int_equal(c.status, EXIT_ARGUMENTS);
    HAS(c.err, "needs 68719476736.0 GiB of host memory", "GiB are free");
    c = run_child(require, (double[]){1, 0x1p33, 0x1.8p31, 0x1p32});
    assert_int_equal(c.status, EXIT_ARGUMENTS);
    assert_string_equal(c.err, "this size needs 8.0 GiB of GPU memory; "
                               "3.0 of 4.0 GiB are free\n");
    c = run_child(require, (double[]){1 << 20, 1 << 20, 1 << 20, 1 << 20});
    assert_int_equal(c.status, 0);
}

/** The sum of magnitudes is one a float32 holds: so is every partial sum. */
TEST(sums_are_exact)
{
    const int64_t counts[] = {1, 1000, SUM_TERMS, SUM_TERMS + 1,
                              3 * (int64_t)SUM_TERMS + 5};
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        int64_t n = counts[c], terms = 0;
        float *x = host_alloc((size_t)n * sizeof(float));
        double magnitudes = 0;
        array a = {.type = ELEMENT_FLOAT32, .host = x};
        array_1d(&a, n);
        fill_sum(&a, 7);
        int64_t length = (n - 1) / SUM_TERMS + 1, run = -1;
        for (int64_t i = 0; i < n; i++) {
            assert_true(x[i] == rintf(x[i]));
            magnitudes += fabsf(x[i]);
            if (x[i] == 0.0f)
                continue;
            terms++;
            assert_int_equal(i / length, run + 1); // one in each run
            run = i / length;
        }
        assert_true(magnitudes <= 0x1p24);
        assert_int_equal(terms, (n - 1) / length + 1);
        assert_true(x[n - 1] != 0.0f);
        free(x);
    }
}
