/**
 * @file parent.c
 * @brief The grader's trusted half: a solution's program that launches nothing.
 *
 * Linked with a solution and all of common/, it is the runner of that program:
 * each run is one of a learner's program in a process of its own. All else is
 * what any chapter does: the small problem, exact and random data, guard zones,
 * the record of --json.
 *
 *     GRADE_CHILD=FILE        the learner's program
 *     GRADE_FOLDER=FOLDER     where that may write
 *     GRADE_SECONDS=40        of processor time that it gets, for all runs
 *     GRADE_MIB=4096          how much memory a child may take
 *     GRADE_REFERENCE=FILE    the chapter's program as a child, to be timed in
 *                             turn with the learner's
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
#include "internal.h"

#define ROUNDS 10       /**< of requests that are timed */
#define WARMUP 3        /**< the first ones of them find out how many runs */
#define REQUEST_S 20e-3 /**< as many as take that long (s) */
#define MOVE_ROWS 64    /**< an input moves by so many rows, ... */
#define MOVE_ALONE 256  /**< ... or elements, where it is but one row */

static const runner *own;       /**< what a program does that nobody grades */
static experiment *all;         /**< of main() */
static char **arguments;        /**< of main() */
static int argument_count;      /**< of main() */
static child_process learner;   /**< the learner's program */
static child_process *asked_of; /**< who runs */
static const char *wanted;      /**< variant that runs */

/* ---- a run --------------------------------------------------------------- */

/** What a child says: a number from 0 to @p most. */
static int within(int value, int most)
{
    return value < 0 ? 0 : value < most ? value : most;
}

/** Tell the child which problem; @p runs that are timed together, or 0. */
static void fill_request(grade_page *page, const instance *in, bool counted,
                         int runs)
{
    size_t total = grade_aligned(sizeof(*page));
    REQUIRE(all->array_count <= GRADE_ARRAYS, "%d arrays: the grader takes %d",
            all->array_count, GRADE_ARRAYS);
    page->small = in != &all->state->asked;
    page->counted = counted;
    page->run_count = runs;
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
static void take_counts(const grade_page *page, outcome *o)
{
    static grade_launch launches[GRADE_LAUNCHES]; // the child may write into
    static grade_counter counters[MAX_COUNTERS];  // its own
    o->launch_count = within(page->launch_count, GRADE_LAUNCHES);
    o->counter_count = within(page->counter_count, MAX_COUNTERS);
    memcpy(launches, page->launches, sizeof(launches));
    memcpy(counters, page->counters, sizeof(counters));
    for (int i = 0; i < o->launch_count; i++) {
        launches[i].kernel[GRADE_NAME - 1] = '\0';
        o->launches[i] = launches[i].info;
        o->launches[i].kernel = launches[i].kernel;
        o->launches[i].code = NULL;
    }
    for (int i = 0; i < o->counter_count; i++) {
        counters[i].name[GRADE_NAME - 1] = '\0';
        o->counters[i] = (counter){counters[i].name, counters[i].value};
    }
}

/** A run is the child's. */
static void hand_over(const experiment *e, const instance *in, const variant *v,
                      outcome *counted)
{
    grade_page *page = asked_of->page;
    (void)e, (void)v;
    printf("problem%s\n", in->size); // failed_at() of tools reads it
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    fill_request(page, in, counted, 0);
    copy_arrays(page, in, false);
    child_ask(asked_of, GRADE_LOAD);
    child_ask(asked_of, GRADE_RUN);
    if (counted)
        take_counts(page, counted);
    child_ask(asked_of, GRADE_STORE);
    copy_arrays(page, in, true);
}

static int finding_count(void)
{
    return within(learner.page->finding_count, GRADE_FINDINGS);
}

static const char *finding(int i)
{
    static char text[GRADE_FINDINGS][GRADE_TEXT];
    memcpy(text[i], learner.page->findings[i], GRADE_TEXT);
    text[i][GRADE_TEXT - 1] = '\0';
    return text[i];
}

/* ---- open and close ------------------------------------------------------ */

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

static void open_parent(experiment *e, int argc, char **argv)
{
    char text[GRADE_TEXT];
    confine_describe(text, sizeof(text));
    printf("confined: %s\n", text);
    argument_count = argc;
    arguments = argv;
    learner = child_start(setting("GRADE_CHILD"), setting("GRADE_FOLDER"), argc,
                          argv);
    asked_of = &learner;
    all = e;
    own->open(e, argc, argv);
    e->state->run.seed = secret_seed();
    REQUIRE(e->state->count == 1, "%s: --variant must select one", e->chapter);
    wanted = e->state->selected[0]->name;
    e->library_count = 0; // no kernel of a library is timed
    e->beside = NULL;     // nor are there threads that launch
}

static int close_parent(experiment *e)
{
    child_stop(&learner);
    return own->close(e);
}

/* ---- time ---------------------------------------------------------------- */

/** One of those who are timed in turn. */
typedef struct {
    child_process *child; /**< who runs it */
    const char *variant;  /**< which of its variants */
    int runs;             /**< of a request */
    double times[ROUNDS]; /**< of a run, in each round (s) */
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

/** From 0 to @p count - 1, and nobody else knows. */
static size_t random_below(size_t count)
{
    return (size_t)secret_seed() % count;
}

/** How many places for outputs an eighth of the memory has. */
static int count_places(const instance *in)
{
    size_t bytes = 1;
    for (int i = 0; i < all->array_count; i++) {
        array_role role = in->arrays[i].role;
        bool output = role == ARRAY_OUT || role == ARRAY_IN_OUT;
        bytes += output ? (size_t)array_bytes(&in->arrays[i]) : 0;
    }
    size_t places = all->state->device.free_bytes / 8 / bytes;
    return places < 1 ? 1 : places < GRADE_RUNS ? (int)places : GRADE_RUNS;
}

/** Does a run find what the one before has left in the same place? */
static bool adds_up(const instance *in)
{
    for (int i = 0; i < all->array_count; i++) {
        if (in->arrays[i].role == ARRAY_IN_OUT)
            return true;
    }
    return false;
}

/** Where an input of a run may begin: see protocol.h. */
static size_t choose_before(const array *a)
{
    size_t bytes = (size_t)array_bytes(a);
    size_t step = a->ld ? MOVE_ROWS * (size_t)a->ld : MOVE_ALONE;
    step *= element_bytes(a->type);
    return a->role == ARRAY_IN ? step * random_below(bytes / step + 1) : 0;
}

/** Choose what each run reads, and where it writes. */
static void plan_runs(const instance *in, int places, grade_run *runs,
                      int count)
{
    for (int r = 0; r < count; r++) {
        runs[r].place = count <= places ? r : (int)random_below((size_t)places);
        for (int i = 0; i < all->array_count; i++)
            runs[r].before[i] = choose_before(&in->arrays[i]);
    }
}

/** One of the runs whose outputs are still there. */
static int choose_shown(const grade_run *runs, int count)
{
    int shown = (int)random_below((size_t)count);
    for (int r = shown + 1; r < count; r++)
        shown = runs[r].place == runs[shown].place ? r : shown;
    return shown;
}

/** Have the host's inputs, the second filling, begin in the first one. */
static void move_inputs(const instance *in, char *const *first,
                        const grade_run *run)
{
    for (int i = 0; i < all->array_count; i++) {
        if (!first[i])
            continue;
        char *host = in->arrays[i].host;
        size_t bytes = (size_t)array_bytes(&in->arrays[i]);
        size_t part = run->before[i];
        memmove(host + part, host, bytes - part);
        memcpy(host, first[i] + bytes - part, part);
    }
    if (all->expect)
        all->expect(in->problem, in->arrays);
}

/** A filling that nobody has seen, poisoned outputs with it, to the child. */
static void load_filling(const instance *in, int number, int runs)
{
    grade_page *page = asked_of->page;
    all->state->run.seed = secret_seed();
    variants_begin_case(all, &all->state->asked, all->cases - 1);
    for (int i = 0; i < all->array_count; i++)
        array_prepare(&in->arrays[i],
                      array_pointer(&in->arrays[i], in->problem));
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    fill_request(page, in, false, runs);
    page->filling = number;
    page->places = runs < count_places(in) ? runs : count_places(in);
    copy_arrays(page, in, false);
    child_ask(asked_of, GRADE_LOAD);
}

/** The host's inputs, as they are now; release with free(). */
static void keep_inputs(const instance *in, char **kept)
{
    for (int i = 0; i < all->array_count; i++) {
        const array *a = &in->arrays[i];
        kept[i] = a->role == ARRAY_IN
                      ? host_copy(a->host, (size_t)array_bytes(a))
                      : NULL;
    }
}

/** Many runs of one, and one of them verified. @return seconds of a run */
static double time_runs(const contender *c, outcome *o)
{
    static grade_run runs[GRADE_RUNS]; // the child may write into its own
    const instance *in = &all->state->asked;
    char *first[GRADE_ARRAYS];
    asked_of = c->child;
    wanted = c->variant;
    load_filling(in, 0, c->runs);
    keep_inputs(in, first);
    load_filling(in, 1, c->runs);
    plan_runs(in, count_places(in), runs, c->runs);
    memcpy(c->child->page->runs, runs, sizeof(runs));
    double seconds = child_ask(c->child, GRADE_RUN);
    int shown = choose_shown(runs, c->runs);
    c->child->page->shown = shown;
    child_ask(c->child, GRADE_STORE);
    move_inputs(in, first, &runs[shown]);
    copy_arrays(c->child->page, in, true);
    variants_check_run(all, in, all->state->selected[0], in->problem,
                       " in a timed run", o);
    for (int i = 0; i < all->array_count; i++)
        free(first[i]);
    return seconds / c->runs;
}

/**
 * As many runs as take REQUEST_S; where a run adds to what it finds, no more
 * than have a place of their own.
 */
static int count_runs(double run_s)
{
    const instance *in = &all->state->asked;
    double most = adds_up(in) ? count_places(in) : GRADE_RUNS;
    return (int)fmax(1, fmin(most, ceil(REQUEST_S / run_s)));
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

/** The learner's program and the chapter's, in turn. */
static void time_in_turn(child_process *reference)
{
    const struct variants_state *s = all->state;
    const char *own_name = s->selected[0]->name;
    const char *name = getenv("GRADE_VARIANT"); // of the chapter
    contender list[] = {{&learner, own_name, 1, {0}},
                        {reference, name ? name : own_name, 1, {0}}};
    outcome other = {.verified = true};
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 2; i++) {
            contender *c = &list[(i + round) % 2];
            c->times[round] =
                time_runs(c, c->child == &learner ? &s->outcomes[0] : &other);
            if (round < WARMUP)
                c->runs = count_runs(c->times[round]);
        }
    }
    REQUIRE(other.verified, "the chapter's program is wrong");
    double ms = median_ms(&list[0]);
    printf("ms: yours %.6g chapter %.6g\n", ms, median_ms(&list[1]));
    refuse_impossible(ms);
}

static void time_parent(experiment *e)
{
    const char *program = getenv("GRADE_REFERENCE");
    if (!program && e->state->device.simulator)
        own->time(e);
    if (!program || !e->state->outcomes[0].verified)
        return;
    child_process reference = child_start(
        program, setting("GRADE_REFERENCE_FOLDER"), argument_count, arguments);
    time_in_turn(&reference);
    child_stop(&reference);
}

/* ---- the runner ---------------------------------------------------------- */

__attribute__((constructor)) static void install(void)
{
    static runner parent;
    own = variants_runner;
    parent = (runner){.open = open_parent,
                      .verify = own->verify,
                      .time = time_parent,
                      .close = close_parent,
                      .run = hand_over,
                      .finding_count = finding_count,
                      .finding = finding};
    variants_runner = &parent;
}
