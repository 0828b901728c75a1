/** @file variants_report.c @see variants_state.h */
#include "variants_state.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

/* ---- the size in words --------------------------------------------------- */

/** Where the value of an option lies in @p problem. */
static const void *value_in(const experiment *e, const option_spec *option,
                            const void *problem)
{
    ptrdiff_t offset = (const char *)option->value - (const char *)e->problem;
    return (const char *)problem + offset;
}

/** The value of an option as text; words between two @p quote. */
static void print_value(FILE *out, const option_spec *option, const void *value,
                        const char *quote)
{
    if (option->type == OPTION_FLOAT)
        fprintf(out, "%.9g", *(const float *)value);
    else if (option->type == OPTION_INT64)
        fprintf(out, "%lld", *(const long long *)value);
    else if (option->type == OPTION_CHOICE) {
        int length;
        const char *word = options_choice(option, *(const int *)value, &length);
        fprintf(out, "%s%.*s%s", quote, length, word, quote);
    } else
        fprintf(out, "%d", *(const int *)value);
}

void variants_size_text(const experiment *e, const void *problem, bool factors,
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
        print_value(out, o, value_in(e, o, problem), "");
        last = o->type;
    }
    if (out)
        fclose(out);
}

void variants_pitch_text(const experiment *e, const array *arrays, char *text)
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
        print_value(out, o, value_in(e, o, problem), "\"");
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
/* ---- the report ---------------------------------------------------------- */

/** What every element went through, one line. */
static void check_text(const experiment *e, char *text)
{
    const struct variants_state *s = e->state;
    char who[32] = "every element";
    double worst = 0;
    for (int i = 0; i < s->count; i++)
        worst = fmax(worst, s->outcomes[i].error_of_bound);
    if (s->count > 1)
        snprintf(who, sizeof(who), s->count < 10 ? "all %d variants" : "all %d",
                 s->count); // 80 columns
    if (e->exact == e->cases)
        snprintf(text, TEXT, "%s: equal", who);
    else
        snprintf(text, TEXT, "%s: %srandom data at %.3f of the bound", who,
                 e->exact ? "exact data equal, " : "", worst);
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

void variants_report(const experiment *e)
{
    static const char *const columns[] = {
        "global_load_sectors", "global_store_sectors", "shared_load_wavefronts",
        "barriers", NULL};
    const struct variants_state *s = e->state;
    bool asked_libraries = !s->device.simulator && s->run.repeats > 0;
    char size[TEXT], json[TEXT], check[TEXT];
    variants_size_text(e, e->problem, true, size);
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
        .tensor_cores = e->tensor_cores,
        .bytes = traffic(e),
        .columns = e->columns ? e->columns : columns,
        .variants = s->outcomes,
        .variant_count = s->count,
        .baselines = s->libraries,
        .baseline_count = asked_libraries ? e->library_count : 0,
    };
    report(&r, &s->device, &s->run);
}
