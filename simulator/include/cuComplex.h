/**
 * @file cuComplex.h
 * @brief Complex numbers, pairs of floats or doubles. Valid C11 and C++17.
 */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>

#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/** @p f ends the names of functions of float, as in C. The divisor is scaled,
 *  so that its square neither overflows nor vanishes. */
#define SIM_COMPLEX(C, T, f)                                                   \
    SIM_INLINE C make_##C(T x, T y)                                            \
    {                                                                          \
        C z;                                                                   \
        z.x = x;                                                               \
        z.y = y;                                                               \
        return z;                                                              \
    }                                                                          \
    SIM_IS(T, cuCreal##f, (C z), z.x)                                          \
    SIM_IS(T, cuCimag##f, (C z), z.y)                                          \
    SIM_IS(T, cuCabs##f, (C z), hypot##f(z.x, z.y))                            \
    SIM_IS(C, cuConj##f, (C z), make_##C(z.x, -z.y))                           \
    SIM_IS(C, cuCadd##f, (C a, C b), make_##C(a.x + b.x, a.y + b.y))           \
    SIM_IS(C, cuCsub##f, (C a, C b), make_##C(a.x - b.x, a.y - b.y))           \
    SIM_IS(C, cuCmul##f, (C a, C b),                                           \
           make_##C(a.x *b.x - a.y * b.y, a.x * b.y + a.y * b.x))              \
    SIM_IS(C, cuCfma##f, (C a, C b, C c), cuCadd##f(cuCmul##f(a, b), c))       \
    SIM_INLINE C cuCdiv##f(C a, C b)                                           \
    {                                                                          \
        T scale = 1 / (fabs##f(b.x) + fabs##f(b.y));                           \
        T x = b.x * scale, y = b.y * scale, square = x * x + y * y;            \
        C z = cuCmul##f(make_##C(a.x * scale, a.y * scale), make_##C(x, -y));  \
        return make_##C(z.x / square, z.y / square);                           \
    }

SIM_COMPLEX(cuFloatComplex, float, f)
SIM_COMPLEX(cuDoubleComplex, double, )

#undef SIM_COMPLEX

SIM_IS(cuComplex, make_cuComplex, (float x, float y), make_cuFloatComplex(x, y))
SIM_IS(cuDoubleComplex, cuComplexFloatToDouble, (cuFloatComplex z),
       make_cuDoubleComplex(z.x, z.y))
SIM_IS(cuFloatComplex, cuComplexDoubleToFloat, (cuDoubleComplex z),
       make_cuFloatComplex((float)z.x, (float)z.y))

#endif
