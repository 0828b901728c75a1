/**
 * @file ptx.h
 * @brief An asm statement taken apart: what ptx_text.c reads and ptx.c runs.
 */
#ifndef PTX_H
#define PTX_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/sim.h"
#include "ptx_memory.h"
#include "worker.h"

#define PTX_LOCALS 8      /**< most registers that a statement declares */
#define PTX_PARTS 16      /**< most instructions of one */
#define PTX_OPERANDS 512  /**< most operands of all of these */
#define WGMMA_COLUMNS 256 /**< most columns of a wgmma instruction */

/** What an operand is, in its index or its number. */
typedef enum {
    PTX_SLOT,     /**< %2, an operand of the statement */
    PTX_LOCAL,    /**< a register that it declares */
    PTX_REGISTER, /**< %laneid and so on: row of the table in ptx.c */
    PTX_NUMBER,
    PTX_NOTHING, /**< _ */
} ptx_kind;

/** A source or a result. In brackets it is an address: [%0+16]. */
typedef struct {
    ptx_kind kind;
    unsigned index;
    uint64_t number;  /**< what is added to the rest */
    const char *name; /**< of a PTX_REGISTER */
} ptx_operand;

/** A statement that runs. */
typedef struct {
    uint64_t *slots;             /**< its operands %0, %1 ... */
    uint64_t locals[PTX_LOCALS]; /**< of a predicate 0 or 1 */
    uint32_t site;               /**< where it stands in the source */
} ptx_frame;

/** An instruction of it. */
typedef struct ptx_part {
    const char *label; /**< before it; NULL: there is none */
    char *name;        /**< with modifiers; of a jump its label */
    ptx_operand guard; /**< @p or @!p; PTX_NOTHING: none */
    bool negated;
    bool jumps;                  /**< to the part in row */
    bool shared;                 /**< of a matrix: in shared memory */
    unsigned bits;               /**< of its type: 16, 32, 64 */
    bool is_signed, wide;        /**< .s32, .wide */
    const ptx_operand *operands; /**< in the order of the text */
    unsigned count;              /**< of them */
    ptx_operand second;          /**< p of a result "d|p" */
    unsigned row;                /**< of its table in ptx.c */
    sim_ptx_access access;       /**< of ld, st, atom and red */
    /** NULL: nothing is to be done. @return is it known? */
    bool (*run)(const struct ptx_part *, ptx_frame *);
} ptx_part;

/** A statement. */
typedef struct {
    ptx_part parts[PTX_PARTS];
    unsigned count; /**< of parts; 0: there is one that we do not know */
    ptx_operand operands[PTX_OPERANDS]; /**< of all parts */
    unsigned operand_count;
    const char *locals[PTX_LOCALS]; /**< names */
    unsigned local_count;
} ptx_program;

/** Take a statement apart, by its syntax alone: ptx.c knows the names.
 *  @return memory that is kept for good */
ptx_program *sim_ptx_read(const char *text);

#endif
