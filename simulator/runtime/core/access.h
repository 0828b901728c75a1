/**
 * @file access.h
 * @brief One access of a lane, packed into 64 bits.
 *
 * 48 bits of address (in shared memory: the offset), and above them what was
 * done.
 */
#ifndef ACCESS_H
#define ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "limits.h"

#define ADDRESS_BITS 48
#define ADDRESS_MASK ((UINT64_C(1) << ADDRESS_BITS) - 1)
#define SIZE_SHIFT 48    /**< bytes, 1 to 16: 5 bits */
#define OP_SHIFT 53      /**< OP_LOAD ... : 2 bits */
#define SPACE_SHIFT 55   /**< SPACE_GLOBAL ... : 2 bits */
#define FLAVOUR_SHIFT 57 /**< FLAVOUR_...: 4 bits */

/** It is checked and not counted: a bulk copy, which is no instruction of a
 *  warp, or what touches the shared memory of another block. */
#define UNCOUNTED (UINT64_C(1) << 61)
#define ASYNC (UINT64_C(1) << 62) /**< not by a thread: wgmma, a bulk copy */
/** An exchange made a 0 another value, as who takes a lock does. Lanes are a
 *  request whether they have it or not. */
#define TAKEN (UINT64_C(1) << 63)

enum { OP_LOAD, OP_STORE, OP_ATOMIC };
enum { SPACE_GLOBAL, SPACE_SHARED, SPACE_CONSTANT, SPACE_NONE };
enum {
    FLAVOUR_VOLATILE = 1,  /**< loads and stores: orders blocks */
    FLAVOUR_UPDATE = 2,    /**< stores: of what was read there, as in (*p)++ */
    FLAVOUR_COPY = 2,      /**< loads: of a structure, with padding perhaps */
    FLAVOUR_REST = 4,      /**< loads: all of it may be padding */
    FLAVOUR_MATRIX = 8,    /**< loads: ldmatrix */
    FLAVOUR_COUNT = 1,     /**< atomics: adds the constant 1, result unused */
    FLAVOUR_FLOAT = 2,     /**< atomics: a compare-and-swap loop in hardware */
    FLAVOUR_OVERWRITE = 3, /**< atomics: an exchange, result unused */
    FLAVOUR_KIND = 3,      /**< atomics: mask of the above */
    FLAVOUR_USED = 4,      /**< atomics: the program looks at the result */
    FLAVOUR_BLOCK = 8      /**< atomics: of the block's scope */
};

/** The bits above the address. */
#define ACCESS(space, op, bytes)                                               \
    ((uint64_t)(space) << SPACE_SHIFT | (uint64_t)(op) << OP_SHIFT |           \
     (uint64_t)(bytes) << SIZE_SHIFT)

/** No access: a fence of the device, or of the block, between those before and
 *  behind it. */
#define FENCE ACCESS(SPACE_NONE, OP_LOAD, 1)
#define FENCE_BLOCK ACCESS(SPACE_NONE, OP_LOAD, 2)
#define FENCE_PROXY ACCESS(SPACE_NONE, OP_LOAD, 4) /**< for the copy engine */

/** Address, or offset in shared memory. */
static inline uint64_t access_address(uint64_t access)
{
    return access & ADDRESS_MASK;
}

/** Bytes of one lane. */
static inline unsigned access_bytes(uint64_t access)
{
    return access >> SIZE_SHIFT & 31;
}

/** OP_LOAD, OP_STORE, OP_ATOMIC. */
static inline unsigned access_op(uint64_t access)
{
    return access >> OP_SHIFT & 3;
}

/** SPACE_... */
static inline unsigned access_space(uint64_t access)
{
    return access >> SPACE_SHIFT & 3;
}

/** FLAVOUR_... */
static inline unsigned access_flavour(uint64_t access)
{
    return access >> FLAVOUR_SHIFT & 15;
}

/** Does it depend on what was there? */
static inline bool access_reads(uint64_t access)
{
    return access_op(access) == OP_LOAD ||
           (access_op(access) == OP_ATOMIC &&
            (access_flavour(access) & ~FLAVOUR_BLOCK) != FLAVOUR_OVERWRITE);
}

/** ldmatrix; the same bit of an atomic operation is its scope. */
static inline bool access_is_matrix(uint64_t access)
{
    return access_op(access) == OP_LOAD &&
           access_flavour(access) & FLAVOUR_MATRIX;
}

/* ---- the lanes of a warp together ---------------------------------------- */

#define ALL_LANES 0xffffffffu

/** For each lane l whose bit in @p mask is set. */
#define FOR_EACH_LANE(l, mask)                                                 \
    for (uint32_t left_ = (mask), l;                                           \
         left_ && (l = (uint32_t)__builtin_ctz(left_), true);                  \
         left_ &= left_ - 1)

/** How the addresses of the lanes lie to each other. */
typedef enum {
    PATTERN_ANY,         /**< nothing special */
    PATTERN_SAME,        /**< all lanes active, one address */
    PATTERN_CONSECUTIVE, /**< all lanes active, one after the other */
    PATTERN_STRIDED      /**< all lanes active, any other constant distance */
} sim_pattern;

/** See how the addresses lie. */
static inline sim_pattern sim_pattern_of(const uint64_t access[LANES],
                                         uint32_t mask)
{
    if (mask != ALL_LANES)
        return PATTERN_ANY;
    uint64_t expected = access[0], step = access[1] - access[0];
    uint64_t differences = 0;
    for (unsigned l = 0; l < LANES; l++) {
        differences |= access[l] ^ expected;
        expected += step;
    }
    if (differences)
        return PATTERN_ANY;
    return step == 0                         ? PATTERN_SAME
           : step == access_bytes(access[0]) ? PATTERN_CONSECUTIVE
                                             : PATTERN_STRIDED;
}

#endif
