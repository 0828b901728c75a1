/** @file array.c @see array.h, internal.h */
#include "internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEFT 16 /**< elements left of a row that kernels may read */

/* ---- shape --------------------------------------------------------------- */

void array_1d(array *a, int64_t n)
{
    a->rows = 1;
    a->cols = n;
    a->ld = 0;
}

void array_2d(array *a, int64_t rows, int64_t cols, int64_t ld)
{
    a->rows = rows;
    a->cols = cols;
    a->ld = ld;
}

/** Elements from row to row; of a single row all of it. */
static int64_t pitch(const array *a)
{
    return a->ld ? a->ld : a->cols;
}

double array_bytes(const array *a)
{
    return (double)a->rows * (double)pitch(a) * (double)element_bytes(a->type);
}

/** Is padding left out? */
static bool has_gaps(const array *a)
{
    return array_row(a) < pitch(a);
}

double array_filled_bytes(const array *a)
{
    return (double)a->rows * (double)array_row(a) *
           (double)element_bytes(a->type);
}

/** Bytes, where they are known to have addresses. */
static size_t size(const array *a)
{
    return (size_t)a->rows * (size_t)pitch(a) * element_bytes(a->type);
}

bool array_on_host(const array *a)
{
    return a->role == ARRAY_IN || a->role == ARRAY_IN_OUT || pitch(a) > a->cols;
}

int64_t array_offset(const array *a, const band *b)
{
    return b->row * pitch(a) + b->col;
}

int64_t array_span(const array *a, const band *b)
{
    bool ends = b->col + b->cols == a->cols; // the padding belongs to it
    return (b->rows - 1) * pitch(a) + (ends ? array_row(a) - b->col : b->cols);
}

bool array_next_band(const array *a, int64_t most, band *b)
{
    b->col += b->cols;
    if (b->col >= a->cols) {
        b->row += b->rows;
        b->col = 0;
    }
    int64_t rows_left = a->cols > 0 ? a->rows - b->row : 0;
    int64_t rows = a->cols > 0 && a->cols < most ? most / a->cols : 1;
    if (has_gaps(a))
        rows = 1;
    int64_t cols_left = a->cols - b->col;
    b->rows = rows < rows_left ? rows : rows_left;
    b->cols = a->cols <= most ? a->cols : cols_left < most ? cols_left : most;
    return rows_left > 0;
}

/* ---- memory -------------------------------------------------------------- */

void array_allocate(array *a)
{
    if (array_on_host(a))
        a->host = host_reserve(size(a));
    void *(*take)(size_t) = has_gaps(a) ? device_reserve : device_alloc;
    a->device = take(size(a));
    if (!device_simulated() && a->role == ARRAY_IN_OUT)
        a->before = take(size(a));
    device_name_array(a->device, a->name, element_bytes(a->type), a->cols,
                      a->ld);
}

void array_free(array *a)
{
    host_release(a->host, size(a));
    device_free(a->device);
    device_free(a->before);
    a->host = a->device = a->before = NULL;
}

void array_bind(const array *a, void *problem, const void *memory)
{
    memcpy((char *)problem + a->member, &memory, sizeof(memory));
}

void *array_pointer(const array *a, const void *problem)
{
    void *memory;
    memcpy(&memory, (const char *)problem + a->member, sizeof(memory));
    return memory;
}

/* ---- contents ------------------------------------------------------------ */

/** What an element has that no launch has written; see array_poison(). */
static unsigned char next_poison(const array *a)
{
    if (element_has_nan(a->type))
        return 0xff;
    return a->poison == 0xa5 ? 0x5a : 0xa5;
}

/** Some bytes of an array that are filled. */
typedef struct {
    size_t row, begin; /**< bytes of that row before the piece */
    size_t at;         /**< bytes of the array before it */
    size_t bytes;
} piece;

/**
 * The next one, of at most @p most bytes; begins as {0}.
 *
 * An array without gaps is like one row. Behind a gap a row begins LEFT
 * elements earlier. @return false: there is none
 */
static bool next_piece(const array *a, size_t most, piece *p)
{
    bool gaps = has_gaps(a);
    size_t element = element_bytes(a->type);
    size_t rows = gaps ? (size_t)a->rows : 1;
    size_t row_bytes = size(a) / rows;
    size_t left = gaps ? LEFT * element : 0; // of the first row nothing
    size_t filled = gaps ? (size_t)array_row(a) * element : row_bytes;
    p->begin = p->bytes ? p->begin + p->bytes : left;
    if (p->begin == left + filled) {
        p->begin = 0;
        p->row++;
    }
    p->at = p->row * row_bytes + p->begin - left;
    p->bytes = left + filled - p->begin;
    if (p->bytes > most)
        p->bytes = most;
    return p->row < rows;
}

/** Copy all that is filled. */
static void copy(const array *a, void *to, const void *from)
{
    for (piece p = {0}; next_piece(a, SIZE_MAX, &p);)
        CUDA_CHECK(cudaMemcpyAsync((char *)to + p.at, (const char *)from + p.at,
                                   p.bytes, cudaMemcpyDefault,
                                   cudaStreamPerThread));
}

void array_upload(array *a)
{
    a->poison = next_poison(a);
    if (!a->host)
        return;
    if (a->role != ARRAY_IN)
        fill_padding(a);
    copy(a, a->device, a->host);
    if (a->before)
        copy(a, a->before, a->host);
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}

void array_poison(const array *a, void *memory)
{
    size_t bytes = element_bytes(a->type);
    size_t width = (size_t)a->cols * bytes;
    size_t row_bytes = (size_t)pitch(a) * bytes;
    if (a->rows > 1 && row_bytes <= INT_MAX) { // more is not allowed there
        CUDA_CHECK(cudaMemset2DAsync(memory, row_bytes, a->poison, width,
                                     (size_t)a->rows, cudaStreamPerThread));
        return;
    }
    for (int64_t row = 0; row < a->rows; row++)
        CUDA_CHECK(cudaMemsetAsync((char *)memory + (size_t)row * row_bytes,
                                   a->poison, width, cudaStreamPerThread));
}

void array_prepare(const array *a, void *memory)
{
    if (a->role == ARRAY_OUT || a->role == ARRAY_SCRATCH)
        array_poison(a, memory);
    if (a->role == ARRAY_IN_OUT)
        copy(a, memory, a->before ? a->before : a->host);
}

void array_download(const array *a, const void *memory, const band *b,
                    void *host)
{
    size_t bytes = element_bytes(a->type);
    CUDA_CHECK(cudaMemcpy(
        host, (const char *)memory + (size_t)array_offset(a, b) * bytes,
        (size_t)array_span(a, b) * bytes, cudaMemcpyDeviceToHost));
}

/* ---- checks -------------------------------------------------------------- */

static bool input_kept(const array *a, void *chunk)
{
    for (piece p = {0}; next_piece(a, ARRAY_CHUNK, &p);) {
        CUDA_CHECK(cudaMemcpy(chunk, (const char *)a->device + p.at, p.bytes,
                              cudaMemcpyDeviceToHost));
        if (memcmp(chunk, (const char *)a->host + p.at, p.bytes) != 0)
            return false;
    }
    return true;
}

bool array_check_surroundings(const array *a, void *chunk)
{
    const char *side = device_guard_broken(a->device);
    if (side) {
        fprintf(stderr, "  %s: memory %s it was written\n", a->name, side);
        return false;
    }
    if (a->role == ARRAY_IN && !input_kept(a, chunk)) {
        fprintf(stderr, "  %s: an input was written\n", a->name);
        return false;
    }
    return true;
}

void array_repair(array *a)
{
    device_guard_restore(a->device);
    array_upload(a);
}
