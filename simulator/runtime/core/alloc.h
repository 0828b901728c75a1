/**
 * @file alloc.h
 * @brief Memory for the simulator itself; all of it is in alloc.c.
 *
 * Where there is none, the program ends with one line and STATUS_FAILED: no
 * caller has a way to go on.
 */
#ifndef ALLOC_H
#define ALLOC_H

#include <stddef.h>

/** Zeroed pages, each of which takes memory only when it is touched. */
void *sim_map(size_t bytes);

/** Address space alone: pages that may not be touched yet. */
void *sim_reserve(size_t bytes);

/** calloc() of @p bytes. */
void *sim_new(size_t bytes);

/** realloc(). */
void *sim_grow(void *old, size_t bytes);

#endif
