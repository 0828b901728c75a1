/**
 * @file array.h
 * @brief An array of a problem: its type, its shape, what it is filled with.
 *
 * A problem is a struct with sizes and device pointers, as kernels get it:
 *
 *     typedef struct {
 *         int64_t n;
 *         const float *x;
 *         float *sum;
 *     } reduction;
 *
 * A table says what lies behind each pointer:
 *
 *     static array arrays[] = {
 *         ARRAY(reduction, x, IN, FLOAT32),
 *         ARRAY(reduction, sum, OUT, FLOAT32),
 *     };
 *
 * Element (i, j) of a [rows x cols] array is x[i * ld + j]; an array of one
 * dimension has one row, and ld 0.
 */
#ifndef ARRAY_H
#define ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- elements ------------------------------------------------------------ */

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

/* ---- arrays -------------------------------------------------------------- */

/** What a kernel does with an array. */
typedef enum {
    ARRAY_IN,     /**< read; must keep its bits */
    ARRAY_OUT,    /**< written, all of it; poisoned before a launch */
    ARRAY_IN_OUT, /**< read, then written; restored before a launch */
    ARRAY_SCRATCH /**< temporary: poisoned before, anything afterwards */
} array_role;

/** One array. The first four members are the table's, shape() sets the rest. */
typedef struct {
    const char *name;     /**< of the member, for messages and findings */
    size_t member;        /**< where the problem has its pointer (bytes) */
    array_role role;      /**< what a kernel does with it */
    element_type type;    /**< of the elements */
    int64_t rows;         /**< 1 if the array has one dimension */
    int64_t cols;         /**< elements of a row */
    int64_t ld;           /**< from row to row (elements); 0: one dimension */
    void *host;           /**< what the device holds before a launch; NULL for
                               what has neither input nor padding */
    void *device;         /**< where the launches of the verification work */
    void *before;         /**< IN_OUT: the same as host, on the device */
    unsigned char poison; /**< byte that unwritten elements are made of */
} array;

/** Entry of a table: ARRAY(reduction, x, IN, FLOAT32). */
#define ARRAY(problem, member, role, type)                                     \
    {                                                                          \
#member, offsetof(problem, member), ARRAY_##role, ELEMENT_##type, 0,   \
            0, 0, NULL, NULL, NULL, 0                                          \
    }

/** Some elements of an array: whole rows, or a part of one row. */
typedef struct {
    int64_t row;  /**< first row */
    int64_t col;  /**< first column */
    int64_t rows; /**< 1 where a row is not whole */
    int64_t cols; /**< elements of a row */
} band;

/** Make @p a an array of @p n elements. */
void array_1d(array *a, int64_t n);

/** Make @p a an array of [rows x cols] elements, @p ld from row to row. */
void array_2d(array *a, int64_t rows, int64_t cols, int64_t ld);

/* ---- contents ------------------------------------------------------------ */

/*
 * These functions fill the host's copy of an array; padding of inputs gets 0.
 * Equal seeds give equal data on every platform, whatever the leading dimension
 * and the number of threads.
 */

/**
 * Fill with the data that is timed.
 *
 * Floating types: multiples of 2^-24 in [-1, 1), 24 random bits and a sign,
 * rounded to the type. Integers: every value, equally likely.
 */
void fill_random(const array *a, uint64_t seed);

/** Fill with integers in [low, high], equally likely, in any type. */
void fill_integers(const array *a, int64_t low, int64_t high, uint64_t seed);

/** Makes element (row, col) of 64 random bits; several threads call it. */
typedef double (*value_fn)(const void *context, int64_t row, int64_t col,
                           uint64_t bits);

/** Fill with what a function makes; @p context is handed on to it. */
void fill_values(const array *a, value_fn value, const void *context,
                 uint64_t seed);

/** The 64 random bits of element @p i: for what several arrays share. */
uint64_t random_bits(uint64_t seed, uint64_t i);

/**
 * Fill with odd multiples of 2^-12 between 1/2 and 1 and their negatives.
 *
 * These have 12 significant bits, the last of which is 1: rounded to TF32 or
 * float16 (11 bits) or to bfloat16 (8 bits) each of them becomes another
 * number. Not for timing: data with few bits set draws less power and can run
 * faster.
 */
void fill_grid(const array *a, uint64_t seed);

/**
 * Fill A [M x K] so that with B from fill_grid_right() all float32 sums of
 * products are exact, in any order and fused or not, and equality can be
 * demanded.
 *
 * Of the K terms of a sum at most GRID_LARGE_TERMS are a value of fill_grid()
 * times 1 or -1, in turn with the value in A and in B: so a kernel that rounds
 * either of them is wrong, however large K is. At most GRID_SMALL_TERMS are
 * 2^-6 times 2^-6 or its negative, so that a term left out is missed. Only
 * from K = 2^22 on others are 0.
 *
 * Why sums are exact: all terms are multiples of 2^-12, and the magnitudes of
 * all together are at most 2048 * 1 + 2^22 * 2^-12 = 3072 < 2^12. So whatever
 * terms a partial sum is made of, it is one of 2^12 * 2^12 = 2^24 multiples,
 * on each side of 0, and a float32 holds integers up to 2^24. alpha = 0.5 only
 * shifts them, whether it meets the sum or each product: multiples of 2^-13,
 * up to 1536. beta = -1 and C from fill_grid() add at most 1, or 2 before
 * alpha, which leaves that room.
 */
void fill_grid_left(const array *a, uint64_t seed);

/** Fill B [K x N]: see fill_grid_left(). */
void fill_grid_right(const array *a, uint64_t seed);

#define GRID_LARGE_TERMS (1 << 11) /**< at most, of 1/2 to 1 each */
#define GRID_SMALL_TERMS (1 << 22) /**< at most, of 2^-12 each */

/**
 * Fill so that every float32 sum of elements is exact, in any order, and
 * equality can be demanded.
 *
 * The elements are whole numbers of magnitude 1 to 8, at most SUM_TERMS of
 * them: all sums are whole numbers of magnitude 2^24 at most. Up to SUM_TERMS
 * elements there is no zero, so that none can be left out unnoticed; of more
 * there is one in each run of equal length, somewhere, and in the last run the
 * last one.
 */
void fill_sum(const array *a, uint64_t seed);

#define SUM_TERMS (1 << 21) /**< of fill_sum() at most */

#ifdef __cplusplus
}
#endif

#endif
