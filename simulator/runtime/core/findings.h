/**
 * @file findings.h
 * @brief The list of what is wrong with the program.
 *
 * findings.c has also what programs ask: sim_finding_count(),
 * sim_finding_text().
 */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** Where and in which block. Unknown parts are 0. */
typedef struct {
    uint32_t site;    /**< of the access or wait */
    uint32_t other;   /**< second site, for races */
    const char *file; /**< if the site is not known */
    int line;         /**< if the site is not known */
    int column;       /**< if the site is not known */
    uint64_t block;   /**< number of the block */
} sim_place;

/**
 * Add a finding.
 *
 * The same kind at the same place is one finding with a count; the message of
 * the block with the smallest number is kept, so that it does not depend on
 * the number of OS threads.
 *
 * @param kind     "shared-race"; names that end in -note do not change the
 *                 exit status
 * @param message  without place and kind: first in a few words what, then a
 *                 line of details after each "\\n"
 */
void sim_finding(const char *kind, sim_place place, const char *message);

/** Count a finding whose message would not be kept: of a loop that meets it a
 *  million times, the text is needed once.
 *  @return it is counted; false: call sim_finding() */
bool sim_found_before(const char *kind, sim_place place);

/** What OP_LOAD ... are called. */
extern const char *const sim_verbs[];

/** Begin a launch: count its findings from 0. */
void sim_findings_begin_launch(void);

/** The launch was aborted: counts of its findings depend on luck. */
void sim_findings_aborted(void);

/** The findings of this launch as a JSON array. */
void sim_findings_json(FILE *file);

/** The program has seen cudaErrorAssert, so it decides about the status:
 *  assertions do not any more. */
void sim_findings_expect_assertions(void);

/** Print all findings to stderr, once. */
void sim_findings_print(void);

/** Print what is known, and end: the program cannot go on. */
_Noreturn void sim_findings_end(void);

#endif
