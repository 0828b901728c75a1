/** @file variants.c @see variants.h */
#include "variants.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "parallel.h"
#include "progress.h"
#include "report.h"
#include "timer.h"
#include "verify.h"

#define BAND ((int64_t)1 << 22) /**< elements that are verified at a time */
#define LONG_S 10.0             /**< longer simulations say so first */
#define TEXT 256                /**< bytes of a line about the size */

/** A problem of one size, with the memory of its arrays. */
typedef struct {
    void *plain;   /**< as the chapter made it */
    void *problem; /**< as the current case has changed it */
    array *arrays;
    const char *name; /**< of the current case */
    char size[TEXT];  /**< of the small problem, for messages; or "" */
    bool exact;       /**< demands the current case equality? */
} instance;

/** What is not the chapter's business. */
struct variants_state {
    run_options run;
    device_info device;
    const variant **selected; /**< by --variant, or all */
    outcome *outcomes;        /**< of those */
    int count;                /**< entries in both */
    outcome *libraries;
    int findings_seen; /**< that belong to an outcome already */
    instance asked;    /**< the size asked for */
    char small[TEXT];  /**< the size that went before */
    char pitches[TEXT];
    int runs_planned; /**< in the simulator, at the size asked for */

    void *got;      /**< a band, or ARRAY_CHUNK bytes of an input */
    double *want;   /**< a band of the reference */
    double *bound;  /**< a band of its bound */
    double *d_want; /**< the same on a GPU, for want_gpu() */
    double *d_bound;
};

/* ---- the size in words --------------------------------------------------- */

/** Where the value of an option lies in @p problem. */
static const void *value_in(const experiment *e, const option_spec *option,
                            const void *problem)
{
    ptrdiff_t offset = (const char *)option->value - (const char *)e->problem;
    return (const char *)problem + offset;
}

/** The value of an option as text. */
static void print_value(FILE *out, option_type type, const void *value)
{
    if (type == OPTION_FLOAT)
        fprintf(out, "%.9g", *(const float *)value);
    else if (type == OPTION_INT64)
        fprintf(out, "%lld", *(const long long *)value);
    else
        fprintf(out, "%d", *(const int *)value);
}

/** "M=256 N=256 K=256", and the factors behind it if @p factors. */
static void size_text(const experiment *e, const void *problem, bool factors,
                      char *text)
{
    FILE *out = fmemopen(text, TEXT, "w");
    option_type last = OPTION_INT;
    for (int i = 0; out && i < e->size_count; i++) {
        const option_spec *o = &e->options[i];
        bool factor = o->type == OPTION_FLOAT;
        if (factor && !factors)
            continue;
        const char *comma = factor && last != OPTION_FLOAT ? "," : "";
        fprintf(out, "%s%s%s=", comma, i > 0 ? " " : "", o->name);
        print_value(out, o->type, value_in(e, o, problem));
        last = o->type;
    }
    if (out)
        fclose(out);
}

/** "row pitch 256 256 256", or "" if no array has two dimensions. */
static void pitch_text(const experiment *e, const array *arrays, char *text)
{
    int length = 0;
    *text = '\0';
    for (int i = 0; i < e->array_count && length < TEXT - 32; i++) {
        if (arrays[i].ld)
            length +=
                snprintf(text + length, TEXT - (size_t)length, "%s %lld",
                         length ? "" : "row pitch", (long long)arrays[i].ld);
    }
}

/** {"M":256,"N":256,"K":256,"lda":256,...} */
static void size_json(const experiment *e, const void *problem, char *text)
{
    FILE *out = fmemopen(text, TEXT, "w");
    if (!out)
        return;
    for (int i = 0; i < e->size_count; i++) {
        const option_spec *o = &e->options[i];
        fprintf(out, "%s\"%s\":", i > 0 ? "," : "{", o->name);
        print_value(out, o->type, value_in(e, o, problem));
    }
    for (int i = 0; i < e->array_count; i++) {
        const array *a = &e->arrays[i];
        if (!a->ld)
            continue;
        fputs(",\"ld", out);
        for (const char *c = a->name; *c; c++)
            fputc(tolower((unsigned char)*c), out);
        fprintf(out, "\":%lld", (long long)a->ld);
    }
    fputs("}", out);
    fclose(out);
}

/* ---- open ---------------------------------------------------------------- */

/** Copy @p bytes bytes; release with free(). */
static void *copy_of(const void *x, size_t bytes)
{
    return memcpy(host_alloc(bytes), x, bytes);
}

/** Zeroed host memory; release with free(). */
static void *zeros(size_t bytes)
{
    return memset(host_alloc(bytes), 0, bytes);
}

/** Set s->selected to the variant called @p name, or all if it is NULL. */
static void select_variants(experiment *e, const char *name)
{
    struct variants_state *s = e->state;
    char names[TEXT] = "";
    s->selected = host_alloc((size_t)e->variant_count * sizeof(*s->selected));
    for (int i = 0; i < e->variant_count; i++) {
        const variant *v = &e->variants[i];
        size_t length = strlen(names);
        snprintf(names + length, TEXT - length, " %s", v->name);
        if (!name || strcmp(name, v->name) == 0)
            s->selected[s->count++] = v;
    }
    REQUIRE(s->count > 0, "--variant %s: allowed are%s", name, names);
    s->outcomes = zeros((size_t)s->count * sizeof(outcome));
    s->libraries = zeros((size_t)e->library_count * sizeof(outcome) + 1);
    for (int i = 0; i < s->count; i++) {
        s->outcomes[i].name =
            e->variant_count > 1 ? s->selected[i]->name : NULL;
        s->outcomes[i].verified = true;
    }
}

/** Parse the command line: the chapter's options, then --variant. */
static void parse(experiment *e, int argc, char **argv)
{
    const char *name = NULL;
    int count = e->option_count;
    option_spec *specs = host_alloc(((size_t)count + 1) * sizeof(*specs));
    memcpy(specs, e->options, (size_t)count * sizeof(*specs));
    if (e->variant_count > 1)
        specs[count++] =
            (option_spec){"variant", OPTION_TEXT, &name, 0, 0, "one of them"};
    char *about = NULL;
    size_t length;
    FILE *out = open_memstream(&about, &length);
    fprintf(out, "%s", e->about);
    for (int i = 0; e->variant_count > 1 && i < e->variant_count; i++)
        fprintf(out, "%s  %-16s %s", i ? "\n" : "\n\nvariants:\n",
                e->variants[i].name, e->variants[i].idea);
    fclose(out);
    e->state->run = options_parse(argc, argv, about, specs, count);
    free(about);
    free(specs);
    select_variants(e, name);
}

/** Elements of the largest band, and bytes of the largest on the device. */
static void largest_band(const experiment *e, double *elements, double *bytes)
{
    *elements = *bytes = 0;
    for (int i = 0; i < e->array_count; i++) {
        const array *a = &e->arrays[i];
        band b = {0};
        if (!array_next_band(a, BAND, &b))
            continue;
        *elements = fmax(*elements, (double)b.rows * (double)b.cols);
        *bytes = fmax(*bytes, (double)array_span(a, &b) *
                                  (double)element_bytes(a->type));
    }
}

/** Refuse a problem that does not fit into memory, before any is taken. */
static void require_memory(const experiment *e)
{
    const struct variants_state *s = e->state;
    double host = 0, device = 0, elements, span;
    for (int i = 0; i < e->array_count; i++) {
        const array *a = &e->arrays[i];
        bool twice = a->role == ARRAY_IN_OUT && !s->device.simulator;
        host += array_on_host(a) ? array_bytes(a) : 0;
        device += array_bytes(a) * (twice ? 2 : 1);
    }
    largest_band(e, &elements, &span);
    double reference = elements * 2 * sizeof(double);
    host += reference + fmax(span, (double)ARRAY_CHUNK);
    // The timer takes twice the L2 for its flush and as much for copies of
    // the arrays, a library a workspace.
    if (!s->device.simulator)
        device += 4.0 * (double)s->device.l2_bytes + (double)(64 << 20);
    if (e->want_gpu)
        device += reference;
    memory_require(host, device, &s->device);
}

/** Take the memory of the arrays; the pointers of the problem lead there. */
static void open_instance(const experiment *e, instance *in)
{
    for (int i = 0; i < e->array_count; i++) {
        array_allocate(&in->arrays[i]);
        array_bind(&in->arrays[i], in->plain, in->arrays[i].device);
    }
    in->problem = copy_of(in->plain, e->problem_bytes);
}

static void close_instance(const experiment *e, instance *in)
{
    for (int i = 0; i < e->array_count; i++)
        array_free(&in->arrays[i]);
    free(in->problem);
}

/** Memory to work with, enough for every band of every array. */
static void open_bands(const experiment *e)
{
    struct variants_state *s = e->state;
    double elements, span;
    largest_band(e, &elements, &span);
    // The small problem has small bands, but not always smaller ones.
    elements = fmax(elements, (double)(1 << 16));
    size_t bytes = (size_t)elements * sizeof(double);
    s->got = host_alloc((size_t)fmax(span, (double)ARRAY_CHUNK));
    s->want = host_alloc(bytes);
    s->bound = host_alloc(bytes);
    if (e->want_gpu) {
        s->d_want = device_alloc(bytes);
        s->d_bound = device_alloc(bytes);
    }
}

void variants_open(experiment *e, int argc, char **argv)
{
    struct variants_state *s = e->state = zeros(sizeof(*s));
    e->size_count = e->size_count ? e->size_count : e->option_count;
    parse(e, argc, argv);
    e->shape(e->problem, e->arrays);
    s->device = device_open(s->run.device);
    require_memory(e);
    s->asked = (instance){.plain = e->problem, .arrays = e->arrays};
    pitch_text(e, e->arrays, s->pitches);
    open_bands(e);
    open_instance(e, &s->asked);
}

/* ---- long simulations ---------------------------------------------------- */

/** Of the run that goes on, for progress lines. */
static struct {
    const char *name; /**< of the case */
    int planned;      /**< runs at the size asked for */
    int begun;        /**< of those */
} now;

/** "75 s", "5 minutes", "7.3 hours"; @p text has room for 32. */
static const char *duration(double seconds, char *text)
{
    if (seconds < 100)
        snprintf(text, 32, "%.0f s", seconds);
    else if (seconds < 100 * 60)
        snprintf(text, 32, "%.0f minutes", seconds / 60);
    else
        snprintf(text, 32, "%.1f hours", seconds / 3600);
    return text;
}

/** Say once, during the first launch, how long all will take. */
static void on_progress(double elapsed, double fraction)
{
    static bool announced;
    char all[32], one[32];
    if (fraction <= 0 || now.begun == 0)
        return;
    double run_s = elapsed / fraction;
    if (now.begun == 1 && elapsed > 0.5 && !announced) {
        announced = true;
        if (run_s * now.planned > LONG_S) {
            progress_clear();
            printf("this takes about %s: %d launches of %s each in the "
                   "simulator\n",
                   duration(run_s * now.planned, all), now.planned,
                   duration(run_s, one));
            fflush(stdout);
        }
    }
    progress("%s: launch %d of %d, %.0f %%, about %s to go", now.name,
             now.begun, now.planned, 100 * fraction,
             duration(run_s * (1 - fraction + now.planned - now.begun), all));
}

/* ---- the reference ------------------------------------------------------- */

/** A band of the reference, as the threads that share it see it. */
typedef struct {
    const experiment *e;
    const void *problem;
    const array *a;
    const band *b;
} wanted;

/** Rows [begin, end) of the band, or its columns if it has one row. */
static void want_share(void *context, int64_t begin, int64_t end)
{
    const wanted *w = context;
    const struct variants_state *s = w->e->state;
    bool rows = w->b->rows > 1;
    int64_t at = rows ? begin * w->b->cols : begin;
    band part = *w->b;
    if (begin == end)
        return;
    if (rows) {
        part.row += begin;
        part.rows = end - begin;
    } else {
        part.col += begin;
        part.cols = end - begin;
    }
    w->e->want(w->problem, w->a, &part, s->want + at, s->bound + at);
}

/** The problem whose pointers lead to the inputs as they were before a run. */
static void *before_run(const experiment *e, const instance *in)
{
    void *problem = copy_of(in->problem, e->problem_bytes);
    for (int i = 0; i < e->array_count; i++) {
        const array *a = &in->arrays[i];
        const void *device = a->before ? a->before : a->device;
        array_bind(a, problem, e->want_gpu ? device : a->host);
    }
    return problem;
}

/** Reference and bound of a band, in s->want and s->bound. */
static void make_reference(const experiment *e, const void *problem,
                           const array *a, const band *b)
{
    struct variants_state *s = e->state;
    size_t bytes = (size_t)(b->rows * b->cols) * sizeof(double);
    if (e->want_gpu) {
        e->want_gpu(problem, a, b, s->d_want, s->d_bound);
        CUDA_CHECK(
            cudaMemcpy(s->want, s->d_want, bytes, cudaMemcpyDeviceToHost));
        CUDA_CHECK(
            cudaMemcpy(s->bound, s->d_bound, bytes, cudaMemcpyDeviceToHost));
        return;
    }
    memset(s->bound, 0, bytes);
    wanted w = {e, problem, a, b};
    parallel_for(b->rows > 1 ? b->rows : b->cols, want_share, &w);
}

/* ---- verify -------------------------------------------------------------- */

/** Compare every element of one output; print what is wrong. */
static verdict check_array(const experiment *e, const instance *in,
                           const void *problem, const array *a,
                           const void *memory)
{
    struct variants_state *s = e->state;
    verdict v = {0};
    for (band b = {0}; array_next_band(a, BAND, &b);) {
        progress("%s: comparing", in->name);
        make_reference(e, problem, a, &b);
        array_download(a, memory, &b, s->got);
        verify_elements(&v, a, &b, s->got, s->want,
                        in->exact ? NULL : s->bound);
        verify_padding(&v, a, &b, s->got);
    }
    progress_clear();
    return v;
}

/**
 * Compare every element of every output of a run with @p problem.
 * @return how many are wrong; @p elements of how many
 */
static long long check_outputs(const experiment *e, const instance *in,
                               const void *problem, outcome *o,
                               double *elements)
{
    long long wrong = 0;
    void *before = before_run(e, in);
    *elements = 0;
    for (int i = 0; i < e->array_count; i++) {
        const array *a = &in->arrays[i];
        if (a->role != ARRAY_OUT && a->role != ARRAY_IN_OUT)
            continue;
        verdict v = check_array(e, in, before, a, array_pointer(a, problem));
        o->error_of_bound = fmax(o->error_of_bound, v.error_of_bound);
        *elements += (double)a->rows * (double)a->cols;
        wrong += v.wrong;
    }
    free(before);
    return wrong;
}

/** The findings since the last call belong to this variant. */
static void take_findings(struct variants_state *s, outcome *o)
{
    int count = device_finding_count();
    int more = count - s->findings_seen;
    if (more <= 0)
        return;
    int *all = host_alloc((size_t)(o->finding_count + more) * sizeof(int));
    for (int i = 0; i < o->finding_count; i++)
        all[i] = o->findings[i];
    for (int i = 0; i < more; i++)
        all[o->finding_count++] = s->findings_seen++;
    free(o->findings);
    o->findings = all;
}

/** The outputs of a run that has ended, and all that it had to leave. */
static void check_result(const experiment *e, const instance *in,
                         const void *problem, const char *when, outcome *o)
{
    struct variants_state *s = e->state;
    double elements;
    long long wrong = check_outputs(e, in, problem, o, &elements);
    bool ok = wrong == 0;
    for (int i = 0; i < e->array_count; i++)
        ok &= array_check_surroundings(&in->arrays[i], s->got);
    take_findings(s, o);
    if (ok)
        return;
    o->verified = false;
    fprintf(stderr, "%s%s%s: wrong on %s%s%s", e->chapter, o->name ? " " : "",
            o->name ? o->name : "", in->name, when, in->size);
    if (wrong > 0)
        fprintf(stderr, ": %lld of %.0f elements", wrong, elements);
    fputc('\n', stderr);
    for (int i = 0; i < e->array_count; i++) // the next one begins anew
        array_repair(&in->arrays[i]);
}

/** Make outputs what a run must find, poison for most. */
static void prepare_run(const experiment *e, const instance *in)
{
    for (int i = 0; i < e->array_count; i++)
        array_prepare(&in->arrays[i],
                      array_pointer(&in->arrays[i], in->problem));
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    now.name = in->name;
    now.begun += in == &e->state->asked;
    progress("%s", in->name);
}

/** One run of a variant, from poisoned outputs to their check. */
static void run_variant(const experiment *e, const instance *in,
                        const variant *v, const char *when, outcome *o)
{
    prepare_run(e, in);
    v->enqueue(in->problem);
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    progress_clear();
    check_result(e, in, in->problem, when, o);
}

/**
 * The run that is counted, and nothing else with it: neither the poison before
 * nor the reference behind it. For a variant that is wrong the range is empty.
 */
static void count_variant(const experiment *e, const variant *v, outcome *o)
{
    const instance *in = &e->state->asked;
    bool right = o->verified;
    if (right)
        prepare_run(e, in);
    device_run_begin();
    if (right)
        v->enqueue(in->problem);
    device_run_end();
    progress_clear();
    if (right)
        check_result(e, in, in->problem, "", o);
    o->launch_count = device_launches(o->launches);
    o->counter_count = o->launch_count ? device_counters(o->counters) : 0;
}

/** Make the inputs of case @p number. */
static void begin_case(const experiment *e, instance *in, int number)
{
    uint64_t seed = (uint64_t)e->state->run.seed * 16 + (uint64_t)number;
    memcpy(in->problem, in->plain, e->problem_bytes);
    in->name = e->fill(in->problem, in->arrays, number, seed);
    in->exact = number < e->exact;
    for (int i = 0; i < e->array_count; i++)
        array_upload(&in->arrays[i]);
}

/** All cases of one size, all variants that are right so far. */
static void verify_instance(const experiment *e, instance *in)
{
    struct variants_state *s = e->state;
    for (int number = 0; number < e->cases; number++) {
        begin_case(e, in, number);
        for (int i = 0; i < s->count; i++) {
            outcome *o = &s->outcomes[i];
            if (in == &s->asked && number == 0)
                count_variant(e, s->selected[i], o);
            else if (o->verified)
                run_variant(e, in, s->selected[i], "", o);
        }
    }
}

/** The small problem: edges that a round size does not have. */
static void verify_small(experiment *e)
{
    struct variants_state *s = e->state;
    char pitches[TEXT];
    instance in = {.plain = copy_of(e->problem, e->problem_bytes)};
    e->small(in.plain);
    in.arrays = copy_of(e->arrays, (size_t)e->array_count * sizeof(array));
    e->shape(in.plain, in.arrays);
    size_text(e, in.plain, false, s->small);
    snprintf(in.size, TEXT, ", %.*s", TEXT - 8, s->small);
    pitch_text(e, in.arrays, pitches);
    if (*pitches) {
        size_t length = strlen(s->small);
        snprintf(s->small + length, TEXT - length, ", %s", pitches);
    }
    open_instance(e, &in);
    verify_instance(e, &in);
    close_instance(e, &in);
    free(in.arrays);
    free(in.plain);
}

void variants_verify(experiment *e)
{
    struct variants_state *s = e->state;
    now.planned = s->count * (e->cases + 1);
    device_on_progress(on_progress);
    verify_small(e);
    for (int i = 0; i < s->count; i++) { // the report is about the size asked
        if (s->outcomes[i].verified)
            s->outcomes[i].error_of_bound = 0;
    }
    verify_instance(e, &s->asked);
}

/* ---- time ---------------------------------------------------------------- */

#define LAST_RUN " in the last launch"

/** One more run of each variant that is right, and no times. */
static void run_untimed(const experiment *e)
{
    struct variants_state *s = e->state;
    for (int i = 0; i < s->count; i++) {
        if (s->outcomes[i].verified)
            run_variant(e, &s->asked, s->selected[i], LAST_RUN,
                        &s->outcomes[i]);
    }
}

#if SIMULATED

void variants_time(experiment *e)
{
    run_untimed(e);
}

#else

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
    check_result(c->e, &c->e->state->asked, c->problem, LAST_RUN, c->o);
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

/** How many copies of the arrays exceed the L2 twice; 1 if they do alone. */
static int count_copies(const experiment *e)
{
    const struct variants_state *s = e->state;
    size_t bytes = all_bytes(e);
    size_t copies = s->run.cold ? 2 * s->device.l2_bytes / bytes + 1 : 1;
    return copies < MAX_BATCH ? (int)copies : MAX_BATCH;
}

/** A copy of the problem whose arrays lie at @p memory, as they are now. */
static void *copy_problem(const experiment *e, char *memory)
{
    const instance *in = &e->state->asked;
    void *problem = copy_of(in->problem, e->problem_bytes);
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
                       .spoil = spoil,
                       .finish = finish,
                       .contexts = contexts,
                       .context_count = c->count,
                       .context_bytes = all_bytes(e)};
}

/** Ask the libraries whether they are there. */
static void open_libraries(const experiment *e)
{
    for (int i = 0; i < e->library_count; i++) {
        outcome *o = &e->state->libraries[i];
        o->name = e->libraries[i].name;
        o->note = e->libraries[i].open();
        o->verified = true;
    }
}

/** Release them; a library that is wrong is no baseline. */
static void close_libraries(const experiment *e)
{
    for (int i = 0; i < e->library_count; i++) {
        outcome *o = &e->state->libraries[i];
        if (!o->note)
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
    struct variants_state *s = e->state;
    if (e->exact == 0)
        return;
    begin_case(e, &s->asked, 0);
    for (int i = 0; i < s->count; i++) {
        if (s->outcomes[i].verified)
            run_variant(e, &s->asked, s->selected[i], " after the timed runs",
                        &s->outcomes[i]);
    }
}

void variants_time(experiment *e)
{
    struct variants_state *s = e->state;
    int most = s->count + e->library_count;
    int count = 0;
    if (s->run.repeats == 0) {
        run_untimed(e);
        return;
    }
    open_libraries(e);
    copies data = open_copies(e);
    timed_run *runs = host_alloc((size_t)most * sizeof(*runs));
    timing *times = host_alloc((size_t)most * sizeof(*times));
    outcome **outcomes = host_alloc((size_t)most * sizeof(*outcomes));
    for (int i = 0; i < s->count; i++) {
        if (s->outcomes[i].verified)
            outcomes[count++] = &s->outcomes[i];
    }
    int variants = count;
    for (int i = 0; i < e->library_count && variants > 0; i++) {
        if (!s->libraries[i].note)
            outcomes[count++] = &s->libraries[i];
    }
    for (int i = 0; i < count; i++) {
        const variant *v = i < variants
                               ? s->selected[outcomes[i] - s->outcomes]
                               : &e->libraries[outcomes[i] - s->libraries];
        runs[i] = make_run(e, &data, v, outcomes[i]);
    }
    time_interleaved(runs, count, &s->run, times);
    for (int i = 0; i < count; i++) {
        outcomes[i]->time = times[i];
        free((void *)runs[i].contexts[0]); // the first of all contenders
        free(runs[i].contexts);
    }
    free(runs);
    free(times);
    free(outcomes);
    close_copies(&data);
    close_libraries(e);
    verify_again(e);
}

#endif

/* ---- close --------------------------------------------------------------- */

/** What every element went through, one line. */
static void check_text(const experiment *e, char *text)
{
    const struct variants_state *s = e->state;
    char who[32] = "every element";
    double worst = 0;
    for (int i = 0; i < s->count; i++)
        worst = fmax(worst, s->outcomes[i].error_of_bound);
    if (s->count > 1)
        snprintf(who, sizeof(who), "all %d variants", s->count);
    if (e->exact == e->cases)
        snprintf(text, TEXT, "%s: equal", who);
    else
        snprintf(text, TEXT, "%s: %srandom data at %.3f of the bound", who,
                 e->exact ? "grid data equal, " : "", worst);
}

/** Bytes of one run: inputs read once, outputs written once. */
static double traffic(const experiment *e)
{
    double bytes = 0;
    for (int i = 0; i < e->array_count; i++) {
        const array *a = &e->arrays[i];
        double once =
            (double)a->rows * (double)a->cols * (double)element_bytes(a->type);
        bytes += a->role == ARRAY_SCRATCH  ? 0
                 : a->role == ARRAY_IN_OUT ? 2 * once
                                           : once;
    }
    return bytes;
}

/** Report and records. */
static void report_all(const experiment *e)
{
    static const char *const columns[] = {
        "global_load_sectors", "global_store_sectors", "shared_load_wavefronts",
        "barriers", NULL};
    const struct variants_state *s = e->state;
    char size[TEXT], json[TEXT], check[TEXT];
    size_text(e, e->problem, true, size);
    size_json(e, e->problem, json);
    check_text(e, check);
    report_data r = {
        .chapter = e->chapter,
        .size = size,
        .pitches = s->pitches,
        .size_json = json,
        .size_hint = e->size_hint,
        .small = s->small,
        .check = check,
        .flop = e->flop ? e->flop(s->asked.problem) : 0,
        .bytes = traffic(e),
        .columns = e->columns ? e->columns : columns,
        .variants = s->outcomes,
        .variant_count = s->count,
        .baselines = s->libraries,
        .baseline_count = s->device.simulator ? 0 : e->library_count,
    };
    report(&r, &s->device, &s->run);
}

int variants_close(experiment *e)
{
    struct variants_state *s = e->state;
    int status = device_finding_count() > 0 ? EXIT_FINDING : EXIT_VERIFIED;
    for (int i = 0; i < s->count; i++)
        status = s->outcomes[i].verified ? status : EXIT_WRONG;
    report_all(e);
    close_instance(e, &s->asked);
    device_free(s->d_want);
    device_free(s->d_bound);
    free(s->got);
    free(s->want);
    free(s->bound);
    for (int i = 0; i < s->count; i++)
        free(s->outcomes[i].findings);
    free(s->outcomes);
    free(s->libraries);
    free(s->selected);
    if (s->run.json)
        fclose(s->run.json);
    free(s);
    e->state = NULL;
    return status;
}
