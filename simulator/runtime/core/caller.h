/**
 * @file caller.h
 * @brief Which line of the program an address of its code belongs to.
 */
#ifndef CALLER_H
#define CALLER_H

#include <stdint.h>

#include "findings.h"

#define MOST_FRAMES 32  /**< of calls that are looked at */
#define PATH_BYTES 1024 /**< of a file's name */

/** Find file and line of an address; @p text receives the file. Slow.
 *  @return the line; 0: unknown */
int sim_line_of(uintptr_t code, char *text, int bytes);

/** The line of the program that has called the runtime: for findings of the
 *  host's code, where no launch and no access says it. Slow; file and line are
 *  "?" and 0 if nobody knows. */
sim_place sim_caller(void);

/** The same in two steps: note who calls, and later say where that is. */
void sim_caller_note(void *frames[MOST_FRAMES]);
sim_place sim_caller_noted(void *const frames[MOST_FRAMES]);

#endif
