/**
 * @file child_process.h
 * @brief A child of the grader: started, confined, asked, watched.
 *
 * It gets a folder of its own, an empty environment but for what drivers need,
 * as much processor time and memory as GRADE_SECONDS and GRADE_MIB say. What it
 * prints goes to the file FOLDER.output, beside its folder, and nowhere else.
 */
#ifndef GRADE_CHILD_PROCESS_H
#define GRADE_CHILD_PROCESS_H

#include <sys/types.h>

#include "protocol.h"

/** One child. */
typedef struct {
    const char *program; /**< its path */
    pid_t process;       /**< 0: none */
    int socket;          /**< this end */
    grade_page *page;    /**< shared with it */
} child_process;

/**
 * Start @p program in @p folder.
 *
 * @param argv  of main(), whose options it gets: those of the problem
 */
child_process child_start(const char *program, const char *folder, int argc,
                          char **argv);

/**
 * Have it do @p step of the request in its page, and wait for that.
 *
 * Ends this program with status 1 and a line on stderr that begins with
 * "child: " when it takes too long, takes too much memory, ends or refuses.
 *
 * @return seconds that it took
 */
double child_ask(child_process *c, grade_step step);

/** End it. */
void child_stop(child_process *c);

#endif
