/**
 * @file floor.h
 * @brief How fast bytes can be read or copied on this GPU: what no kernel that
 *        has to move them can beat by much. GPU builds only.
 */
#ifndef FLOOR_H
#define FLOOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Read @p bytes at @p x, 16-byte aligned, and do nothing with them. */
void floor_read(const void *x, size_t bytes);

/** Copy @p bytes from @p x to @p y, both 16-byte aligned; no padding of an
 *  output may lie among them: it must keep its bits. */
void floor_copy(const void *x, void *y, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
