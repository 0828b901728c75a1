/**
 * @file crash.h
 * @brief What a wild access of the program says before it ends.
 */
#ifndef CRASH_H
#define CRASH_H

#include "findings.h"

/** The line of the program that has called the runtime: for findings of the
 *  host's code, where no launch and no access says it. Slow; file and line are
 *  "?" and 0 if nobody knows. */
sim_place sim_caller(void);

/** Catch SIGSEGV and its like from now on. */
void sim_crash_watch(void);

/** Give the calling OS thread a stack for the handler. */
void sim_crash_stack(void);

#endif
