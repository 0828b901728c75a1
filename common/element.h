/**
 * @file element.h
 * @brief The types of an array's elements, each as a double and back.
 */
#ifndef ELEMENT_H
#define ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A double holds every value of each of them. */
typedef enum {
    ELEMENT_FLOAT32,
    ELEMENT_FLOAT16,  /**< IEEE binary16: 11 bits, exponents -14 to 15 */
    ELEMENT_BFLOAT16, /**< the upper half of a float32: 8 bits */
    ELEMENT_INT32,
    ELEMENT_UINT32,
    ELEMENT_UINT8
} element_type;

/** Size of one element (bytes). */
size_t element_bytes(element_type type);

/** false: the type has no NaN, and every bit pattern is a number. */
bool element_has_nan(element_type type);

/** Element @p i of @p x, exactly. */
double element_read(element_type type, const void *x, int64_t i);

/**
 * Set element @p i of @p x to @p value: rounded to nearest, ties to even, in
 * the floating types; integers must be in range.
 */
void element_write(element_type type, void *x, int64_t i, double value);

#ifdef __cplusplus
}
#endif

#endif
