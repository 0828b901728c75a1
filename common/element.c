/** @file element.c @see array.h */
#include "internal.h"

#include <math.h>
#include <string.h>

size_t element_bytes(element_type type)
{
    switch (type) {
    case ELEMENT_UINT8:
        return 1;
    case ELEMENT_FLOAT16:
    case ELEMENT_BFLOAT16:
        return 2;
    default:
        return 4;
    }
}

bool element_has_nan(element_type type)
{
    return type == ELEMENT_FLOAT32 || type == ELEMENT_FLOAT16 ||
           type == ELEMENT_BFLOAT16;
}

/* ---- 16 bits ------------------------------------------------------------- */

static double bfloat16_read(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/** Sign, 5 bits of exponent (bias 15), 10 bits behind the leading 1. */
static double float16_read(uint16_t half)
{
    int exponent = half >> 10 & 31;
    int fraction = half & 1023;
    double magnitude = exponent == 0   ? ldexp(fraction, -24)
                       : exponent < 31 ? ldexp(1024 + fraction, exponent - 25)
                       : fraction == 0 ? INFINITY
                                       : NAN;
    return copysign(magnitude, half >> 15 ? -1.0 : 1.0);
}

/**
 * Round to @p digits bits, with @p least the exponent of the smallest unit;
 * the rounding mode is the default one, to nearest, ties to even.
 */
static double round_to(double value, int digits, int least)
{
    int exponent;
    frexp(value, &exponent); // |value| < 2^exponent
    int unit = exponent - digits > least ? exponent - digits : least;
    return ldexp(rint(ldexp(value, -unit)), unit);
}

static uint16_t bfloat16_write(double value)
{
    // Rounded already, the conversion to float32 is exact or overflows.
    float rounded = (float)(isfinite(value) ? round_to(value, 8, -133) : value);
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof(bits));
    return (uint16_t)(isnan(rounded) ? bits >> 16 | 0x40 : bits >> 16);
}

static uint16_t float16_write(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value))
        return sign | 0x7e00;
    double magnitude = fabs(value);
    if (isfinite(magnitude))
        magnitude = round_to(magnitude, 11, -24);
    if (magnitude > 65504) // the largest
        return sign | 0x7c00;
    if (magnitude < 0x1p-14) // subnormal: a multiple of 2^-24
        return sign | (uint16_t)(magnitude * 0x1p24);
    int exponent;
    double fraction = frexp(magnitude, &exponent); // in [1/2, 1)
    // fraction * 2048 has the leading 1, which adds 1 to the exponent.
    return sign | (uint16_t)(((exponent + 13) << 10) + (int)(fraction * 2048));
}

/* ---- all ----------------------------------------------------------------- */

double element_read(element_type type, const void *x, int64_t i)
{
    switch (type) {
    case ELEMENT_FLOAT32:
        return ((const float *)x)[i];
    case ELEMENT_FLOAT16:
        return float16_read(((const uint16_t *)x)[i]);
    case ELEMENT_BFLOAT16:
        return bfloat16_read(((const uint16_t *)x)[i]);
    case ELEMENT_INT32:
        return ((const int32_t *)x)[i];
    case ELEMENT_UINT32:
        return ((const uint32_t *)x)[i];
    default:
        return ((const uint8_t *)x)[i];
    }
}

void element_write(element_type type, void *x, int64_t i, double value)
{
    switch (type) {
    case ELEMENT_FLOAT32:
        ((float *)x)[i] = (float)value;
        break;
    case ELEMENT_FLOAT16:
        ((uint16_t *)x)[i] = float16_write(value);
        break;
    case ELEMENT_BFLOAT16:
        ((uint16_t *)x)[i] = bfloat16_write(value);
        break;
    case ELEMENT_INT32:
        ((int32_t *)x)[i] = (int32_t)value;
        break;
    case ELEMENT_UINT32:
        ((uint32_t *)x)[i] = (uint32_t)value;
        break;
    case ELEMENT_UINT8:
        ((uint8_t *)x)[i] = (uint8_t)value;
        break;
    }
}
