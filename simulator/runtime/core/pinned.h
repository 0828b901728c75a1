/**
 * @file pinned.h
 * @brief Pinned memory that is being copied: until the host has waited for the
 * copy it may not change what is copied, nor touch what is brought.
 */
#ifndef PINNED_H
#define PINNED_H

#include <stddef.h>
#include <stdint.h>

#include "findings.h"
#include "turn.h"

/** Rows of pinned memory that work number so-and-so of a stream copies. */
typedef struct {
    const char *start;
    size_t pitch, width, height;
    unsigned stream;
    uint32_t number;
} sim_rows;

/** A copy from them, or to them, is under way. */
void sim_pinned_leave(const sim_rows *rows);
void sim_pinned_arrive(const sim_rows *rows);

/** The host has waited for what is in @p past: are the sources of such copies
 * as they were? NULL: of all, for what comes now may change them. */
void sim_pinned_check(const sim_past *past);

/** The same of those that touch these bytes: a copy is about to write there. */
void sim_pinned_check_at(const char *to, size_t bytes);

/** Who touches a closed page of such rows? */
typedef enum {
    TOUCH_OTHER, /**< it is none */
    TOUCH_RIGHT, /**< one who may: the page is open now */
    TOUCH_EARLY  /**< the host, which has not waited */
} sim_touch;

/** @param copy  receives where the copy is called, for TOUCH_EARLY */
sim_touch sim_pinned_touched(uintptr_t address, sim_place *copy);

#endif
