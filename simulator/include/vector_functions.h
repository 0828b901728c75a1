/**
 * @file vector_functions.h
 * @brief make_float4() and so on, for every type of vector_types.h.
 */
#ifndef VECTOR_FUNCTIONS_H
#define VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define SIM_MAKE(T, base)                                                      \
    SIM_IS(base##1, make_##base##1, (T x), base##1 {x})                        \
    SIM_IS(base##2, make_##base##2, (T x, T y), base##2 {x, y})                \
    SIM_IS(base##3, make_##base##3, (T x, T y, T z), base##3 {x, y, z})        \
    SIM_IS(base##4, make_##base##4, (T x, T y, T z, T w), base##4 {x, y, z, w})

SIM_MAKE(signed char, char)
SIM_MAKE(unsigned char, uchar)
SIM_MAKE(short, short)
SIM_MAKE(unsigned short, ushort)
SIM_MAKE(int, int)
SIM_MAKE(unsigned int, uint)
SIM_MAKE(float, float)
SIM_MAKE(long, long)
SIM_MAKE(unsigned long, ulong)
SIM_MAKE(long long, longlong)
SIM_MAKE(unsigned long long, ulonglong)
SIM_MAKE(double, double)

#undef SIM_MAKE

#endif
