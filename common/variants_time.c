/** @file variants_time.c @see internal.h */
#include "internal.h"

#include <stdlib.h>

/** A variant or library with one copy of the data, as the timer sees it. */
typedef struct {
    const experiment *e;
    const variant *v;
    void *problem;
    outcome *o;
} contender;

static void enqueue(const void *context)
{
    const contender *c = context;
    c->v->enqueue(c->problem);
}

/** Each run needs the data that the reference starts from. */
static void restore(const void *context)
{
    const contender *c = context;
    const instance *in = &c->e->state->asked;
    for (int i = 0; i < c->e->array_count; i++) {
        if (in->arrays[i].role == ARRAY_IN_OUT)
            array_prepare(&in->arrays[i],
                          array_pointer(&in->arrays[i], c->problem));
    }
}

/** Nothing that an earlier run left may look like a result. */
static void spoil(const void *context)
{
    const contender *c = context;
    const instance *in = &c->e->state->asked;
    for (int i = 0; i < c->e->array_count; i++) {
        if (in->arrays[i].role == ARRAY_OUT)
            array_poison(&in->arrays[i],
                         array_pointer(&in->arrays[i], c->problem));
    }
}

/** Verify what the last timed run left, before others use the same memory. */
static void finish(const void *context)
{
    const contender *c = context;
    variants_check_run(c->e, &c->e->state->asked, c->v, c->problem,
                       " in the last launch", c->o);
}

/** Bytes as they are laid out side by side, 256-byte aligned. */
static size_t aligned(double bytes)
{
    return ((size_t)bytes + 255) / 256 * 256;
}

/** Bytes of all arrays. */
static size_t all_bytes(const experiment *e)
{
    size_t bytes = 0;
    for (int i = 0; i < e->array_count; i++)
        bytes += aligned(array_bytes(&e->arrays[i]));
    return bytes;
}

/** How many copies of the arrays exceed the L2 twice; 1 if they do alone, or
 * have no elements. */
static int count_copies(const experiment *e)
{
    const struct variants_state *s = e->state;
    size_t bytes = all_bytes(e);
    if (!s->run.cold || bytes == 0)
        return 1;
    size_t copies = 2 * s->device.l2_bytes / bytes + 1;
    return copies < MAX_BATCH ? (int)copies : MAX_BATCH;
}

/** A copy of the problem whose arrays lie at @p memory, as they are now. */
static void *copy_problem(const experiment *e, char *memory)
{
    const instance *in = &e->state->asked;
    void *problem = host_copy(in->problem, e->problem_bytes);
    for (int i = 0; i < e->array_count; i++) {
        const array *a = &in->arrays[i];
        size_t bytes = (size_t)array_bytes(a);
        CUDA_CHECK(
            cudaMemcpy(memory, a->device, bytes, cudaMemcpyDeviceToDevice));
        array_bind(a, problem, memory);
        memory += aligned(array_bytes(a));
    }
    return problem;
}

/** The data of all contenders: the problem, and copies of it for a cold L2. */
typedef struct {
    int count;
    void **problems; /**< the first one is the problem itself */
    char *memory;    /**< of the others' arrays */
} copies;

static copies open_copies(const experiment *e)
{
    copies c = {.count = count_copies(e)};
    size_t bytes = all_bytes(e);
    size_t others = (size_t)c.count - 1;
    c.problems = host_alloc((size_t)c.count * sizeof(*c.problems));
    c.problems[0] = e->state->asked.problem;
    c.memory = others ? device_alloc(others * bytes) : NULL;
    for (size_t i = 0; i < others; i++)
        c.problems[i + 1] = copy_problem(e, c.memory + i * bytes);
    return c;
}

static void close_copies(copies *c)
{
    for (int i = 1; i < c->count; i++)
        free(c->problems[i]);
    free(c->problems);
    device_free(c->memory);
}

/** One contender on all copies; release both arrays of the result. */
static timed_run make_run(const experiment *e, const copies *c,
                          const variant *v, outcome *o)
{
    contender *all = host_alloc((size_t)c->count * sizeof(*all));
    const void **contexts = host_alloc((size_t)c->count * sizeof(*contexts));
    bool restored = false;
    for (int i = 0; i < e->array_count; i++)
        restored |= e->arrays[i].role == ARRAY_IN_OUT;
    for (int i = 0; i < c->count; i++) {
        all[i] = (contender){e, v, c->problems[i], o};
        contexts[i] = &all[i];
    }
    return (timed_run){.enqueue = enqueue,
                       .prepare = restored ? restore : NULL,
                       .spoil = v->floor ? NULL : spoil,
                       .finish = v->floor ? NULL : finish,
                       .contexts = contexts,
                       .context_count = c->count,
                       .context_bytes = all_bytes(e),
                       .rests = e->tensor_cores};
}

/** Ask the libraries whether they are there. */
static void open_libraries(const experiment *e)
{
    for (int i = 0; i < e->library_count; i++) {
        const variant *v = &e->libraries[i];
        outcome *o = &e->state->libraries[i];
        o->name = v->name;
        o->floor = v->floor;
        o->note = !v->enqueue ? "was not there when this was built"
                  : v->open   ? v->open()
                              : NULL;
        o->verified = true;
    }
}

/** Release them; a library that is wrong is no baseline. */
static void close_libraries(const experiment *e)
{
    for (int i = 0; i < e->library_count; i++) {
        outcome *o = &e->state->libraries[i];
        if (!o->note && e->libraries[i].close)
            e->libraries[i].close();
        if (o->verified)
            continue;
        o->verified = true;
        o->time.repeats = 0;
        o->note = "its result is outside the bound (see stderr)";
    }
}

/**
 * Exact data once more: a kernel that rounds its inputs from some run on would
 * be within the bound of the random data that was timed.
 */
static void verify_again(const experiment *e)
{
    instance *in = &e->state->asked;
    if (e->exact == 0)
        return;
    variants_begin_case(e, in, 0);
    variants_run_right(e, in, " after the timed runs");
}

/** Whom to time: the variants that are right, and the libraries beside them. */
static int list_contenders(const experiment *e, const copies *data,
                           timed_run *runs, outcome **outcomes)
{
    const struct variants_state *s = e->state;
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        outcome *o = &s->outcomes[i];
        if (!o->verified)
            continue;
        runs[count] = make_run(e, data, s->selected[i], o);
        outcomes[count++] = o;
    }
    for (int i = 0; i < e->library_count && count > 0; i++) {
        outcome *o = &s->libraries[i];
        if (o->note)
            continue;
        runs[count] = make_run(e, data, &e->libraries[i], o);
        outcomes[count++] = o;
    }
    return count;
}

static void time_contenders(const experiment *e, const copies *data)
{
    const struct variants_state *s = e->state;
    size_t most = (size_t)(s->count + e->library_count);
    timed_run *runs = host_alloc(most * sizeof(*runs));
    timing *times = host_alloc(most * sizeof(*times));
    outcome **outcomes = host_alloc(most * sizeof(*outcomes));
    int count = list_contenders(e, data, runs, outcomes);
    time_interleaved(runs, count, &s->run, times);
    for (int i = 0; i < count; i++) {
        outcomes[i]->time = times[i];
        free((void *)runs[i].contexts[0]); // the first of all contenders
        free(runs[i].contexts);
    }
    free(runs);
    free(times);
    free(outcomes);
}

void variants_time_all(experiment *e)
{
    if (e->state->device.simulator || e->state->run.repeats == 0)
        return;
    open_libraries(e);
    copies data = open_copies(e);
    time_contenders(e, &data);
    close_copies(&data);
    close_libraries(e);
    verify_again(e);
}
