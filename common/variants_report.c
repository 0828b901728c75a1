/** @file variants_report.c @see internal.h */
#include "internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the size in words --------------------------------------------------- */

void variants_size_text(const experiment *e, bool factors, char *text)
{
    FILE *out = fmemopen(text, TEXT, "w");
    bool after_factor = false;
    char value[32];
    for (int i = 0; out && i < e->size_count; i++) {
        const option_spec *o = &e->options[i];
        bool factor = o->to.real;
        if (factor && !factors)
            continue;
        fprintf(out, "%s%s%s=%s", factor && !after_factor ? "," : "",
                i > 0 ? " " : "", o->name, options_text(o, value));
        after_factor = factor;
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
static void size_json(const experiment *e, char *text)
{
    FILE *out = fmemopen(text, TEXT, "w");
    char value[32];
    if (!out)
        return;
    for (int i = 0; i < e->size_count; i++) {
        const option_spec *o = &e->options[i];
        const char *quote = o->to.choice ? "\"" : "";
        fprintf(out, "%s\"%s\":%s%s%s", i > 0 ? "," : "{", o->name, quote,
                options_text(o, value), quote);
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

/** Append the records. One write, so that programs that append to one file at
 * the same time do not mix their lines. */
static bool append_records(const report_data *r, const struct variants_state *s)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return false;
    for (int i = 0; i < r->variant_count; i++)
        report_json(memory, r, i, &s->device, &s->run);
    bool written = fclose(memory) == 0;
    setvbuf(s->run.json, NULL, _IONBF, 0);
    written = written && fwrite(text, 1, length, s->run.json) == length;
    free(text);
    return written;
}

void variants_report(const experiment *e)
{
    static const char *const columns[] = {
        "global_load_sectors", "global_store_sectors", "shared_load_wavefronts",
        "barriers", NULL};
    const struct variants_state *s = e->state;
    bool asked_libraries = !s->device.simulator && s->run.repeats > 0;
    char size[TEXT], json[TEXT], check[TEXT];
    variants_size_text(e, true, size);
    size_json(e, json);
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
        .finding_count = s->runner->finding_count(),
        .finding = s->runner->finding,
    };
    report_text(stdout, &r, &s->device);
    bool written = !s->run.json || append_records(&r, s);
    options_flush();
    REQUIRE(written, "--json: the record could not be written");
}
