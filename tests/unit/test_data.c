/**
 * @file test_data.c
 * @brief The inputs: what they are made of, and why equality can be demanded.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "options.h"

enum { ROWS = 37, COLS = 61, LD = 68 };

static void grid_values(void **state)
{
    (void)state;
    static float x[ROWS * LD];
    int seen[16] = {0};
    fill_grid(x, ROWS, COLS, LD, COLS, 1);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < LD; j++) {
            float v = x[i * LD + j];
            if (j >= COLS) {
                assert_true(v == 0.0f);
                continue;
            }
            assert_true(v >= -1.0f && v < 1.0f && v * 8 == floorf(v * 8));
            seen[(int)(v * 8) + 8]++;
        }
    }
    for (int i = 0; i < 16; i++) // 141 of each on average
        assert_in_range(seen[i], 80, 220);
}

static void random_values(void **state)
{
    (void)state;
    static float x[ROWS * LD];
    int low_bit = 0, negative = 0;
    fill_random(x, ROWS, COLS, LD, 1);
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
static void seeds(void **state)
{
    (void)state;
    static float x[ROWS * LD], y[ROWS * COLS], z[ROWS * LD];
    fill_random(x, ROWS, COLS, LD, 5);
    fill_random(y, ROWS, COLS, COLS, 5);
    fill_random(z, ROWS, COLS, LD, 6);
    for (int i = 0; i < ROWS; i++)
        assert_memory_equal(x + i * LD, y + i * COLS, sizeof(float) * COLS);
    assert_memory_not_equal(x, z, sizeof(x));
    // Known words: the same on every platform.
    float words[4];
    fill_random(words, 2, 2, 2, 5);
    assert_true(words[0] == 0x1.1f8ebcp-1f && words[3] == 0x1.6a6448p-2f);
    fill_grid(words, 2, 2, 2, 2, 5);
    assert_true(words[0] == 0.5f && words[3] == 0.25f);
}

static void padding_bits(void **state)
{
    (void)state;
    static float x[ROWS * LD];
    fill_random(x, ROWS, COLS, LD, 5);
    fill_padding(x, ROWS, COLS, LD);
    for (int i = 0; i < ROWS; i++) {
        for (int j = COLS; j < LD; j++) {
            uint32_t bits;
            memcpy(&bits, &x[i * LD + j], sizeof(bits));
            assert_int_equal(bits, GUARD_WORD);
            assert_true(isnan(x[i * LD + j]));
        }
        assert_false(isnan(x[i * LD + COLS - 1]));
    }
}

/** From K = 2^17 on: fewer than 2^17 columns, spread, one end included. */
static void kept_columns(void **state)
{
    (void)state;
    const int limit = 1 << 17;
    assert_int_equal(grid_keep(1), 1);
    assert_int_equal(grid_keep(limit - 1), limit - 1);
    assert_int_equal(grid_keep(limit), limit - 1);
    assert_int_equal(grid_keep(3 * limit), limit - 1);

    const int rows = 40, cols = 3 * limit; // a kept column is not all 0
    float *x = malloc(sizeof(float) * rows * cols);
    for (uint64_t seed = 2; seed < 4; seed++) {
        int kept = 0, gap = 0, largest_gap = 0;
        fill_grid(x, rows, cols, cols, grid_keep(cols), seed);
        for (int j = 0; j < cols; j++) {
            bool any = false;
            for (int i = 0; i < rows; i++)
                any |= x[(int64_t)i * cols + j] != 0.0f;
            kept += any;
            gap = any ? 0 : gap + 1;
            largest_gap = gap > largest_gap ? gap : largest_gap;
            if (j == (seed % 2 ? 0 : cols - 1))
                assert_true(any);
        }
        assert_int_equal(kept, limit - 1);
        assert_in_range(largest_gap, 1, 3);
    }
    free(x);
}

/* ---- exact sums ---------------------------------------------------------- */

enum { TERMS = (1 << 17) - 1 };

static float pairwise(const float *x, int n)
{
    return n == 1 ? x[0] : pairwise(x, n / 2) + pairwise(x + n / 2, n - n / 2);
}

/** The longest sums: all orders give the same float32, also with 0.5 and -1. */
static void every_order_is_exact(void **state)
{
    (void)state;
    static float a[TERMS], b[TERMS], products[TERMS];
    for (int worst = 0; worst < 2; worst++) {
        fill_grid(a, 1, TERMS, TERMS, TERMS, 1);
        fill_grid(b, 1, TERMS, TERMS, TERMS, 2);
        double exact = 0;
        for (int i = 0; i < TERMS; i++) {
            if (worst) // the largest sum: all products 1, one of them 1/64
                a[i] = b[i] = i == TERMS / 2 ? 0.125f : -1.0f;
            products[i] = a[i] * b[i];
            exact += (double)a[i] * b[i];
        }
        float forward = 0, backward = 0, fused = 0, strided = 0, scaled = 0;
        for (int i = 0; i < TERMS; i++) {
            forward += products[i];
            backward += products[TERMS - 1 - i];
            fused = fmaf(a[i], b[i], fused);
            scaled = fmaf(0.5f * a[i], b[i], scaled);
        }
        for (int start = 0; start < 32; start++) {
            float part = 0;
            for (int i = start; i < TERMS; i += 32)
                part += products[i];
            strided += part;
        }
        assert_true(forward == exact);
        assert_true(backward == exact);
        assert_true(fused == exact);
        assert_true(strided == exact);
        assert_true(pairwise(products, TERMS) == exact);
        for (float c = -1.0f; c < 1.0f; c += 0.125f) {
            double want = 0.5 * exact - c;
            assert_true(0.5f * forward - c == want);
            assert_true(fmaf(0.5f, forward, -c) == want);
            assert_true(scaled - c == want);
        }
    }
}

/* ---- memory -------------------------------------------------------------- */

static int too_much_host(void *context)
{
    (void)context;
    device_info info = {.free_bytes = SIZE_MAX};
    memory_require((byte_count)1 << 66, 1, &info); // 2^64 does not wrap to 0
    return 0;
}

static int too_much_device(void *context)
{
    (void)context;
    device_info info = {.free_bytes = (size_t)3 << 30};
    memory_require(1, (byte_count)1 << 33, &info);
    return 0;
}

static int enough(void *context)
{
    (void)context;
    device_info info = {.free_bytes = 1 << 20};
    memory_require(1 << 20, 1 << 20, &info);
    return 0;
}

static void memory(void **state)
{
    (void)state;
    child c = run_child(too_much_host, NULL);
    assert_int_equal(c.status, EXIT_ARGUMENTS);
    assert_non_null(strstr(c.err, "needs 68719476736.0 GiB of host memory"));
    assert_non_null(strstr(c.err, "GiB are free"));
    c = run_child(too_much_device, NULL);
    assert_int_equal(c.status, EXIT_ARGUMENTS);
    assert_string_equal(c.err, "this size needs 8.0 GiB of GPU memory; "
                               "3.0 GiB are free\n");
    assert_int_equal(run_child(enough, NULL).status, 0);
}

/** Device memory begins as NaN; a guard tells on which side it was written. */
static void guards(void **state)
{
    (void)state;
    float got[5];
    float *d_x = device_alloc(sizeof(got));
    CUDA_CHECK(cudaMemcpy(got, d_x, sizeof(got), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 5; i++)
        assert_true(isnan(got[i]));
    assert_null(device_guard_broken(d_x));

    CUDA_CHECK(cudaMemset(d_x, 0, sizeof(got)));
    assert_null(device_guard_broken(d_x));
    CUDA_CHECK(cudaMemset(d_x + 5, 0, 1));
    assert_string_equal(device_guard_broken(d_x), "behind");
    device_free(d_x);

    d_x = device_alloc(sizeof(got));
    CUDA_CHECK(cudaMemset(d_x - 1, 0, 1));
    assert_string_equal(device_guard_broken(d_x), "before");
    device_free(d_x);
    device_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_values),  cmocka_unit_test(random_values),
        cmocka_unit_test(seeds),        cmocka_unit_test(padding_bits),
        cmocka_unit_test(kept_columns), cmocka_unit_test(every_order_is_exact),
        cmocka_unit_test(memory),       cmocka_unit_test(guards),
    };
    return cmocka_run_group_tests_name("data", tests, NULL, NULL);
}
