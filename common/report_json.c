/** @file report_json.c @see internal.h */
#include "internal.h"

#include <math.h>
#include <stdlib.h>

static void json_text(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

/** A number, counts to the last digit; null where JSON has none. */
static void json_number(FILE *out, double value)
{
    if (value == floor(value) && fabs(value) < 1e15)
        fprintf(out, "%.0f", value);
    else if (isfinite(value))
        fprintf(out, "%.9g", value);
    else
        fputs("null", out);
}

static void json_machine(FILE *out, const device_info *d,
                         const run_options *run)
{
    fprintf(out, ",\"backend\":\"%s\",\"device\":",
            d->simulator ? "simulator" : "gpu");
    json_text(out, d->simulator ? NULL : d->name);
    fputs(",\"driver\":", out);
    json_text(out, *d->driver ? d->driver : NULL);
    if (d->simulator)
        fputs(",\"toolkit\":null", out);
    else // 13010 is 13.1
        fprintf(out, ",\"toolkit\":\"%d.%d\"", d->toolkit / 1000,
                d->toolkit % 1000 / 10);
    if (d->simulator)
        fputs(",\"clocks_mhz\":null", out);
    else
        fprintf(out, ",\"clocks_mhz\":{\"sm\":%d,\"memory\":%d},\"sms\":%d",
                d->sm_mhz, d->memory_mhz, d->sm_count);
    fputs(",\"commit\":", out);
    // Set by make; asking here would rebuild at every commit.
    const char *commit = getenv("CHAPTERS_COMMIT");
    json_text(out, commit && *commit ? commit : NULL);
    fputs(",\"command\":", out);
    json_text(out, run->command);
}

static void json_rates(FILE *out, const report_data *r, const timing *t)
{
    fprintf(out,
            ",\"time_ms\":{\"min\":%.6g,\"median\":%.6g,\"max\":%.6g,"
            "\"repeats\":%d,\"batch\":%d,\"l2\":\"%s\"}",
            t->min_ms, t->median_ms, t->max_ms, t->repeats, t->batch,
            t->cold ? "cold" : "warm");
    fputs(",\"gflops\":", out);
    json_number(out, r->flop > 0 ? r->flop / t->median_ms * 1e-6 : NAN);
    fputs(",\"gbytes_per_s\":", out);
    json_number(out, r->bytes / t->median_ms * 1e-6);
}

static void json_times(FILE *out, const report_data *r, const outcome *o,
                       const device_info *d)
{
    if (!report_timed(o)) {
        fputs(",\"time_ms\":null,\"gflops\":null,\"gbytes_per_s\":null,"
              "\"baseline\":null,\"limit\":null",
              out);
        return;
    }
    double ms = o->time.median_ms;
    json_rates(out, r, &o->time);
    fputs(",\"baseline\":", out);
    const outcome *library = report_baseline(r, false);
    if (library) {
        fputs("{\"name\":", out);
        json_text(out, library->name);
        fprintf(out, ",\"time_ms\":%.6g,\"ratio\":%.6g}",
                library->time.median_ms, library->time.median_ms / ms);
    } else {
        fputs("null", out);
    }
    limit least = report_limit(r, d);
    if (least.ms > 0)
        fprintf(out, ",\"limit\":{\"name\":\"%s\",\"ratio\":%.6g}", least.name,
                least.ms / ms);
    else
        fputs(",\"limit\":null", out);
}

/** The fields of a launch, without braces. */
static void json_launch(FILE *out, const launch_info *l, const device_info *d)
{
    fprintf(out, "\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u]", l->grid[0],
            l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
    if (d->simulator)
        fprintf(out,
                ",\"registers\":null,\"shared_bytes\":%zu,"
                "\"blocks_per_sm\":null,\"occupancy\":null",
                l->shared);
    else
        fprintf(out,
                ",\"registers\":%d,\"shared_bytes\":%zu,"
                "\"blocks_per_sm\":%d,\"occupancy\":%.6g",
                l->registers, l->shared, l->blocks_per_sm, l->occupancy);
}

static void json_launches(FILE *out, const outcome *o, const device_info *d)
{
    fputs(",\"launch\":", out);
    if (o->launch_count > 0) {
        fputc('{', out);
        json_launch(out, &o->launches[0], d);
        fputc('}', out);
    } else {
        fputs("null", out);
    }
    fputs(",\"launches\":[", out);
    for (int i = 0; i < o->launch_count; i++) {
        const launch_info *l = &o->launches[i];
        fprintf(out, "%s{\"kernel\":", i > 0 ? "," : "");
        json_text(out, l->kernel);
        fprintf(out, ",\"times\":%d,", l->times);
        json_launch(out, l, d);
        fputc('}', out);
    }
    fputc(']', out);
}

void report_json(FILE *out, const report_data *r, int i, const device_info *d,
                 const run_options *run)
{
    const outcome *o = &r->variants[i];
    fputs("{\"schema\":2,\"chapter\":", out);
    json_text(out, r->chapter);
    fputs(",\"variant\":", out);
    json_text(out, o->name);
    json_machine(out, d, run);
    fprintf(out,
            ",\"size\":%s,\"verified\":%s,\"error_of_bound\":", r->size_json,
            o->verified ? "true" : "false");
    json_number(out, o->error_of_bound);
    json_times(out, r, o, d);
    json_launches(out, o, d);
    fputs(",\"counts\":{", out);
    for (int c = 0; c < o->counter_count; c++) {
        fprintf(out, "%s\"%s\":", c > 0 ? "," : "", o->counters[c].name);
        json_number(out, o->counters[c].value);
    }
    fputs("},\"findings\":[", out);
    for (int f = 0; f < o->finding_count; f++) {
        fputs(f > 0 ? "," : "", out);
        json_text(out, r->finding(o->findings[f]));
    }
    fputs("]}\n", out);
}
