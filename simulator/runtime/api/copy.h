/**
 * @file copy.h
 * @brief What all have in common that touch device memory without a kernel.
 */
#ifndef COPY_H
#define COPY_H

#include <stdbool.h>
#include <stddef.h>

/** Is [pointer, pointer + bytes) in one buffer or one variable? */
bool sim_is_device(const void *pointer, size_t bytes);

/** Tell whoever looks at streams of bytes that are read or written. */
void sim_moved(const void *p, size_t bytes, bool write);

#endif
