/**
 * @file test_array.c
 * @brief Arrays of every type and shape: elements, bands, contents, what is
 *        around them.
 */
#include "unit.h"

static const element_type types[] = {ELEMENT_FLOAT32,  ELEMENT_FLOAT16,
                                     ELEMENT_BFLOAT16, ELEMENT_INT32,
                                     ELEMENT_UINT32,   ELEMENT_UINT8};
enum { TYPES = sizeof(types) / sizeof(types[0]) };

static array make(array_role role, element_type type, int64_t rows,
                  int64_t cols, int64_t ld)
{
    array a = {.name = "x", .role = role, .type = type};
    if (ld)
        array_2d(&a, rows, cols, ld);
    else
        array_1d(&a, cols);
    return a;
}

/* ---- elements ------------------------------------------------------------ */

/** Every finite 16-bit pattern is a number that is written as itself. */
static void every_pattern(element_type type)
{
    for (int bits = 0; bits < 1 << 16; bits++) {
        uint16_t x = (uint16_t)bits, y = 0;
        double value = element_read(type, &x, 0);
        element_write(type, &y, 0, value);
        if (isnan(value))
            assert_true(isnan(element_read(type, &y, 0)));
        else
            assert_int_equal(x, y);
    }
}

static double round_trip(element_type type, double value)
{
    uint16_t x;
    element_write(type, &x, 0, value);
    return element_read(type, &x, 0);
}

/** Between two neighbours: the nearer one, in the middle the even one. */
static void every_gap(element_type type, int infinity)
{
    for (int bits = 0; bits + 1 < infinity; bits++) {
        uint16_t low = (uint16_t)bits, high = (uint16_t)(bits + 1);
        double a = element_read(type, &low, 0);
        double b = element_read(type, &high, 0);
        double middle = (a + b) / 2;
        assert_true(a < b);
        assert_true(round_trip(type, middle) == (bits % 2 ? b : a));
        assert_true(round_trip(type, nextafter(middle, a)) == a);
        assert_true(round_trip(type, nextafter(middle, b)) == b);
        assert_true(round_trip(type, -nextafter(middle, b)) == -b);
    }
}

TEST(sixteen_bits)
{
    static const struct {
        element_type type;
        int infinity;
        uint16_t words[4];
        double values[4];
    } formats[] = {{ELEMENT_FLOAT16,
                    0x7c00,
                    {0xc000, 0x7bff, 0x0001, 0x3555},
                    {-2, 65504, 0x1p-24, 0.333251953125}},
                   {ELEMENT_BFLOAT16,
                    0x7f80,
                    {0x3f80, 0xc000, 0x7f7f, 0x3eab},
                    {1, -2, 0x1.fep127, 0.333984375}}};
    for (int f = 0; f < 2; f++) {
        const element_type type = formats[f].type;
        every_pattern(type);
        every_gap(type, formats[f].infinity);
        for (int i = 0; i < 4; i++)
            assert_true(element_read(type, formats[f].words, i) ==
                        formats[f].values[i]);
        assert_true(isinf(round_trip(type, FLT_MAX)));
        assert_true(isinf(round_trip(type, -INFINITY)));
        assert_true(signbit(round_trip(type, -0.0)));
    }
    assert_true(round_trip(ELEMENT_FLOAT16, 65519.9) == 65504);
    assert_true(isinf(round_trip(ELEMENT_FLOAT16, 65520)));
}

TEST(four_bytes)
{
    uint32_t x[2];
    element_write(ELEMENT_INT32, x, 1, INT32_MIN);
    assert_true(element_read(ELEMENT_INT32, x, 1) == INT32_MIN);
    element_write(ELEMENT_UINT32, x, 1, UINT32_MAX);
    assert_true(element_read(ELEMENT_UINT32, x, 1) == UINT32_MAX);
    element_write(ELEMENT_FLOAT32, x, 1, 0.1);
    assert_true(element_read(ELEMENT_FLOAT32, x, 1) == 0.1f);
    element_write(ELEMENT_UINT8, x, 3, 255);
    assert_true(element_read(ELEMENT_UINT8, x, 3) == 255);
}

/* ---- bands --------------------------------------------------------------- */

/** Bands of at most @p most elements cover everything once, in order. */
static void covers(int64_t rows, int64_t cols, int64_t ld, int64_t most)
{
    array a = make(ARRAY_OUT, ELEMENT_UINT8, rows, cols, ld);
    int64_t next = 0, memory = 0; // elements, and bytes with the padding
    for (band b = {0}; array_next_band(&a, most, &b);) {
        assert_true(b.rows >= 1 && b.cols >= 1);
        assert_true(b.rows * b.cols <= most);
        assert_true(b.rows == 1 || (b.col == 0 && b.cols == cols));
        assert_int_equal(b.row * cols + b.col, next);
        assert_int_equal(array_offset(&a, &b), memory);
        next += b.rows * b.cols;
        memory += array_span(&a, &b);
    }
    assert_int_equal(next, rows * cols);
    assert_true(memory == array_bytes(&a));
}

TEST(bands)
{
    covers(1, 0, 0, 7); // no elements, no bands
    covers(1, 1, 0, 1);
    covers(1, 1000, 0, 7);
    covers(1, 1000, 0, 1000);
    covers(1, 1000, 1004, 999);
    covers(10, 20, 24, 5); // a row at a time, in parts
    covers(10, 20, 24, 20);
    covers(10, 20, 24, 65);
    covers(10, 20, 24, 1 << 20);
    covers(1, INT64_C(5) << 31, 0, 1 << 30); // counted, not allocated
    covers(3, INT64_C(1) << 32, (INT64_C(1) << 32) + 8, 1 << 30);
}

/* ---- contents ------------------------------------------------------------ */

/** Integers are all there, and nothing else; padding is 0. */
TEST(integers)
{
    for (int t = 0; t < TYPES; t++) {
        array a = make(ARRAY_IN, types[t], 30, 31, 36);
        int seen[7] = {0};
        a.host = malloc((size_t)array_bytes(&a));
        fill_integers(&a, 3, 9, 1);
        for (int i = 0; i < 30 * 36; i++) {
            double v = element_read(a.type, a.host, i);
            if (i % 36 >= 31) {
                assert_true(v == 0);
                continue;
            }
            assert_true(v == floor(v) && v >= 3 && v <= 9);
            seen[(int)v - 3]++;
        }
        for (int i = 0; i < 7; i++) // 133 of each on average
            assert_in_range(seen[i], 80, 190);
        free(a.host);
    }
}

/** Random data reaches both ends of a type, and is what the seed says. */
TEST(random_data)
{
    const double least[] = {-1, -1, -1, INT32_MIN, 0, 0};
    const double most[] = {1, 1, 1, INT32_MAX, UINT32_MAX, 255};
    for (int t = 0; t < TYPES; t++) {
        array a = make(ARRAY_IN, types[t], 1, 4096, 0);
        array b = make(ARRAY_IN, types[t], 16, 256, 260);
        double low = INFINITY, high = -INFINITY;
        a.host = malloc((size_t)array_bytes(&a));
        b.host = malloc((size_t)array_bytes(&b));
        fill_random(&a, 3);
        fill_random(&b, 3);
        for (int i = 0; i < 4096; i++) {
            double v = element_read(a.type, a.host, i);
            int64_t at = i / 256 * 260 + i % 256;
            assert_true(v == element_read(b.type, b.host, at));
            low = fmin(low, v);
            high = fmax(high, v);
        }
        double near = (most[t] - least[t]) / 256;
        assert_true(low >= least[t] && low <= least[t] + near);
        assert_true(high <= most[t] && high >= most[t] - near);
        free(a.host);
        free(b.host);
    }
}

/* ---- on the device ------------------------------------------------------- */

/** What @p a has on the device, all of it. */
static unsigned char *download(const array *a)
{
    size_t bytes = (size_t)array_bytes(a);
    unsigned char *x = malloc(bytes);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(x, a->device, bytes, cudaMemcpyDeviceToHost));
    return x;
}

/** Outputs are poisoned, padding is not; the poison of integers changes. */
TEST(poison)
{
    for (int t = 0; t < TYPES; t++) {
        unsigned char last = 0;
        size_t bytes = element_bytes(types[t]);
        array a = make(ARRAY_OUT, types[t], 3, 5, 8);
        array_allocate(&a);
        for (int round = 0; round < 2; round++) {
            array_upload(&a);
            array_prepare(&a, a.device);
            unsigned char *x = download(&a);
            for (size_t i = 0; i < 24; i++) {
                if (i % 8 >= 5)
                    assert_true(is_padding(x + i * bytes, bytes));
                else if (element_has_nan(a.type))
                    assert_true(isnan(element_read(a.type, x, (int64_t)i)));
                else
                    assert_int_equal(x[i * bytes], a.poison);
            }
            if (!element_has_nan(a.type))
                assert_int_not_equal(a.poison, last);
            last = a.poison;
            free(x);
        }
        array_free(&a);
    }
}

/** One byte before or behind the last element, in any type. */
TEST(guards)
{
    static unsigned char chunk[ARRAY_CHUNK];
    for (int t = 0; t < TYPES; t++) {
        for (int side = 0; side < 3; side++) {
            array a = make(ARRAY_OUT, types[t], 1, 5, 0);
            array_allocate(&a);
            array_upload(&a);
            char *x = a.device;
            size_t bytes = 5 * element_bytes(a.type);
            assert_int_equal(cudaMemset(x, 0, bytes), cudaSuccess);
            if (side == 1)
                CUDA_CHECK(cudaMemset(x - 1, 0, 1));
            if (side == 2)
                CUDA_CHECK(cudaMemset(x + bytes, 0, 1));
            assert_int_equal(array_check_surroundings(&a, chunk), side == 0);
            array_free(&a);
        }
    }
}

/** Rows 2^29 elements apart: what is filled comes and goes, the rest takes no
 *  memory. */
TEST(long_pitch)
{
    static unsigned char chunk[ARRAY_CHUNK];
    const int64_t rows = 3, cols = 5, ld = 1 << 29;
    array a = make(ARRAY_IN, ELEMENT_FLOAT32, rows, cols, ld);
    assert_true(array_filled_bytes(&a) == 3 * 4 * (5 + ARRAY_PADDING));
    if (!device_simulated())
        skip(); // 6 GiB
    array_allocate(&a);
    fill_random(&a, 1);
    array_upload(&a);
    band b = {0};
    for (int64_t row = 0; row < rows; row++) {
        static float got[5 + ARRAY_PADDING];
        assert_true(array_next_band(&a, 1 << 20, &b) && b.row == row);
        assert_int_equal(array_span(&a, &b), cols + ARRAY_PADDING);
        array_download(&a, a.device, &b, got);
        assert_memory_equal(got, (float *)a.host + row * ld, sizeof(got));
    }
    assert_false(array_next_band(&a, 1 << 20, &b));
    assert_true(array_check_surroundings(&a, chunk));
    float *last = (float *)a.device + (rows - 1) * ld;
    CUDA_CHECK(cudaMemset(last + cols + ARRAY_PADDING - 1, 1, 1));
    assert_false(array_check_surroundings(&a, chunk));
    array_repair(&a);
    assert_true(array_check_surroundings(&a, chunk));
    CUDA_CHECK(cudaMemset(last - 1, 1, 1)); // left of a row, as of stencils
    assert_false(array_check_surroundings(&a, chunk));
    array_free(&a);
}

/* ---- comparisons --------------------------------------------------------- */

static int far_away(void *context)
{
    array *a = context;
    const int64_t at = (INT64_C(1) << 31) + 3; // of 2^31 + 16
    unsigned char got[32];
    double want[16] = {0};
    band b = {0, at - 3, 1, 16};
    verdict v = {0};
    array_download(a, a->device, &b, got);
    verify_elements(&v, a, &b, got, want, NULL);
    return v.wrong == 1;
}

/** More than 2^31 elements of one dimension: the last ones are looked at. */
TEST(long_array)
{
    const int64_t n = (INT64_C(1) << 31) + 16;
    array a = make(ARRAY_OUT, ELEMENT_UINT8, 1, n, 0);
    size_t free_bytes, total;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
    if (free_bytes < (size_t)4 << 30)
        skip();
    array_allocate(&a); // poisoned, too
    char *end = (char *)a.device + n;
    CUDA_CHECK(cudaMemset(end - 16, 0, 16));
    CUDA_CHECK(cudaMemset(end - 13, 7, 1));
    child c = run_child(far_away, &a);
    assert_int_equal(c.status, 1);
    assert_string_equal(c.err, "  x[2147483651]: got 7, want 0\n");
    array_free(&a);
}
