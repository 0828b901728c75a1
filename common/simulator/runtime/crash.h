/**
 * @file crash.h
 * @brief What a wild access of the program says before it ends.
 */
#ifndef CRASH_H
#define CRASH_H

/** Catch SIGSEGV and its like from now on. */
void sim_crash_watch(void);

/** Give the calling OS thread a stack for the handler. */
void sim_crash_stack(void);

#endif
