/**
 * @file memory.h
 * @brief Memory on host and device: how much there is, guard zones around it.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Bits of every word of a guard zone and, as far as they fit into an element,
 * of the padding of an output.
 *
 * A signalling NaN: whoever computes with it gets a NaN, and no arithmetic
 * results in these very bits, since hardware answers with a quiet NaN.
 */
#define GUARD_WORD UINT32_C(0x7fa5a5a5)

/**
 * Refuse (exit 2, both numbers in the message) what does not fit into memory.
 *
 * @param host    bytes on the host, in all; a double holds those of any size
 * @param device  bytes on the device, in all
 * @param info    of device_open(); in the simulator all is host memory
 */
void memory_require(double host, double device, const device_info *info);

/** malloc() that exits 2 with the size on failure; release with free(). */
void *host_alloc(size_t bytes);

/** Zeros that take memory where they are written; release by host_release().
 *  Exits 2 if there are not so many addresses. */
void *host_reserve(size_t bytes);

/** Release memory from host_reserve(); NULL is allowed. */
void host_release(void *x, size_t bytes);

/** A copy of @p bytes bytes at @p x; release with free(). */
void *host_copy(const void *x, size_t bytes);

/**
 * host_alloc() of memory that cudaMemcpy() reads and writes without a detour:
 * its pages stay where they are ("pinned"). Release with host_free_pinned().
 */
void *host_alloc_pinned(size_t bytes);

/** Release memory from host_alloc_pinned(); NULL is allowed. */
void host_free_pinned(void *x);

/**
 * Device memory between two guard zones, filled with NaN (all bits set).
 *
 * Exits 2 with both numbers if there is less memory than @p bytes.
 * 256-byte aligned. Release with device_free().
 */
void *device_alloc(size_t bytes);

/** device_alloc(), not filled: the simulator takes memory where it is used. */
void *device_reserve(size_t bytes);

/**
 * Have the guard zones around @p d_x kept their bits?
 * @return NULL, "before" or "behind": where memory was written
 */
const char *device_guard_broken(const void *d_x);

/** Give the guard zones around @p d_x their bits again. */
void device_guard_restore(const void *d_x);

/** Release memory from device_alloc(); NULL is allowed. */
void device_free(void *d_x);

#ifdef __cplusplus
}
#endif

#endif
