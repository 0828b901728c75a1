/**
 * @file test_element.c
 * @brief Each type of element, read and written.
 */
#include "unit.h"

#include <float.h>
#include <math.h>

#include "element.h"

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

static void float16(void **state)
{
    every_pattern(ELEMENT_FLOAT16);
    every_gap(ELEMENT_FLOAT16, 0x7c00);
    const uint16_t words[] = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x3555};
    const double values[] = {1, -2, 65504, 0x1p-24, 0.333251953125};
    for (int i = 0; i < 5; i++)
        assert_true(element_read(ELEMENT_FLOAT16, words, i) == values[i]);
    assert_true(round_trip(ELEMENT_FLOAT16, 65519.9) == 65504);
    assert_true(isinf(round_trip(ELEMENT_FLOAT16, 65520)));
    assert_true(isinf(round_trip(ELEMENT_FLOAT16, -INFINITY)));
    assert_true(signbit(round_trip(ELEMENT_FLOAT16, -0.0)));
}

static void bfloat16(void **state)
{
    every_pattern(ELEMENT_BFLOAT16);
    every_gap(ELEMENT_BFLOAT16, 0x7f80);
    const uint16_t words[] = {0x3f80, 0xc000, 0x7f7f, 0x3eab};
    const double values[] = {1, -2, 0x1.fep127, 0.333984375};
    for (int i = 0; i < 4; i++)
        assert_true(element_read(ELEMENT_BFLOAT16, words, i) == values[i]);
    assert_true(isinf(round_trip(ELEMENT_BFLOAT16, FLT_MAX)));
}

static void four_bytes(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float16),
        cmocka_unit_test(bfloat16),
        cmocka_unit_test(four_bytes),
    };
    return cmocka_run_group_tests_name("element", tests, NULL, NULL);
}
