/**
 * @file rounding.c
 * @brief Arithmetic that rounds up, down or to zero: __fadd_ru() and its like.
 *
 * The processor has IEEE 754's rounding modes as a GPU does, as a setting. It
 * is set, one operation is done, and set back; volatile operands keep the
 * compiler from moving the operation or from doing it at compile time.
 */
#include <fenv.h>

#include "inside.h"

static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD,
                            FE_DOWNWARD};

#define ROUND(T, name, fma, sqrt)                                              \
    T name(int operation, int rounding, T first, T second, T third)            \
    {                                                                          \
        fesetround(modes[rounding]);                                           \
        volatile T a = first, b = second, c = third, result = 0;               \
        switch (operation) {                                                   \
        case SIM_SUM:                                                          \
            result = a + b;                                                    \
            break;                                                             \
        case SIM_DIFFERENCE:                                                   \
            result = a - b;                                                    \
            break;                                                             \
        case SIM_PRODUCT:                                                      \
            result = a * b;                                                    \
            break;                                                             \
        case SIM_MULTIPLY_ADD:                                                 \
            result = fma(a, b, c);                                             \
            break;                                                             \
        case SIM_QUOTIENT:                                                     \
            result = a / b;                                                    \
            break;                                                             \
        case SIM_ROOT:                                                         \
            result = sqrt(a);                                                  \
            break;                                                             \
        }                                                                      \
        fesetround(FE_TONEAREST);                                              \
        return result;                                                         \
    }

ROUND(float, sim_round_float, fmaf, sqrtf)
ROUND(double, sim_round_double, fma, sqrt)

float sim_round_to_float(int rounding, double x)
{
    fesetround(modes[rounding]);
    volatile double from = x;
    volatile float result = (float)from;
    fesetround(FE_TONEAREST);
    return result;
}

float sim_round_integer_to_float(int rounding, int64_t high, uint32_t low)
{
    return sim_round_to_float(rounding, sim_number_of(high, low));
}

double sim_round_integer_to_double(int rounding, int64_t high, uint32_t low)
{
    return sim_round_double(SIM_MULTIPLY_ADD, rounding, (double)high,
                            4294967296.0, low);
}
