/**
 * @file child.c
 * @brief variants.h once more: a learner's program that serves the grader.
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

#include "memory.h"
#include "options.h"
#include "variants.h"

/** A problem of one size. */
typedef struct {
    void *plain;   /**< as options and shape() make it */
    void *problem; /**< as the case has changed it: what a variant gets */
    array *arrays; /**< what lies behind its pointers */
} instance;

static const experiment *all; /**< of main() */
static instance asked, small;
static grade_page *page;

/* ---- the problem, as variants.c makes it --------------------------------- */

static void open_instance(instance *in)
{
    for (int i = 0; i < all->array_count; i++) {
        array_allocate(&in->arrays[i]);
        array_bind(&in->arrays[i], in->plain, in->arrays[i].device);
    }
    in->problem = host_copy(in->plain, all->problem_bytes);
}

static void open_small(void)
{
    size_t bytes = (size_t)all->array_count * sizeof(array);
    small.plain = host_copy(all->problem, all->problem_bytes);
    all->small(small.plain);
    small.arrays = host_copy(all->arrays, bytes);
    all->shape(small.plain, small.arrays);
    open_instance(&small);
}

void variants_open(experiment *e, int argc, char **argv)
{
    all = e;
    run_options run =
        options_parse(argc, argv, e->about, e->options, e->option_count);
    page = mmap(NULL, GRADE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                GRADE_MEMORY, 0);
    REQUIRE(page != MAP_FAILED, "this program is for the grader alone");
    e->shape(e->problem, e->arrays);
    device_open(run.device);
    asked = (instance){.plain = e->problem, .arrays = e->arrays};
    open_instance(&asked);
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
static void load(const instance *in)
{
    const char *before = grade_problem(page, 0);
    const char *now = grade_problem(page, 1);
    memcpy(in->problem, in->plain, all->problem_bytes);
    for (size_t i = 0; i < all->problem_bytes; i++) {
        if (before[i] != now[i])
            ((char *)in->problem)[i] = now[i];
    }
    for (int i = 0; i < all->array_count; i++)
        CUDA_CHECK(cudaMemcpy(in->arrays[i].device, grade_array(page, i),
                              page->array_bytes[i], cudaMemcpyHostToDevice));
}

static void store(const instance *in)
{
    for (int i = 0; i < all->array_count; i++)
        CUDA_CHECK(cudaMemcpy(grade_array(page, i), in->arrays[i].device,
                              page->array_bytes[i], cudaMemcpyDeviceToHost));
}

/** The variant asked for; if there is but one, its name does not matter. */
static const variant *find_variant(void)
{
    bool library = strcmp(page->variant, GRADE_LIBRARY) == 0;
    const variant *list = library ? all->libraries : all->variants;
    int count = library ? all->library_count : all->variant_count;
    for (int i = 0; i < count; i++) {
        const variant *v = &list[i];
        if (library ? !v->floor
                    : count == 1 || strcmp(v->name, page->variant) == 0)
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

static bool run(const instance *in)
{
    static const variant *opened; // as far as it needs that
    const variant *v = find_variant();
    if (!v)
        return fail("it has no such variant");
    const char *why = v->refuse ? v->refuse(in->problem) : NULL;
    if (!why && v->open && opened != v)
        why = v->open();
    if (why)
        return fail(why);
    opened = v;
    if (page->counted)
        device_run_begin();
    v->enqueue(in->problem);
    CUDA_CHECK(cudaDeviceSynchronize());
    if (page->counted) {
        device_run_end();
        report_run();
    }
    report_findings();
    return true;
}

static void answer(void)
{
    page->failed[0] = '\0';
    if (page->small && !small.plain)
        open_small();
    const instance *in = page->small ? &small : &asked;
    if (!same_problem(in))
        return;
    if (page->step == GRADE_LOAD)
        load(in);
    else if (page->step == GRADE_RUN)
        run(in);
    else
        store(in);
}

/** Answer requests until the parent has no more. */
static void serve(void)
{
    char turn;
    while (recv(GRADE_SOCKET, &turn, 1, 0) == 1) {
        answer();
        send(GRADE_SOCKET, &turn, 1, MSG_NOSIGNAL);
    }
}

/* ---- the other calls of a main ------------------------------------------- */

void variants_verify(experiment *e)
{
    (void)e;
    serve();
}

void variants_time(experiment *e)
{
    (void)e;
    serve();
}

int variants_close(experiment *e)
{
    (void)e;
    return EXIT_VERIFIED;
}
