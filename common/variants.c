/** @file variants.c @see variants.h */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- open ---------------------------------------------------------------- */

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

/** The first lines of --help, the variants among them; release with free(). */
static char *about_text(const experiment *e)
{
    char *about = NULL;
    size_t length;
    FILE *out = open_memstream(&about, &length);
    REQUIRE(out, "no memory for the text of --help");
    fprintf(out, "%s", e->about);
    for (int i = 0; e->variant_count > 1 && i < e->variant_count; i++)
        fprintf(out, "%s  %-16s %s", i ? "\n" : "\n\nvariants:\n",
                e->variants[i].name, e->variants[i].idea);
    fclose(out);
    return about;
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
            (option_spec){"variant", OPTION_TEXT(&name), 0, 0, "one of them"};
    char *about = about_text(e);
    e->state->run = options_parse(argc, argv, about, specs, count);
    free(about);
    free(specs);
    select_variants(e, name);
}

/** Leave out the variants that cannot run, and say so. */
static void leave_out(experiment *e)
{
    struct variants_state *s = e->state;
    bool alone = s->count == 1;
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        const variant *v = s->selected[i];
        const char *why = v->refuse ? v->refuse(e->problem) : NULL;
        REQUIRE(!why || !alone, "%s %s: %s", e->chapter, v->name, why);
        if (!why && v->open)
            why = v->open();
        if (why && alone) {
            fprintf(stderr, "%s %s: %s\n", e->chapter, v->name, why);
            exit(EXIT_UNSUPPORTED);
        }
        if (why)
            printf("%s is left out: %s\n", v->name, why);
        else {
            s->outcomes[kept] = s->outcomes[i];
            s->selected[kept++] = v;
        }
    }
    s->count = kept;
}

static void open_own(experiment *e, int argc, char **argv)
{
    struct variants_state *s = e->state = zeros(sizeof(*s));
    s->runner = variants_runner;
    e->size_count = e->size_count ? e->size_count : e->option_count;
    parse(e, argc, argv);
    e->shape(e->problem, e->arrays);
    s->device = device_open(s->run.device);
    device_need(&s->device, e->least_capability, e->most_capability);
    variants_require_memory(e);
    leave_out(e);
    s->asked = (instance){.plain = e->problem, .arrays = e->arrays};
    variants_pitch_text(e, e->arrays, s->pitches);
    variants_open_instance(e, &s->asked);
}

/* ---- run ----------------------------------------------------------------- */

static void run_own(const experiment *e, const instance *in, const variant *v,
                    outcome *counted)
{
    (void)e;
    if (counted)
        device_run_begin();
    v->enqueue(in->problem);
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    if (!counted)
        return;
    device_run_end();
    counted->launch_count = device_launches(counted->launches);
    counted->counter_count = // none of what CHECK_LAUNCH has not seen
        counted->launch_count ? device_counters(counted->counters) : 0;
}

/* ---- close --------------------------------------------------------------- */

static int close_own(experiment *e)
{
    struct variants_state *s = e->state;
    int found = s->runner->finding_count();
    int status = found > 0 ? EXIT_FINDING : EXIT_VERIFIED;
    for (int i = 0; i < s->count; i++)
        status = s->outcomes[i].verified ? status : EXIT_WRONG;
    variants_report(e);
    variants_close_instance(e, &s->asked);
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

/* ---- the four calls of a main -------------------------------------------- */

static const runner own = {
    .open = open_own,
    .verify = variants_verify_all,
    .time = variants_time_all,
    .close = close_own,
    .run = run_own,
    .finding_count = device_finding_count,
    .finding = device_finding,
};

const runner *variants_runner = &own;

void variants_open(experiment *e, int argc, char **argv)
{
    variants_runner->open(e, argc, argv);
}

void variants_verify(experiment *e)
{
    variants_runner->verify(e);
}

void variants_time(experiment *e)
{
    variants_runner->time(e);
}

int variants_close(experiment *e)
{
    return variants_runner->close(e);
}

int variants_main(experiment *e, int argc, char **argv)
{
    variants_open(e, argc, argv);
    variants_verify(e);
    variants_time(e);
    return variants_close(e);
}
