/**
 * @file source.h
 * @brief Pinned memory that is being copied: the host may not change it before
 * it has waited for the copy.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "../core/turn.h"

/** A copy from these rows is work @p number of a stream. */
void sim_source_note(const char *from, size_t pitch, size_t width,
                     size_t height, unsigned stream, uint32_t number);

/** The host has waited for what is in @p past: are the sources of such copies
 * as they were? NULL: of all, for what comes now may change them. */
void sim_source_check(const sim_past *past);

/** The same of those that touch these bytes: a copy is about to write there. */
void sim_source_check_at(const char *to, size_t bytes);

#endif
