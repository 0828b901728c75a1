/**
 * @file math_constants.h
 * @brief CUDA's names for the constants of mathematics and of IEEE 754.
 */
#ifndef __MATH_CONSTANTS_H__
#define __MATH_CONSTANTS_H__

#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("0x3fffff")
#define CUDART_MIN_DENORM_F 0x1p-149f
#define CUDART_MAX_NORMAL_F 0x1.fffffep127f
#define CUDART_PI_F 3.14159265f
#define CUDART_PIO2_F 1.57079633f
#define CUDART_PIO4_F 0.785398163f
#define CUDART_SQRT_TWO_F 1.41421356f
#define CUDART_SQRT_HALF_F 0.707106781f
#define CUDART_L2E_F 1.44269504f
#define CUDART_LN2_F 0.693147181f
#define CUDART_INF __builtin_inf()
#define CUDART_NAN (-__builtin_nan(""))
#define CUDART_MIN_DENORM 0x1p-1074
#define CUDART_PI 3.1415926535897931
#define CUDART_PIO2 1.5707963267948966
#define CUDART_PIO4 0.78539816339744828
#define CUDART_SQRT_TWO 1.4142135623730951
#define CUDART_SQRT_HALF 0.70710678118654757
#define CUDART_L2E 1.4426950408889634
#define CUDART_LN2 0.69314718055994529

#endif
