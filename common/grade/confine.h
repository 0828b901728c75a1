/**
 * @file confine.h
 * @brief What a process may do that runs a learner's program.
 *
 * It may write below one folder, read what programs need and that folder, start
 * threads and no processes, and signal nobody; it has no network. The kernel
 * sees to it: Landlock (Linux 5.13) to files, seccomp to calls. Nobody needs to
 * be root for that.
 */
#ifndef GRADE_CONFINE_H
#define GRADE_CONFINE_H

#include <stddef.h>

#define CONFINE_FILE_MIB 16 /**< of a file that it writes, its output too */

/** Say in a line which of it this machine can see to. */
void confine_describe(char *text, size_t size);

/**
 * Confine the calling process for good, and what it executes.
 *
 * Calls nothing but the kernel: it may stand between fork() and exec().
 *
 * @param program  what it may execute and read besides the system's files
 * @param folder   where it may write, and read
 * @param seconds  of CPU time that it gets
 * @return NULL, or what could not be done
 */
const char *confine(const char *program, const char *folder, unsigned seconds);

/**
 * The same, but only as to reading: of a compiler, which starts processes and
 * writes where it is told.
 *
 * @param paths  what it may read besides the system's programs, and NULL
 */
const char *confine_reading(const char *const *paths);

#endif
