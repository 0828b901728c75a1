/**
 * @file variants_state.h
 * @brief What the files of variants.h share, and nobody else includes.
 *
 * variants.c opens and closes, variants_verify.c verifies and counts,
 * variants_time.c times, variants_report.c says what came of it.
 */
#ifndef VARIANTS_STATE_H
#define VARIANTS_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "report.h"
#include "variants.h"

#define BAND ((int64_t)1 << 22) /**< elements that are verified at a time */
#define TEXT 256                /**< bytes of a line about the size */

/** A problem of one size, and the memory to run and verify it. */
typedef struct {
    void *plain;      /**< as the chapter made it */
    void *problem;    /**< as the current case has changed it */
    array *arrays;    /**< what lies behind its pointers */
    const char *name; /**< of the current case */
    char size[TEXT];  /**< of the small problem, for messages; or "" */
    bool exact;       /**< demands the current case equality? */

    void *got;       /**< a band, or ARRAY_CHUNK bytes of an input */
    double *want;    /**< a band of the reference */
    double *bound;   /**< a band of its bound */
    double *d_want;  /**< the same on a GPU, for want_gpu() */
    double *d_bound; /**< the same on a GPU, for want_gpu() */
} instance;

/** What is not the chapter's business. */
struct variants_state {
    run_options run;
    device_info device;
    const variant **selected; /**< by --variant, or all */
    outcome *outcomes;        /**< of those */
    int count;                /**< entries in both */
    outcome *libraries;       /**< of experiment::libraries */
    int findings_seen;        /**< that belong to an outcome already */
    instance asked;           /**< the size asked for */
    char small[TEXT];         /**< the size that went before */
    char pitches[TEXT];       /**< of the size asked for */
};

/* ---- variants.c ---------------------------------------------------------- */

/** Take the memory of an instance; the pointers of its problem lead there. */
void variants_open_instance(const experiment *e, instance *in);

/** Release what variants_open_instance() took. */
void variants_close_instance(const experiment *e, instance *in);

/* ---- variants_verify.c --------------------------------------------------- */

/** Make the inputs of case @p number. */
void variants_begin_case(const experiment *e, instance *in, int number);

/**
 * Run each variant that is right so far once more, from poisoned outputs to
 * their check. @param when  " after ...", for messages; or ""
 */
void variants_run_right(const experiment *e, const instance *in,
                        const char *when);

/**
 * Check a run that has ended: every element of its outputs, and all that it
 * had to leave. Says what is wrong, and keeps in @p o that it is.
 *
 * @param v        what has run
 * @param problem  in->problem, or a copy whose arrays lie elsewhere
 */
void variants_check_run(const experiment *e, const instance *in,
                        const variant *v, const void *problem, const char *when,
                        outcome *o);

/* ---- variants_report.c --------------------------------------------------- */

/** "M=256 N=256 K=256", and the factors behind it if @p factors. */
void variants_size_text(const experiment *e, const void *problem, bool factors,
                        char *text);

/** "row pitch 256 256 256", or "" if no array has two dimensions. */
void variants_pitch_text(const experiment *e, const array *arrays, char *text);

/** Report and records. */
void variants_report(const experiment *e);

#endif
