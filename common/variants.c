/** @file variants.c @see variants.h */
#include "variants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "variants_state.h"

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
            (option_spec){"variant", OPTION_TEXT, &name, 0, 0, "one of them"};
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

/** Elements of the largest band, and bytes of the largest on the device. */
static void largest_band(const experiment *e, const array *arrays,
                         double *elements, double *bytes)
{
    *elements = *bytes = 0;
    for (int i = 0; i < e->array_count; i++) {
        const array *a = &arrays[i];
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
    largest_band(e, e->arrays, &elements, &span);
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

/** Memory to verify in, enough for every band of every array. */
static void open_bands(const experiment *e, instance *in)
{
    double elements, span;
    largest_band(e, in->arrays, &elements, &span);
    size_t bytes = (size_t)elements * sizeof(double);
    in->got = host_alloc_pinned((size_t)fmax(span, (double)ARRAY_CHUNK));
    in->want = host_alloc_pinned(bytes);
    in->bound = host_alloc_pinned(bytes);
    if (e->want_gpu) {
        in->d_want = device_alloc(bytes);
        in->d_bound = device_alloc(bytes);
    }
}

void variants_open_instance(const experiment *e, instance *in)
{
    for (int i = 0; i < e->array_count; i++) {
        array_allocate(&in->arrays[i]);
        array_bind(&in->arrays[i], in->plain, in->arrays[i].device);
    }
    in->problem = host_copy(in->plain, e->problem_bytes);
    open_bands(e, in);
}

void variants_close_instance(const experiment *e, instance *in)
{
    for (int i = 0; i < e->array_count; i++)
        array_free(&in->arrays[i]);
    device_free(in->d_want);
    device_free(in->d_bound);
    host_free_pinned(in->got);
    host_free_pinned(in->want);
    host_free_pinned(in->bound);
    free(in->problem);
}

void variants_open(experiment *e, int argc, char **argv)
{
    struct variants_state *s = e->state = zeros(sizeof(*s));
    e->size_count = e->size_count ? e->size_count : e->option_count;
    parse(e, argc, argv);
    e->shape(e->problem, e->arrays);
    s->device = device_open(s->run.device);
    require_memory(e);
    leave_out(e);
    s->asked = (instance){.plain = e->problem, .arrays = e->arrays};
    variants_pitch_text(e, e->arrays, s->pitches);
    variants_open_instance(e, &s->asked);
}

/* ---- close --------------------------------------------------------------- */

int variants_close(experiment *e)
{
    struct variants_state *s = e->state;
    int status = device_finding_count() > 0 ? EXIT_FINDING : EXIT_VERIFIED;
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
