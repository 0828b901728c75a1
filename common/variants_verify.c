/** @file variants_verify.c @see internal.h */
#include "internal.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_S 10.0 /**< longer simulations say so first */

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
    const instance *in;
    const void *before; /**< the problem, of before_run() */
    const array *a;
    const band *b;
} wanted;

/** Rows [begin, end) of the band, or its columns if it has one row. */
static void want_share(void *context, int64_t begin, int64_t end)
{
    const wanted *w = context;
    bool rows = w->b->rows > 1;
    int64_t at = rows ? begin * w->b->cols : begin;
    band part = *w->b;
    if (rows) {
        part.row += begin;
        part.rows = end - begin;
    } else {
        part.col += begin;
        part.cols = end - begin;
    }
    w->e->want(w->before, w->a, &part, w->in->want + at, w->in->bound + at);
}

/** The problem whose pointers lead to the inputs as they were before a run. */
static void *before_run(const experiment *e, const instance *in)
{
    void *problem = host_copy(in->problem, e->problem_bytes);
    for (int i = 0; i < e->array_count; i++) {
        const array *a = &in->arrays[i];
        const void *device = a->before ? a->before : a->device;
        array_bind(a, problem, e->want_gpu ? device : a->host);
    }
    return problem;
}

/** Reference and bound of a band, in in->want and in->bound. */
static void make_reference(const experiment *e, const instance *in,
                           const void *before, const array *a, const band *b)
{
    size_t bytes = (size_t)(b->rows * b->cols) * sizeof(double);
    if (e->want_gpu) {
        e->want_gpu(before, a, b, in->d_want, in->d_bound);
        CUDA_CHECK(
            cudaMemcpy(in->want, in->d_want, bytes, cudaMemcpyDeviceToHost));
        CUDA_CHECK(
            cudaMemcpy(in->bound, in->d_bound, bytes, cudaMemcpyDeviceToHost));
        return;
    }
    memset(in->bound, 0, bytes);
    wanted w = {e, in, before, a, b};
    parallel_for(b->rows > 1 ? b->rows : b->cols, want_share, &w);
}

/* ---- verify -------------------------------------------------------------- */

/** Compare every element of one output; print what is wrong. */
static verdict check_array(const experiment *e, const instance *in,
                           const variant *variant, const void *before,
                           const array *a, const void *memory)
{
    verdict v = {.planted = *in->planted};
    for (band b = {0}; array_next_band(a, BAND, &b);) {
        progress("%s: comparing", in->name);
        make_reference(e, in, before, a, &b);
        if (variant->undefined)
            variant->undefined(before, a, &b, in->bound);
        array_download(a, memory, &b, in->got);
        verify_elements(&v, a, &b, in->got, in->want,
                        in->exact ? NULL : in->bound);
        verify_padding(&v, a, &b, in->got);
    }
    progress_clear();
    return v;
}

/**
 * Compare every element of every output of a run with @p problem.
 * @return how many are wrong, of all; @p elements of how many
 */
static verdict check_outputs(const experiment *e, const instance *in,
                             const variant *variant, const void *problem,
                             outcome *o, double *elements)
{
    verdict all = {0};
    void *before = before_run(e, in);
    *elements = 0;
    for (int i = 0; i < e->array_count; i++) {
        const array *a = &in->arrays[i];
        if (a->role != ARRAY_OUT && a->role != ARRAY_IN_OUT)
            continue;
        verdict v =
            check_array(e, in, variant, before, a, array_pointer(a, problem));
        o->error_of_bound = fmax(o->error_of_bound, v.error_of_bound);
        *elements += (double)a->rows * (double)a->cols;
        all.wrong += v.wrong;
        all.beside += v.beside;
    }
    free(before);
    return all;
}

/** The findings since the last call belong to this variant. */
static void take_findings(struct variants_state *s, outcome *o)
{
    int count = s->runner->finding_count();
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

void variants_check_run(const experiment *e, const instance *in,
                        const variant *v, const void *problem, const char *when,
                        outcome *o)
{
    double elements;
    verdict all = check_outputs(e, in, v, problem, o, &elements);
    bool ok = all.wrong + all.beside == 0;
    for (int i = 0; i < e->array_count; i++)
        ok &= array_check_surroundings(&in->arrays[i], in->got);
    take_findings(e->state, o);
    if (ok)
        return;
    o->verified = false;
    fprintf(stderr, "%s%s%s: wrong on %s%s%s%s", e->chapter, o->name ? " " : "",
            o->name ? o->name : "", in->name, in->planted, when, in->size);
    if (all.wrong > 0)
        fprintf(stderr, ": %lld of %.0f elements", all.wrong, elements);
    if (all.beside > 0)
        fprintf(stderr, "%s%lld words behind the rows",
                all.wrong > 0 ? ", and " : ": ", all.beside);
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

/**
 * One run of a variant, from poisoned outputs to their check.
 *
 * @param counted  o for the run that is counted, which has nothing else in its
 *                 range: neither the poison before nor the reference behind it
 */
static void run_variant(const experiment *e, const instance *in,
                        const variant *v, const char *when, outcome *o,
                        outcome *counted)
{
    prepare_run(e, in);
    e->state->runner->run(e, in, v, counted);
    progress_clear();
    variants_check_run(e, in, v, in->problem, when, o);
}

/** The run that is counted; for a variant that is wrong the range is empty. */
static void count_variant(const experiment *e, const variant *v, outcome *o)
{
    if (o->verified) {
        run_variant(e, &e->state->asked, v, "", o, o);
        return;
    }
    device_run_begin();
    device_run_end();
}

void variants_begin_case(const experiment *e, instance *in, int number)
{
    uint64_t seed = (uint64_t)e->state->run.seed * 16 + (uint64_t)number;
    memcpy(in->problem, in->plain, e->problem_bytes);
    in->name = e->fill(in->problem, in->arrays, number, seed);
    in->planted = in->round ? e->plant(in->problem, in->arrays, in->round) : "";
    if (e->expect)
        e->expect(in->problem, in->arrays);
    in->exact = number < e->exact;
    for (int i = 0; i < e->array_count; i++)
        array_upload(&in->arrays[i]);
}

void variants_run_right(const experiment *e, const instance *in,
                        const char *when)
{
    struct variants_state *s = e->state;
    for (int i = 0; i < s->count; i++) {
        if (s->outcomes[i].verified)
            run_variant(e, in, s->selected[i], when, &s->outcomes[i], NULL);
    }
}

/** All cases of the size asked for; the first run is counted. */
static void verify_asked(const experiment *e)
{
    struct variants_state *s = e->state;
    for (int number = 0; number < e->cases; number++) {
        variants_begin_case(e, &s->asked, number);
        for (int i = 0; i < s->count && number == 0; i++)
            count_variant(e, s->selected[i], &s->outcomes[i]);
        if (number > 0)
            variants_run_right(e, &s->asked, "");
    }
}

/**
 * All cases of the small problem, exact ones with what is planted.
 * @param in  two of them, in turn: no launch may keep where an array lay
 */
static void verify_cases(const experiment *e, instance *in)
{
    int runs = 0;
    for (int number = 0; number < e->cases; number++) {
        int rounds = number < e->exact ? e->plantings : 0;
        bool last = number == e->exact - 1; // an earlier one is seen without
        for (int round = rounds && last; round <= rounds; round++, runs++) {
            instance *one = &in[runs % 2];
            one->round = round;
            variants_begin_case(e, one, number);
            variants_run_right(e, one, "");
        }
    }
}

/** Its size in words: for a moment it is where the options' variables are. */
static void small_text(const experiment *e, const instance *in, char *text)
{
    void *asked = host_copy(e->problem, e->problem_bytes);
    memcpy(e->problem, in->plain, e->problem_bytes);
    variants_size_text(e, false, text);
    memcpy(e->problem, asked, e->problem_bytes);
    free(asked);
}

/** Two problems that @p make makes, at different places. */
static void open_two(const experiment *e, void (*make)(void *), instance *in)
{
    char text[TEXT];
    for (int i = 0; i < 2; i++) {
        in[i] = variants_small(e, make);
        small_text(e, &in[i], text);
        snprintf(in[i].size, TEXT, ", %.*s", TEXT - 8, text);
        variants_open_instance(e, &in[i]);
    }
}

static void close_two(const experiment *e, instance *in)
{
    for (int i = 0; i < 2; i++) {
        variants_close_instance(e, &in[i]);
        free(in[i].arrays);
        free(in[i].plain);
    }
}

/** The small problem: edges that a round size does not have. */
static void verify_small(experiment *e)
{
    struct variants_state *s = e->state;
    char pitches[TEXT];
    instance in[2];
    open_two(e, e->small, in);
    small_text(e, in, s->small);
    variants_pitch_text(e, in->arrays, pitches);
    if (*pitches) {
        size_t length = strlen(s->small);
        snprintf(s->small + length, TEXT - length, ", %s", pitches);
    }
    verify_cases(e, in);
    close_two(e, in);
}

/** What a thread is to enqueue. */
typedef struct {
    const variant *v;
    const void *problem;
} work;

static void *enqueue(void *context)
{
    const work *w = context;
    w->v->enqueue(w->problem);
    return NULL;
}

/** Two threads of the host, each in its own stream, run a variant: neither
 *  waits for the other's work. */
static void run_beside(const experiment *e, instance *in, const variant *v,
                       outcome *o)
{
    pthread_t other;
    work twice[2];
    for (int i = 0; i < 2; i++) {
        variants_begin_case(e, &in[i], i);
        prepare_run(e, &in[i]);
        twice[i] = (work){v, in[i].problem};
    }
    REQUIRE(!pthread_create(&other, NULL, enqueue, &twice[1]),
            "no second thread of the host");
    pthread_join(other, NULL); // its kernel may run on
    enqueue(&twice[0]);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 2; i++)
        variants_check_run(e, &in[i], v, in[i].problem,
                           " in one of two threads", o);
}

/** What a launch leaves behind is nothing to another one. */
static void verify_beside(const experiment *e)
{
    struct variants_state *s = e->state;
    instance in[2];
    open_two(e, e->beside, in);
    for (int i = 0; i < s->count; i++) {
        if (s->outcomes[i].verified)
            run_beside(e, in, s->selected[i], &s->outcomes[i]);
    }
    for (int i = 1; e->exact && i <= e->again; i++) {
        in->round = e->plantings + i;
        variants_begin_case(e, in, e->exact - 1);
        variants_run_right(e, in, "");
    }
    close_two(e, in);
}

void variants_verify_all(experiment *e)
{
    struct variants_state *s = e->state;
    now.planned = s->count * e->cases;
    device_on_progress(on_progress);
    if (s->run.small)
        verify_small(e);
    if (s->run.small && e->beside)
        verify_beside(e);
    for (int i = 0; i < s->count; i++) { // the report is about the size asked
        if (s->outcomes[i].verified)
            s->outcomes[i].error_of_bound = 0;
    }
    verify_asked(e);
}
