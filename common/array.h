/**
 * @file array.h
 * @brief An array of a problem: its type, its shape, its memory.
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

#include "element.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/** Bytes from the first element to the end of the last row's padding. */
double array_bytes(const array *a);

#define ARRAY_PADDING 4096 /**< elements; see array_row() */

/**
 * Elements of a row that are filled and compared: with its padding, but of
 * more than ARRAY_PADDING elements only so many. So a long pitch costs
 * addresses, not memory, and a small matrix shows what is wrong with offsets
 * of 2^31 and more.
 */
static inline int64_t array_row(const array *a)
{
    int64_t pitch = a->ld ? a->ld : a->cols, most = a->cols + ARRAY_PADDING;
    return pitch < most ? pitch : most;
}

/** Bytes in all rows of array_row(). */
double array_filled_bytes(const array *a);

/** Does the host need a copy: of an input, or of padding? */
bool array_on_host(const array *a);

/** Where band @p b begins, as an index of element_read(). */
int64_t array_offset(const array *a, const band *b);

/**
 * Elements in memory from the beginning of band @p b to its end, padding of
 * array_row() included.
 */
int64_t array_span(const array *a, const band *b);

/**
 * The next band of at most about @p most elements, as many whole rows as
 * possible, of long pitches one; begins as {0}. @return false: there is none
 */
bool array_next_band(const array *a, int64_t most, band *b);

/**
 * Take memory on host and device, and tell the simulator the name.
 *
 * An array that is IN_OUT in some cases and OUT in others begins as IN_OUT.
 */
void array_allocate(array *a);

/** Release what array_allocate() took. */
void array_free(array *a);

/** Have member @p a of @p problem point to @p memory. */
void array_bind(const array *a, void *problem, const void *memory);

/** What member @p a of @p problem points to. */
void *array_pointer(const array *a, const void *problem);

/* ---- contents ------------------------------------------------------------ */

/** Put the host's copy on the device. Padding of an output gets a pattern. */
void array_upload(array *a);

/**
 * Make the elements at @p memory, on the device, what a launch must find, by
 * work in the stream: poison, or what IN_OUT held before. Padding stays.
 */
void array_prepare(const array *a, void *memory);

/**
 * Poison the elements at @p memory; padding stays. NaN in floating types; for
 * integers a pattern that array_upload() changes from time to time, since a
 * right result may have its bits, but not again and again.
 */
void array_poison(const array *a, void *memory);

/** Copy band @p b of @p memory, on the device, to the host: array_span(). */
void array_download(const array *a, const void *memory, const band *b,
                    void *host);

/**
 * Has an input kept its bits, and the memory around every array?
 *
 * Prints what has not. @param chunk  ARRAY_CHUNK bytes to work with
 */
bool array_check_surroundings(const array *a, void *chunk);

/** Undo what a wrong launch did to an input and around every array. */
void array_repair(array *a);

#define ARRAY_CHUNK                                                            \
    ((size_t)1 << 24) /**< bytes that are compared at a time                   \
                       */

#ifdef __cplusplus
}
#endif

#endif
