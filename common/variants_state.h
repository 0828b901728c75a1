/**
 * @file variants_state.h
 * @brief What the files of variants.h share, and nobody else includes.
 *
 * From the bottom up: variants_instance.c has the memory of a problem,
 * variants_report.c says what came of it, variants_verify.c verifies and
 * counts, variants_time.c times, variants.c answers main.
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
    void *plain;         /**< as the chapter made it */
    void *problem;       /**< as the current case has changed it */
    array *arrays;       /**< what lies behind its pointers */
    const char *name;    /**< of the current case */
    char size[TEXT];     /**< of the small problem, for messages; or "" */
    bool exact;          /**< demands the current case equality? */
    int round;           /**< of experiment::plant; 0: nothing is planted */
    const char *planted; /**< what it has planted, or "" */

    void *got;       /**< a band, or ARRAY_CHUNK bytes of an input */
    double *want;    /**< a band of the reference */
    double *bound;   /**< a band of its bound */
    double *d_want;  /**< the same on a GPU, for want_gpu() */
    double *d_bound; /**< the same on a GPU, for want_gpu() */
} instance;

/**
 * Who answers main and carries out runs: this program, or for the grader two
 * processes, see grade/protocol.h.
 */
typedef struct {
    void (*open)(experiment *e, int argc, char **argv); /**< see variants.h */
    void (*verify)(experiment *e);                      /**< see variants.h */
    void (*time)(experiment *e);                        /**< see variants.h */
    int (*close)(experiment *e);                        /**< see variants.h */

    /**
     * Run @p v with the problem of @p in and wait until it is done.
     * @param counted  receives launches and counters of the run; NULL: none
     */
    void (*run)(const experiment *e, const instance *in, const variant *v,
                outcome *counted);
    int (*finding_count)(void);    /**< of all runs so far */
    const char *(*finding)(int i); /**< each as text */
} runner;

/** The one that answers; the grader's programs set it before main() begins. */
extern const runner *variants_runner;

/** What is not the chapter's business. */
struct variants_state {
    const runner *runner; /**< variants_runner */
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

/* ---- variants_instance.c ------------------------------------------------- */

/** Refuse a problem that does not fit into memory, before any is taken. */
void variants_require_memory(const experiment *e);

/** Make the small problem; it has no memory yet. */
instance variants_small(const experiment *e);

/** Take memory for the arrays; the pointers of the problem lead there. */
void variants_open_arrays(const experiment *e, instance *in);

/** The same, and what it takes to verify. */
void variants_open_instance(const experiment *e, instance *in);

/** Release what variants_open_instance() took. */
void variants_close_instance(const experiment *e, instance *in);

/* ---- variants_verify.c --------------------------------------------------- */

/** variants_verify() where nobody else answers it. */
void variants_verify_all(experiment *e);

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

/* ---- variants_time.c ----------------------------------------------------- */

/** variants_time() where nobody else answers it. */
void variants_time_all(experiment *e);

/* ---- variants_report.c --------------------------------------------------- */

/**
 * "M=256 N=256 K=256", and the factors behind it if @p factors: what the
 * variables of the options hold.
 */
void variants_size_text(const experiment *e, bool factors, char *text);

/** "row pitch 256 256 256", or "" if no array has two dimensions. */
void variants_pitch_text(const experiment *e, const array *arrays, char *text);

/** Report and records. */
void variants_report(const experiment *e);

#endif
