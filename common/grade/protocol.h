/**
 * @file protocol.h
 * @brief What the grader's two processes say to each other.
 *
 * The **parent** is a trusted program, solutions/X.cu with all of common/. It
 * makes the inputs, verifies and times, but does not launch: it hands the
 * problem and all its arrays to the **child**, a learner's file linked with
 * child.c, and takes them back.
 *
 * Both map the same memory: a page of this struct, then the problem, then the
 * arrays. A byte through a socket says that it is the other's turn. One run
 * takes three turns, so that the parent can time the second alone.
 *
 * A turn is dear: launches, a GPU that has just been idle. So many runs are
 * **timed together**, each on inputs of its own. The child gets two fillings of
 * each input, one behind the other in memory, and each run reads from some
 * place between their beginnings: hardly two runs read the same, and nothing is
 * copied. Outputs have a place for each run, or for several. When all is done
 * the parent says which run it wants to see: that one has to be right.
 */
#ifndef GRADE_PROTOCOL_H
#define GRADE_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>

#include "internal.h"

#define GRADE_SOCKET 3 /**< file descriptors of the child */
#define GRADE_MEMORY 4 /**< see GRADE_SOCKET */
/** Bytes of the shared memory, which takes what is touched. */
#define GRADE_BYTES ((size_t)1 << 35)

#define GRADE_NAME 64  /**< bytes of a name */
#define GRADE_TEXT 512 /**< bytes of a finding or a reason */

#define GRADE_ARRAYS 16   /**< of one problem */
#define GRADE_FINDINGS 16 /**< that are kept */
#define GRADE_LAUNCHES 16 /**< different ones of a run that are kept */
#define GRADE_RUNS 256    /**< that are timed together, at most */

/** What the child is to do. */
typedef enum {
    GRADE_LOAD, /**< take problem and arrays to the device */
    GRADE_RUN,  /**< run the variant, wait until it is done */
    GRADE_STORE /**< bring the arrays back */
} grade_step;

/** A launch with its name. */
typedef struct {
    char kernel[GRADE_NAME]; /**< as written in the source */
    launch_info info;        /**< its pointers mean nothing here */
} grade_launch;

/** A counter with its name. */
typedef struct {
    char name[GRADE_NAME]; /**< of metrics.py */
    double value;          /**< of the run */
} grade_counter;

/** One of the runs that are timed together. */
typedef struct {
    size_t before[GRADE_ARRAYS]; /**< bytes by which an input begins before its
                                      second filling */
    int place;                   /**< of its outputs */
} grade_run;

/** Beginning of the shared memory. */
typedef struct {
    // The request. The parent alone writes here.
    grade_step step;
    bool small;                       /**< the small problem */
    bool counted;                     /**< count this run */
    char variant[GRADE_NAME];         /**< which one runs */
    size_t problem_bytes;             /**< of experiment::problem */
    int array_count;                  /**< entries in array_bytes */
    size_t array_bytes[GRADE_ARRAYS]; /**< with their padding */
    int run_count; /**< timed together; 0: one run, nothing moves */
    int filling;   /**< 0 or 1: the one to load, for several runs */
    int places;    /**< for the outputs of those runs */
    int shown;     /**< of those runs: the one to store */
    grade_run runs[GRADE_RUNS];

    // The answer. The parent believes nothing of it but takes the counts.
    char failed[GRADE_TEXT]; /**< why it cannot be done; or "" */
    int finding_count;       /**< since the child began */
    char findings[GRADE_FINDINGS][GRADE_TEXT];
    int counter_count; /**< of the counted run */
    grade_counter counters[MAX_COUNTERS];
    int launch_count; /**< of the counted run */
    grade_launch launches[GRADE_LAUNCHES];
} grade_page;

/** Bytes as they lie in the shared memory, one thing behind the other. */
static inline size_t grade_aligned(size_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

/** The problem as the options make it, then as the case has changed it. */
static inline char *grade_problem(grade_page *page, int number)
{
    return (char *)page + grade_aligned(sizeof(*page)) +
           (size_t)number * grade_aligned(page->problem_bytes);
}

/** Array @p number. */
static inline char *grade_array(grade_page *page, int number)
{
    char *at = grade_problem(page, 2);
    for (int i = 0; i < number; i++)
        at += grade_aligned(page->array_bytes[i]);
    return at;
}

#endif
