/**
 * @file parent.c
 * @brief The grader's trusted half: a solution's program that launches nothing.
 *
 * Linked with a solution and all of common/, it takes the place of a few
 * functions (the linker's --wrap), so that each run is one of a learner's
 * program in a process of its own. All else is what any chapter does: the
 * small problem, exact and random data, guard zones, the record of --json.
 *
 *     GRADE_CHILD=FILE        the learner's program
 *     GRADE_FOLDER=FOLDER     where that may write
 *     GRADE_SECONDS=40        of processor time that it gets, for all runs
 *     GRADE_MIB=4096          how much memory a child may take
 *     GRADE_REFERENCE=FILE    the chapter's program as a child, to be timed in
 *                             turn with the learner's, and its library
 *     GRADE_REFERENCE_FOLDER=FOLDER   where that may write
 *     GRADE_VARIANT=NAME      which variant of the chapter
 *
 * @see protocol.h
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "child_process.h"
#include "confine.h"
#include "memory.h"
#include "options.h"
#include "variants_state.h"

#define ROUNDS 15 /**< of timed runs; the first ones warm up */
#define WARMUP 3  /**< see ROUNDS */

void __real_variants_open(experiment *e, int argc, char **argv);
void __real_variants_open_instance(const experiment *e, instance *in);
void __real_variants_time(experiment *e);
int __real_variants_close(experiment *e);

static experiment *all;         /**< of main() */
static char **arguments;        /**< of main() */
static int argument_count;      /**< of main() */
static variant handed;          /**< the solution's, with hand_over() */
static child_process learner;   /**< the learner's program */
static child_process *asked_of; /**< whom hand_over() asks */
static const instance *small;   /**< the small problem, while there is one */
static const char *wanted;      /**< variant that runs */
static double seconds;          /**< of the latest run */
static bool counting;           /**< is the run one that is counted? */
static grade_launch launches[GRADE_LAUNCHES]; /**< of the counted run */
static grade_counter counters[MAX_COUNTERS];  /**< of the counted run */
static int launch_count, counter_count;

/* ---- a run --------------------------------------------------------------- */

/** What a child says: a number from 0 to @p most. */
static int within(int value, int most)
{
    return value < 0 ? 0 : value < most ? value : most;
}

/** Tell the child which problem, and hand it the arrays, both ways. */
static void fill_request(grade_page *page, const instance *in)
{
    size_t total = grade_aligned(sizeof(*page));
    REQUIRE(all->array_count <= GRADE_ARRAYS, "%d arrays: the grader takes %d",
            all->array_count, GRADE_ARRAYS);
    page->small = in == small;
    page->counted = counting;
    snprintf(page->variant, GRADE_NAME, "%s", wanted);
    page->problem_bytes = all->problem_bytes;
    page->array_count = all->array_count;
    for (int i = 0; i < all->array_count; i++) {
        page->array_bytes[i] = (size_t)array_bytes(&in->arrays[i]);
        total += grade_aligned(page->array_bytes[i]);
    }
    REQUIRE(total + 2 * grade_aligned(all->problem_bytes) <= GRADE_BYTES,
            "this size is too large to be graded");
    size_t told = all->hidden ? all->hidden : all->problem_bytes;
    memcpy(grade_problem(page, 0), in->plain, told);
    memcpy(grade_problem(page, 1), in->problem, told);
}

/** The page is the child's, too: sizes are taken from the arrays. */
static void copy_arrays(grade_page *page, const instance *in, bool back)
{
    char *shared =
        grade_problem(page, 0) + 2 * grade_aligned(all->problem_bytes);
    for (int i = 0; i < all->array_count; i++) {
        size_t bytes = (size_t)array_bytes(&in->arrays[i]);
        void *device = array_pointer(&in->arrays[i], in->problem);
        CUDA_CHECK(
            cudaMemcpy(back ? device : shared, back ? shared : device, bytes,
                       back ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost));
        shared += grade_aligned(bytes);
    }
}

/** Keep what the counted run has left; texts end where their arrays do. */
static void take_counts(const grade_page *page)
{
    launch_count = within(page->launch_count, GRADE_LAUNCHES);
    counter_count = within(page->counter_count, MAX_COUNTERS);
    memcpy(launches, page->launches, sizeof(launches));
    memcpy(counters, page->counters, sizeof(counters));
    for (int i = 0; i < launch_count; i++)
        launches[i].kernel[GRADE_NAME - 1] = '\0';
    for (int i = 0; i < counter_count; i++)
        counters[i].name[GRADE_NAME - 1] = '\0';
}

/** In place of a variant's function. */
static void hand_over(const void *problem)
{
    const instance *in =
        problem == all->state->asked.problem ? &all->state->asked : small;
    grade_page *page = asked_of->page;
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    fill_request(page, in);
    copy_arrays(page, in, false);
    child_ask(asked_of, GRADE_LOAD);
    seconds = child_ask(asked_of, GRADE_RUN);
    if (counting)
        take_counts(page);
    child_ask(asked_of, GRADE_STORE);
    copy_arrays(page, in, true);
}

/* ---- in place of variants.c ---------------------------------------------- */

/** Nobody else shall know the inputs. */
static int secret_seed(void)
{
    unsigned seed;
    REQUIRE(getrandom(&seed, sizeof(seed), 0) == sizeof(seed),
            "no random number for the inputs");
    return (int)(seed >> 1);
}

/** A variable that must be there. */
static const char *setting(const char *name)
{
    const char *value = getenv(name);
    REQUIRE(value, "%s= is missing: make grade calls this program", name);
    return value;
}

void __wrap_variants_open(experiment *e, int argc, char **argv)
{
    char text[GRADE_TEXT];
    confine_describe(text, sizeof(text));
    printf("confined: %s\n", text);
    argument_count = argc;
    arguments = argv;
    learner = child_start(setting("GRADE_CHILD"), setting("GRADE_FOLDER"), argc,
                          argv);
    asked_of = &learner;
    __real_variants_open(e, argc, argv);
    all = e;
    e->state->run.seed = secret_seed();
    REQUIRE(e->state->count == 1, "%s: --variant must select one", e->chapter);
    handed = *e->state->selected[0];
    handed.enqueue = hand_over;
    wanted = handed.name;
    e->state->selected[0] = &handed;
    e->library_count = 0; // the reference has them
}

void __wrap_variants_open_instance(const experiment *e, instance *in)
{
    __real_variants_open_instance(e, in);
    small = in;
}

int __wrap_variants_close(experiment *e)
{
    child_stop(&learner);
    return __real_variants_close(e);
}

/* ---- in place of device.c: what the child's device says -------------------
 */

void __wrap_device_run_begin(void)
{
    counting = true;
}

void __wrap_device_run_end(void)
{
    counting = false;
}

int __wrap_device_launches(launch_info *into)
{
    for (int i = 0; i < launch_count; i++) {
        into[i] = launches[i].info;
        into[i].kernel = launches[i].kernel;
        into[i].code = NULL;
    }
    return launch_count;
}

int __wrap_device_counters(counter *into)
{
    for (int i = 0; i < counter_count; i++)
        into[i] = (counter){counters[i].name, counters[i].value};
    return counter_count;
}

int __wrap_device_finding_count(void)
{
    return within(learner.page->finding_count, GRADE_FINDINGS);
}

const char *__wrap_device_finding(int i)
{
    static char text[GRADE_FINDINGS][GRADE_TEXT];
    memcpy(text[i], learner.page->findings[i], GRADE_TEXT);
    text[i][GRADE_TEXT - 1] = '\0';
    return text[i];
}

/* ---- time ---------------------------------------------------------------- */

/** One of those who are timed in turn. */
typedef struct {
    const char *name;     /**< for the line of times */
    child_process *child; /**< who runs it */
    const char *variant;  /**< which of its variants */
    double times[ROUNDS]; /**< of each round (s) */
} contender;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_ms(contender *c)
{
    qsort(c->times + WARMUP, ROUNDS - WARMUP, sizeof(double), ascending);
    return 1e3 * c->times[WARMUP + (ROUNDS - WARMUP) / 2];
}

/** A run on data that nobody has seen, poisoned before, verified behind. */
static double time_run(const contender *c, outcome *o)
{
    const instance *in = &all->state->asked;
    for (int i = 0; i < all->array_count; i++)
        array_prepare(&in->arrays[i],
                      array_pointer(&in->arrays[i], in->problem));
    asked_of = c->child;
    wanted = c->variant;
    hand_over(in->problem);
    variants_check_run(all, in, all->state->selected[0], in->problem,
                       " in a timed run", o);
    return seconds;
}

/** No kernel is faster than the multiply-adds of the whole GPU on paper. */
static void refuse_impossible(double ms)
{
    const device_info *d = &all->state->device;
    double flop = all->flop ? all->flop(all->state->asked.problem) : 0;
    if (d->peak_gflops > 0 && !all->tensor_cores &&
        flop / (d->peak_gflops * 1e6) > ms) {
        fprintf(stderr, "%.3g ms: faster than this GPU can be\n", ms);
        all->state->outcomes[0].verified = false;
    }
}

/** The learner's program, the chapter's and its library, in turn. */
static void time_in_turn(child_process *reference)
{
    struct variants_state *s = all->state;
    bool library = !s->device.simulator;
    contender list[] = {{.name = "yours", .child = &learner},
                        {.name = "chapter", .child = reference},
                        {.name = "library", .child = reference}};
    int count = library ? COUNT(list) : COUNT(list) - 1;
    outcome others = {.verified = true};
    list[0].variant = wanted;
    list[1].variant = getenv("GRADE_VARIANT");
    list[1].variant = list[1].variant ? list[1].variant : wanted;
    list[2].variant = GRADE_LIBRARY;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < count; i++) {
            contender *c = &list[(i + round) % count];
            s->run.seed = secret_seed();
            variants_begin_case(all, &s->asked, all->cases - 1);
            c->times[round] =
                time_run(c, c->child == &learner ? &s->outcomes[0] : &others);
        }
    }
    REQUIRE(others.verified, "the chapter's program or library is wrong");
    printf("ms:");
    for (int i = 0; i < count; i++)
        printf(" %s %.6g", list[i].name, median_ms(&list[i]));
    printf("\n");
    refuse_impossible(median_ms(&list[0]));
}

void __wrap_variants_time(experiment *e)
{
    const char *program = getenv("GRADE_REFERENCE");
    if (!program && e->state->device.simulator)
        __real_variants_time(e);
    if (!program || !e->state->outcomes[0].verified)
        return;
    child_process reference = child_start(
        program, setting("GRADE_REFERENCE_FOLDER"), argument_count, arguments);
    time_in_turn(&reference);
    child_stop(&reference);
}
