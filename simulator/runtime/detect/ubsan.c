/**
 * @file ubsan.c
 * @brief Array indices outside the declared bounds.
 *
 * With -fsanitize=array-bounds the compiler compares each index with the size
 * in the declaration and calls this when it does not fit. The structures below
 * are the compiler's; clang and gcc agree on them.
 */
#include "detect.h"

/** A type: its bits and its name in quotes. */
struct type {
    uint16_t kind;
    uint16_t info; /**< integers: twice the log2 of the bits, plus signed */
    char name[];
};

/** An index that is out of bounds. */
struct out_of_bounds {
    const char *file;
    uint32_t line;
    uint32_t column;
    const struct type *array;
    const struct type *index;
};

/** The value of an index of fewer than 64 bits. */
static long long index_value(const struct type *type, uintptr_t raw)
{
    unsigned bits = 1u << (type->info >> 1);
    if (bits >= 64 || !(type->info & 1))
        return (long long)raw;
    unsigned unused = 64 - bits;
    return (long long)((uint64_t)raw << unused) >> unused;
}

void __ubsan_handle_out_of_bounds(const struct out_of_bounds *what,
                                  uintptr_t index);
void __ubsan_handle_out_of_bounds_abort(const struct out_of_bounds *what,
                                        uintptr_t index);

void __ubsan_handle_out_of_bounds(const struct out_of_bounds *what,
                                  uintptr_t index)
{
    sim_worker *w = sim_self;
    long long value = index_value(what->index, index);
    sim_place place = {.file = what->file,
                       .line = (int)what->line,
                       .column = (int)what->column,
                       .block = w->block_number};
    if (!w->lane) {
        sim_finding("array-bounds", place, "index %lld of %s in host code",
                    value, what->array->name);
        return;
    }
    sim_finding("array-bounds", place, "index %lld of %s\nby %s", value,
                what->array->name, sim_here(w));
    sim_end_launch(w, cudaErrorIllegalAddress);
}

void __ubsan_handle_out_of_bounds_abort(const struct out_of_bounds *what,
                                        uintptr_t index)
{
    __ubsan_handle_out_of_bounds(what, index);
    abort(); /* host code: it asked for that */
}
