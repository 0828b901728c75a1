/**
 * @file child.c
 * @brief A learner's program that serves the grader: see runner.
 *
 * It makes the same problem from the same options, takes each run's inputs
 * from the parent, runs the variant asked for and hands the arrays back. What
 * it should compute it is never told. @see protocol.h
 */
#define _GNU_SOURCE
#include "protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "internal.h"

static const experiment *all; /**< of main() */
static instance asked, small;
static grade_page *page;
/** Of runs that are timed together: of an input two fillings, of an output some
 *  places; NULL for what all runs share. */
static char *spread[GRADE_ARRAYS];
static int spread_places; /**< so many */

static void open_child(experiment *e, int argc, char **argv)
{
    all = e;
    run_options run =
        options_parse(argc, argv, e->about, e->options, e->option_count);
    page = mmap(NULL, GRADE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                GRADE_MEMORY, 0);
    REQUIRE(page != MAP_FAILED, "this program is for the grader alone");
    e->shape(e->problem, e->arrays);
    device_open(run.device);
    device_on_progress(NULL); // nor remarks: nobody asked this program
    asked = (instance){.plain = e->problem, .arrays = e->arrays};
    variants_open_arrays(e, &asked);
}

/* ---- a request ----------------------------------------------------------- */

/** Say why a request cannot be met. @return false */
static bool fail(const char *why)
{
    snprintf(page->failed, GRADE_TEXT, "%s", why);
    return false;
}

/** Is the problem the one that the parent has? */
static bool same_problem(const instance *in)
{
    bool same = page->problem_bytes == all->problem_bytes &&
                page->array_count == all->array_count;
    for (int i = 0; same && i < all->array_count; i++)
        same = page->array_bytes[i] == (size_t)array_bytes(&in->arrays[i]);
    return same || fail("its problem or its arrays are not those of the "
                        "exercise: what stands around the kernel must stay");
}

/**
 * What the case has changed in the parent's problem, a factor or a filter,
 * changes here; pointers are nobody else's.
 */
static void load_problem(const instance *in)
{
    const char *before = grade_problem(page, 0);
    const char *now = grade_problem(page, 1);
    memcpy(in->problem, in->plain, all->problem_bytes);
    for (size_t i = 0; i < all->problem_bytes; i++) {
        if (before[i] != now[i])
            ((char *)in->problem)[i] = now[i];
    }
}

static void load(const instance *in)
{
    load_problem(in);
    for (int i = 0; i < all->array_count; i++)
        CUDA_CHECK(cudaMemcpy(in->arrays[i].device, grade_array(page, i),
                              page->array_bytes[i], cudaMemcpyHostToDevice));
}

/* ---- several runs, timed together ---------------------------------------- */

/** Memory for all runs; what there is stays while it is enough. */
static void open_spread(const instance *in)
{
    if (page->places <= spread_places)
        return;
    for (int i = 0; i < all->array_count; i++) {
        array_role role = in->arrays[i].role;
        size_t bytes = grade_aligned(page->array_bytes[i]);
        device_free(spread[i]);
        spread[i] = role == ARRAY_SCRATCH ? NULL
                    : role == ARRAY_IN
                        ? device_alloc(2 * bytes)
                        : device_alloc((size_t)page->places * bytes);
    }
    spread_places = page->places;
}

/** Where array @p i of a run lies. */
static char *find_array(const instance *in, int i, const grade_run *run)
{
    size_t bytes = grade_aligned(page->array_bytes[i]);
    if (in->arrays[i].role == ARRAY_SCRATCH)
        return in->arrays[i].device;
    if (in->arrays[i].role == ARRAY_IN)
        return spread[i] + bytes - run->before[i];
    return spread[i] + (size_t)run->place * bytes;
}

/** The problem of one of the runs. */
static void *move_to(const instance *in, const grade_run *run)
{
    for (int i = 0; i < all->array_count; i++)
        array_bind(&in->arrays[i], in->problem, find_array(in, i, run));
    return in->problem;
}

/** A filling of the inputs; what else there is, in all places. */
static void load_filling(const instance *in)
{
    open_spread(in);
    load_problem(in);
    for (int i = 0; i < all->array_count; i++) {
        bool input = in->arrays[i].role == ARRAY_IN;
        bool shared = in->arrays[i].role == ARRAY_SCRATCH;
        size_t bytes = page->array_bytes[i];
        grade_run at = {.before = {0}};
        at.before[i] = page->filling == 0 ? bytes : 0;
        CUDA_CHECK(cudaMemcpy(find_array(in, i, &at), grade_array(page, i),
                              bytes, cudaMemcpyHostToDevice));
        int others = input || shared || page->filling == 0 ? 0 : page->places;
        for (at.place = 1; at.place < others; at.place++)
            CUDA_CHECK(cudaMemcpy(find_array(in, i, &at), spread[i], bytes,
                                  cudaMemcpyDeviceToDevice));
    }
}

/** The arrays as they are now; of many runs, those of the one to be shown. */
static void store(const instance *in)
{
    for (int i = 0; i < all->array_count; i++) {
        const void *from = page->run_count
                               ? find_array(in, i, &page->runs[page->shown])
                               : in->arrays[i].device;
        CUDA_CHECK(cudaMemcpy(grade_array(page, i), from, page->array_bytes[i],
                              cudaMemcpyDeviceToHost));
    }
}

/* ---- run ----------------------------------------------------------------- */

/** The variant asked for; if there is but one, its name does not matter. */
static const variant *find_variant(void)
{
    for (int i = 0; i < all->variant_count; i++) {
        const variant *v = &all->variants[i];
        if (all->variant_count == 1 || strcmp(v->name, page->variant) == 0)
            return v;
    }
    return NULL;
}

/** The counts of the run, its launches. */
static void report_run(void)
{
    launch_info launches[MAX_LAUNCHES];
    counter counters[MAX_COUNTERS];
    int count = device_launches(launches);
    page->launch_count = count < GRADE_LAUNCHES ? count : GRADE_LAUNCHES;
    for (int i = 0; i < page->launch_count; i++) {
        page->launches[i].info = launches[i];
        snprintf(page->launches[i].kernel, GRADE_NAME, "%s",
                 launches[i].kernel);
    }
    page->counter_count = device_counters(counters);
    for (int i = 0; i < page->counter_count; i++) {
        page->counters[i].value = counters[i].value;
        snprintf(page->counters[i].name, GRADE_NAME, "%s", counters[i].name);
    }
}

static void report_findings(void)
{
    int count = device_finding_count();
    page->finding_count = count < GRADE_FINDINGS ? count : GRADE_FINDINGS;
    for (int i = 0; i < page->finding_count; i++)
        snprintf(page->findings[i], GRADE_TEXT, "%s", device_finding(i));
}

static void run(const instance *in, const variant *v)
{
    if (page->counted)
        device_run_begin();
    if (page->run_count == 0)
        v->enqueue(in->problem);
    for (int i = 0; i < page->run_count; i++)
        v->enqueue(move_to(in, &page->runs[i]));
    CUDA_CHECK(cudaDeviceSynchronize());
    if (page->counted) {
        device_run_end();
        report_run();
    }
    report_findings();
}

static void answer(void)
{
    page->failed[0] = '\0';
    if (page->small && !small.plain) {
        small = variants_small(all, all->small);
        variants_open_arrays(all, &small);
    }
    const instance *in = page->small ? &small : &asked;
    if (!same_problem(in))
        return;
    const variant *v = find_variant();
    const char *why = !v          ? "it has no such variant"
                      : v->refuse ? v->refuse(in->problem)
                                  : NULL;
    if (why)
        fail(why);
    else if (page->step == GRADE_LOAD && page->run_count > 0)
        load_filling(in);
    else if (page->step == GRADE_LOAD)
        load(in);
    else if (page->step == GRADE_RUN)
        run(in, v);
    else
        store(in);
}

/** Answer requests until the parent has no more. */
static void serve(experiment *e)
{
    char turn;
    (void)e;
    while (recv(GRADE_SOCKET, &turn, 1, 0) == 1) {
        answer();
        send(GRADE_SOCKET, &turn, 1, MSG_NOSIGNAL);
    }
}

static int close_child(experiment *e)
{
    (void)e;
    return EXIT_VERIFIED;
}

__attribute__((constructor)) static void install(void)
{
    static const runner child = {.open = open_child,
                                 .verify = serve,
                                 .time = serve,
                                 .close = close_child};
    variants_runner = &child;
    setvbuf(stdout, NULL, _IONBF, 0); // what kernels print stays nowhere
}
