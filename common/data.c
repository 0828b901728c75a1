/** @file data.c @see array.h */
#include "internal.h"

#include <string.h>

/* ---- every element from its own random bits ------------------------------ */

/**
 * Seed and position alone decide, so that threads need no order: the finaliser
 * of splitmix64 (Steele, Lea, Flood 2014) applied to its counter.
 */
uint64_t random_bits(uint64_t seed, uint64_t i)
{
    uint64_t x = i * UINT64_C(0x9e3779b97f4a7c15);
    x += (seed + 1) * UINT64_C(0xd1b54a32d192ed03);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/** A fill, as the threads that share it see it. */
typedef struct fill {
    const array *a;
    uint64_t seed;
    /** Element (row, col), made of 64 random bits. */
    double (*value)(const struct fill *f, int64_t row, int64_t col,
                    uint64_t bits);
    int64_t low;         /**< integer_value(): the smallest */
    uint64_t many;       /**< integer_value(): how many there are */
    value_fn own;        /**< own_value(): makes it ... */
    const void *context; /**< ... of this, too */
} fill;

static void fill_elements(void *context, int64_t begin, int64_t end)
{
    const fill *f = context;
    const array *a = f->a;
    int64_t row = begin / a->cols;
    int64_t col = begin % a->cols;
    for (int64_t i = begin; i < end; i++) {
        uint64_t bits = random_bits(f->seed, (uint64_t)i);
        element_write(a->type, a->host, row * a->ld + col,
                      f->value(f, row, col, bits));
        if (++col == a->cols) {
            row++;
            col = 0;
        }
    }
}

/** Set all elements, and the padding to 0. */
static void fill_array(const fill *f)
{
    const array *a = f->a;
    for (int64_t row = 0; row < a->rows; row++) {
        for (int64_t col = a->cols; col < array_row(a); col++)
            element_write(a->type, a->host, row * a->ld + col, 0.0);
    }
    parallel_for(a->rows * a->cols, fill_elements, (void *)f);
}

/* ---- random data --------------------------------------------------------- */

static double random_value(const fill *f, int64_t row, int64_t col,
                           uint64_t bits)
{
    (void)row, (void)col;
    switch (f->a->type) {
    case ELEMENT_INT32:
        return (int32_t)(bits >> 32);
    case ELEMENT_UINT32:
        return (uint32_t)(bits >> 32);
    case ELEMENT_UINT8:
        return (uint8_t)(bits >> 56);
    default: // the top 25 bits, less 2^24
        return ((int)(bits >> 39) - (1 << 24)) * 0x1p-24;
    }
}

void fill_random(const array *a, uint64_t seed)
{
    fill_array(&(fill){.a = a, .seed = seed, .value = random_value});
}

/** The upper 32 bits times `many`: 0 to many - 1, without a division. */
static double integer_value(const fill *f, int64_t row, int64_t col,
                            uint64_t bits)
{
    (void)row, (void)col;
    return (double)(f->low + (int64_t)((bits >> 32) * f->many >> 32));
}

void fill_integers(const array *a, int64_t low, int64_t high, uint64_t seed)
{
    fill_array(&(fill){.a = a,
                       .seed = seed,
                       .value = integer_value,
                       .low = low,
                       .many = (uint64_t)(high - low) + 1});
}

static double own_value(const fill *f, int64_t row, int64_t col, uint64_t bits)
{
    return f->own(f->context, row, col, bits);
}

void fill_values(const array *a, value_fn value, const void *context,
                 uint64_t seed)
{
    fill_array(&(fill){.a = a,
                       .seed = seed,
                       .value = own_value,
                       .own = value,
                       .context = context});
}

/* ---- data whose sums of products are exact ------------------------------- */

/** The top bit as a sign. */
static double signed_value(double magnitude, uint64_t bits)
{
    return bits >> 63 ? -magnitude : magnitude;
}

/** Odd multiples of 2^-12, of magnitude 1/2 to 1: 12 significant bits. */
static double fine_value(uint64_t bits)
{
    int odd = 2 * (int)(bits & 1023) + 1;
    return signed_value((2048 + odd) * 0x1p-12, bits);
}

static double grid_value(const fill *f, int64_t row, int64_t col, uint64_t bits)
{
    (void)f, (void)row, (void)col;
    return fine_value(bits);
}

void fill_grid(const array *a, uint64_t seed)
{
    fill_array(&(fill){.a = a, .seed = seed, .value = grid_value});
}

/**
 * Element of the left (@p side 0) or right factor in term @p k of @p K.
 *
 * Large terms come every `stride` terms, counted from the last one. That is an
 * odd number, so that they fall on every place of a tile.
 */
static double factor_value(int side, int64_t k, int64_t K, uint64_t bits)
{
    int64_t stride = ((K - 1) / GRID_LARGE_TERMS + 1) | 1;
    int64_t from_end = K - 1 - k;
    if (from_end % stride == 0)
        return from_end / stride % 2 == side ? fine_value(bits)
                                             : signed_value(1.0, bits);
    bool small = k % ((K - 1) / GRID_SMALL_TERMS + 1) == 0;
    return small ? signed_value(0x1p-6, bits) : 0.0;
}

static double left_value(const fill *f, int64_t row, int64_t col, uint64_t bits)
{
    (void)row;
    return factor_value(0, col, f->a->cols, bits);
}

static double right_value(const fill *f, int64_t row, int64_t col,
                          uint64_t bits)
{
    (void)col;
    return factor_value(1, row, f->a->rows, bits);
}

void fill_grid_left(const array *a, uint64_t seed)
{
    fill_array(&(fill){.a = a, .seed = seed, .value = left_value});
}

void fill_grid_right(const array *a, uint64_t seed)
{
    fill_array(&(fill){.a = a, .seed = seed, .value = right_value});
}

/* ---- data whose sums are exact ------------------------------------------- */

/** Elements in runs of equal length: one of each is not 0. */
static double sum_value(const fill *f, int64_t row, int64_t col, uint64_t bits)
{
    int64_t last = f->a->rows * f->a->cols - 1;
    int64_t length = last / SUM_TERMS + 1;
    int64_t i = row * f->a->cols + col;
    int64_t run = i / length;
    uint64_t place = random_bits(~f->seed, (uint64_t)run) % (uint64_t)length;
    int64_t chosen = run < last / length ? run * length + (int64_t)place : last;
    return i == chosen ? signed_value((double)(1 + (bits & 7)), bits) : 0.0;
}

void fill_sum(const array *a, uint64_t seed)
{
    fill_array(&(fill){.a = a, .seed = seed, .value = sum_value});
}

/* ---- padding ------------------------------------------------------------- */

/** As many bits of GUARD_WORD as fit: NaN in every floating type. */
static uint32_t padding_bits(size_t bytes)
{
    return bytes == 4   ? GUARD_WORD
           : bytes == 2 ? GUARD_WORD >> 16
                        : GUARD_WORD & 0xff;
}

void fill_padding(const array *a)
{
    size_t bytes = element_bytes(a->type);
    uint32_t bits = padding_bits(bytes); // little-endian: the low bytes first
    for (int64_t row = 0; row < a->rows; row++) {
        for (int64_t col = a->cols; col < array_row(a); col++)
            memcpy((char *)a->host + (size_t)(row * a->ld + col) * bytes, &bits,
                   bytes);
    }
}

bool is_padding(const void *element, size_t bytes)
{
    uint32_t bits = padding_bits(bytes);
    return memcmp(element, &bits, bytes) == 0;
}
