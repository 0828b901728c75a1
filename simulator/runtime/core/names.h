/**
 * @file names.h
 * @brief What people call a place in memory: `A[128][3]`, `tile[1][0]`.
 *
 * All of it is in names.c. Texts are as those of sim_format().
 */
#ifndef NAMES_H
#define NAMES_H

#include <stddef.h>
#include <stdint.h>

/**
 * Global memory: "A[128][3]" of an array that has a name, also outside of it.
 *
 * @param bytes  of the access: taken for an element's where nobody said
 */
const char *sim_name_global(uintptr_t address, unsigned bytes);

/** Where that is: "2 rows past the end of A, 128 x 64 elements", and on a
 *  second line where the buffer was allocated. */
const char *sim_where_global(uintptr_t address, unsigned bytes);

/** The array to which two addresses belong: "A"; NULL: not one, or no name. */
const char *sim_array_global(uintptr_t low, uintptr_t high);

/** The same for two offsets in shared memory: "tile". */
const char *sim_array_shared(size_t low, size_t high, size_t dynamic_offset);

/** The name of the array at an address, where it starts and the bytes from row
 *  to row, 0: one dimension. NULL: no array. */
const char *sim_origin_global(uintptr_t address, unsigned bytes,
                              uint64_t *start, uint64_t *pitch);

/** The same of an offset in shared memory; without a name, too, it starts
 *  somewhere. */
const char *sim_origin_shared(size_t offset, size_t dynamic_offset,
                              uint64_t *start, uint64_t *pitch);

/** Shared memory, by its offset: "tile[1][0]", "shared memory" outside. */
const char *sim_name_shared(size_t offset, size_t dynamic_offset);

/** Where that is: "4 bytes past the end of tile[32][33]". */
const char *sim_where_shared(size_t offset, size_t dynamic_offset,
                             size_t dynamic_bytes);

#endif
