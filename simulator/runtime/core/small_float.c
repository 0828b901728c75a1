/**
 * @file small_float.c
 * @brief Numbers of 16 bits: half and bfloat16, as a GPU calculates with them.
 *
 * Both are IEEE 754 formats: a sign, some bits of exponent, the rest fraction.
 * Every result is calculated as a double that rounds as the exact result would,
 * and is then rounded once. There is one NaN, 0x7fff.
 */
#include "inside.h"

#define NOT_A_NUMBER 0x7fff
#define DOUBLE_FRACTION 52 /**< bits of a double's fraction */

/** A format; the bits of infinity are those of the greatest number plus 1. */
static const struct {
    int fraction;      /**< bits of it */
    int least;         /**< exponent of the least number that is normal */
    uint32_t infinity; /**< its bits */
} formats[] = {
    [SIM_HALF] = {10, -14, 0x7c00}, [SIM_BFLOAT16] = {7, -126, 0x7f80}};

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/** Does rounding leave the lower neighbour for the higher one?
 *  @param whole  the lower one, @p rest what is cut off, @p half of a step */
static bool rounds_up(int rounding, bool negative, uint64_t whole,
                      uint64_t rest, uint64_t half)
{
    if (rounding == SIM_TO_NEAREST)
        return rest > half || (rest == half && whole & 1);
    return rest && rounding == (negative ? SIM_DOWN : SIM_UP);
}

uint16_t sim_small_from(int format, int rounding, double x)
{
    uint64_t bits = bits_of(x);
    bool negative = bits >> 63;
    int exponent = (int)(bits >> DOUBLE_FRACTION & 0x7ff) - 1023;
    uint64_t number = bits & ((UINT64_C(1) << DOUBLE_FRACTION) - 1);
    if (isnan(x))
        return NOT_A_NUMBER;
    if (exponent > -1023)
        number |= UINT64_C(1) << DOUBLE_FRACTION;

    /* Below the least normal number, steps are as large as there. */
    int above = exponent - formats[format].least;
    int cut =
        DOUBLE_FRACTION - formats[format].fraction - (above < 0 ? above : 0);
    cut = cut < 63 ? cut : 63; /* more than that is 0 and a rest anyway */
    uint64_t whole = number >> cut;
    uint64_t rest = number & ((UINT64_C(1) << cut) - 1);
    bool up =
        rounds_up(rounding, negative, whole, rest, UINT64_C(1) << (cut - 1));

    /* The leading 1 of a normal number adds 1 to the exponent, as does a carry
     * out of the fraction. */
    uint32_t scale = (uint32_t)(above > 0 ? above : 0);
    uint32_t result =
        (uint32_t)(whole + up) + (scale << formats[format].fraction);
    uint32_t infinity = formats[format].infinity;
    if (result >= infinity) {
        bool away = rounding == SIM_TO_NEAREST ||
                    rounding == (negative ? SIM_DOWN : SIM_UP);
        result = away || isinf(x) ? infinity : infinity - 1;
    }
    return (uint16_t)(result | (uint32_t)negative << 15);
}

uint16_t sim_small_from_integer(int format, int rounding, int64_t high,
                                uint32_t low)
{
    return sim_small_from(format, rounding, sim_number_of(high, low));
}

float sim_small_value(int format, uint16_t bits)
{
    uint32_t magnitude = bits & 0x7fffu, wide;
    if (format == SIM_BFLOAT16)
        wide = magnitude << 16; /* the upper half of a float */
    else if (magnitude > formats[SIM_HALF].infinity)
        return NAN;
    else if (magnitude == formats[SIM_HALF].infinity)
        wide = 0xffu << 23;
    else if (magnitude >= 1 << 10)
        wide = (magnitude << 13) + ((127u - 15) << 23);
    else
        return (bits >> 15 ? -0x1p-24f : 0x1p-24f) * (float)magnitude;
    return sim_float_of(wide | (uint32_t)(bits & 0x8000) << 16);
}

/**
 * x + y, and where a double does not hold it, the odd one of its neighbours.
 *
 * That one is on the same side of everything that a shorter format can round
 * to, or halfway between two of those, as the exact sum is.
 */
static double odd_sum(double x, double y)
{
    double sum = x + y;
    double from_y = sum - x;
    double error = (x - (sum - from_y)) + (y - from_y);
    if (!(error != 0) || !isfinite(sum) || bits_of(sum) & 1)
        return sum;
    return nextafter(sum, error > 0 ? INFINITY : -INFINITY);
}

/** The lesser of two numbers, or the greater. */
static double extreme(double x, double y, bool greater, bool nan_wins)
{
    if (isnan(x) || isnan(y))
        return nan_wins ? NAN : isnan(x) ? y : x;
    bool first = x == y ? signbit(x) == !greater || signbit(x) == signbit(y)
                        : (x > y) == greater;
    return first ? x : y;
}

/** The result of an operation, or what rounds to the same number. A quotient or
 *  a root of a double is never so near to a halfway point that it is taken for
 *  one. */
static double exact(int operation, double a, double b, double c)
{
    switch (operation) {
    case SIM_SUM:
        return odd_sum(a, b);
    case SIM_DIFFERENCE:
        return odd_sum(a, -b);
    case SIM_PRODUCT:
        return a * b;
    case SIM_MULTIPLY_ADD:
        return odd_sum(a * b, c);
    case SIM_QUOTIENT:
        return a / b;
    case SIM_ROOT:
        return sqrt(a);
    case SIM_RECIPROCAL_ROOT:
        return 1 / sqrt(a);
    case SIM_MINIMUM:
    case SIM_MAXIMUM:
        return extreme(a, b, operation == SIM_MAXIMUM, false);
    case SIM_MINIMUM_NAN:
    case SIM_MAXIMUM_NAN:
        return extreme(a, b, operation == SIM_MAXIMUM_NAN, true);
    }
    return NAN;
}

uint16_t sim_small_calculate(int format, int operation, uint16_t a, uint16_t b,
                             uint16_t c)
{
    int plain = operation & ~(SIM_SATURATED | SIM_NOT_NEGATIVE);
    double x = exact(plain, sim_small_value(format, a),
                     sim_small_value(format, b), sim_small_value(format, c));
    if (operation & SIM_SATURATED)
        x = x > 0 ? fmin(x, 1) : 0; /* of NaN 0 */
    if (operation & SIM_NOT_NEGATIVE && x <= 0)
        x = 0;
    return sim_small_from(format, SIM_TO_NEAREST, x);
}
