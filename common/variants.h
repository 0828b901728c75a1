/**
 * @file variants.h
 * @brief The protocol of every chapter: verify, time, count, report.
 *
 * A chapter has one or several **variants**: kernels that compute the same. It
 * says what only it knows in an `experiment`, and its main is
 *
 *     return variants_main(&e, argc, argv);
 *
 * or, if it has something to do meanwhile, the four calls that this makes:
 *
 *     variants_open(&e, argc, argv);  // options, device, arrays
 *     variants_verify(&e);            // every element of every variant
 *     variants_time(&e);              // in turn, beside the library
 *     return variants_close(&e);      // the report, the exit status
 *
 * A **run** of a variant is one call of its function: one launch or several.
 *
 * Nothing here knows a problem: gemm.c is a user of this file, a chapter of
 * patterns another.
 */
#ifndef VARIANTS_H
#define VARIANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "array.h"
#include "device.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A kernel of a chapter, or a library to compare with. */
typedef struct {
    const char *name; /**< for --variant, tables and records */
    const char *idea; /**< one line for --help */

    /** Enqueue one run; must not wait. @p problem as the chapter defines it.
     *  NULL: a library that was not there when this was built. */
    void (*enqueue)(const void *problem);

    /** NULL if it can be used on this device, else why not; a variant or
     *  library that any device can run has no such function. */
    const char *(*open)(void);
    /** A library only: release what open() took, if it took anything. */
    void (*close)(void);
    /** Among the libraries: it moves the bytes and computes nothing, so it is
     *  not verified; its time is the limit that shares are of. It may write
     *  to outputs, but not to their padding. */
    bool floor;
    /** NULL if it can do what the options ask for, else why not; a variant
     *  that takes all of them has no such function. */
    const char *(*refuse)(const void *problem);
    /** A library only: where it computes something else (at borders), make
     *  @p bound of band @p b DBL_MAX: every number passes there. */
    void (*undefined)(const void *problem, const array *a, const band *b,
                      double *bound);
} variant;

/** Entries of an array. */
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/**
 * What only the chapter knows. Functions get problems of two sizes, a small
 * one and the one asked for; they never see each other's data.
 */
typedef struct {
    const char *chapter; /**< name of its directory */
    const char *about;   /**< first line of --help: the operation */

    const option_spec *options; /**< of the chapter, values in *problem */
    int option_count;           /**< entries in options */
    int size_count;        /**< how many of them, from the first on, say how
                                big it is, for report and record; 0: all */
    const char *size_hint; /**< in the simulator: the default size and how
                                to change it, one line; may be NULL */

    int least_capability; /**< compute capability, 90 for 9.0, of the oldest */
    int most_capability;  /**< and the newest GPU that it runs on; 0: any */

    void *problem;        /**< a struct of sizes and device pointers */
    size_t problem_bytes; /**< its size; it is copied as it is */
    size_t hidden;        /**< where in it the members begin that no variant
                               looks at, as what is right; 0: nowhere */
    array *arrays;        /**< what lies behind the pointers */
    int array_count;      /**< entries in arrays */

    const variant *variants;  /**< one or more, in the order of reading */
    int variant_count;        /**< entries in variants */
    const variant *libraries; /**< GPU only: baselines; may be NULL */
    int library_count;        /**< entries in libraries */
    const char *const
        *columns; /**< counters of the simulator's table, at most
                       four, then NULL; one variant: may be NULL */

    int cases; /**< kinds of input; the last one is timed */
    int exact; /**< the first ones of them, where equality is demanded */

    /** Make the problem a small one with ragged edges. */
    void (*small)(void *problem);

    /** The same for one that two threads of the host run at the same time;
     *  NULL: a run needs the device for itself. */
    void (*beside)(void *problem);
    int again; /**< how often it runs again after that, planted anew each time:
                    plant() gets the next rounds */

    /** Give each array its shape, or refuse the sizes with REQUIRE(). */
    void (*shape)(void *problem, array *arrays);

    /**
     * Fill array::host of all inputs, for case @p number; may change factors
     * in @p problem and roles. @return its name: "random data"
     */
    const char *(*fill)(void *problem, array *arrays, int number,
                        uint64_t seed);

    /**
     * Put NaN, Inf and denormal numbers among the exact data of the small
     * problem. Each of its exact cases comes once for each @p round from 1 to
     * plantings, all but the last also without. Equality is demanded, and
     * where want() is NaN, NaN.
     * @return what is planted, for messages: ", NaN"; "": nothing
     */
    const char *(*plant)(void *problem, array *arrays, int round);
    int plantings; /**< 0: there is no such function */

    /**
     * What want() needs of the inputs as a whole, from array::host: comes after
     * fill() and plant(). It may set what is hidden in @p problem, and no more.
     * Or NULL.
     */
    void (*expect)(void *problem, const array *arrays);

    /**
     * What a band of output @p a should hold, and by how much it may be off.
     *
     * Called by several threads at once.
     *
     * @param problem  its pointers lead to the host's copies of the inputs
     * @param a        the array
     * @param b        rows and columns of it
     * @param want     [b->rows x b->cols], contiguous
     * @param bound    the same, 0 before the call; not looked at in exact cases
     */
    void (*want)(const void *problem, const array *a, const band *b,
                 double *want, double *bound);

    /** The same on a GPU, all pointers on the device, or NULL: want() is used;
     *  waits until it is done. */
    void (*want_gpu)(const void *problem, const array *a, const band *b,
                     double *want, double *bound);

    /** Floating-point operations of one run; NULL: only bytes count. */
    double (*flop)(const void *problem);
    bool tensor_cores; /**< they do them: float32's peak is no limit, and the
                            GPU rests before each sample */

    struct variants_state *state; /**< private */
} experiment;

/**
 * Parse the options of the chapter and the common ones, open the device, take
 * memory for the arrays; refuses what does not fit. With several variants
 * there is an option --variant, which selects one.
 */
void variants_open(experiment *e, int argc, char **argv);

/**
 * Verify every element of every output of every variant, in all cases: with
 * the small problem (not with --small 0), then at the size asked for. Outputs
 * are poisoned before each run, inputs, padding and guard zones must keep their
 * bits. The first run of each variant at the size asked for is the one that is
 * counted.
 */
void variants_verify(experiment *e);

/**
 * Time the variants that are right, in turn, and the libraries with them, on
 * the data of the last case; verify the output of the last timed run of each,
 * and, where there are exact cases, one more run of each on the first of them.
 * With --repeats 0 and in the simulator, which has no times: nothing.
 */
void variants_time(experiment *e);

/** Report, free everything. @return the exit status of the program */
int variants_close(experiment *e);

/** These four. @return the exit status of the program */
int variants_main(experiment *e, int argc, char **argv);

/* ---- what references and libraries are made of --------------------------- */

/**
 * gamma_n = n u / (1 - n u), u = 2^-24: what n roundings to float32, one after
 * the other, can amount to (Higham, Accuracy and Stability of Numerical
 * Algorithms, 2002, lemma 3.1). Beyond n u = 1/2, where gamma_n stops to mean
 * anything, 2 n u, which is above the n u that Jeannerod and Rump (2013)
 * prove for inner products of any length.
 */
static inline HOST_DEVICE double verify_gamma(double n)
{
    double nu = n * 0x1p-24;
    return nu < 0.5 ? nu / (1.0 - nu) : 2.0 * nu;
}

/** Does items [begin, end) of some work; called by several threads at once. */
typedef void (*items_fn)(void *context, int64_t begin, int64_t end);

/**
 * Have items [0, count) done by all cores, each a run of neighbours; returns
 * when all are done; no items, no call. Equal arguments give equal runs on a
 * machine.
 */
void parallel_for(int64_t count, items_fn work, void *context);

/**
 * How fast bytes can be read or copied on this GPU: what no kernel that has to
 * move them can beat by much. GPU builds only.
 *
 * Read @p bytes at @p x, 16-byte aligned, and do nothing with them.
 */
void floor_read(const void *x, size_t bytes);

/** The same: copy @p bytes from @p x to @p y, both 16-byte aligned; no padding
 * of an output may lie among them: it must keep its bits. */
void floor_copy(const void *x, void *y, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
