/** @file report.c @see report.h */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- limits of the hardware ---------------------------------------------- */

/** The two lower bounds of the time of a run; 0 where unknown. */
typedef struct {
    double compute_ms; /**< FLOP / peak */
    double memory_ms;  /**< bytes / bandwidth */
} bounds;

static bounds lower_bounds(const report_data *r, const device_info *d)
{
    bounds b = {0};
    if (d->peak_gflops > 0)
        b.compute_ms = r->flop / d->peak_gflops * 1e-6;
    if (d->peak_gbs > 0)
        b.memory_ms = r->bytes / d->peak_gbs * 1e-6;
    return b;
}

/** The one that binds. */
static double limit_ms(const report_data *r, const device_info *d)
{
    bounds b = lower_bounds(r, d);
    return fmax(b.compute_ms, b.memory_ms);
}

static bool timed(const outcome *o)
{
    return o->verified && o->time.repeats > 0;
}

/** The library that ratios are made with: the first one with a time. */
static const outcome *baseline(const report_data *r)
{
    for (int i = 0; i < r->baseline_count; i++) {
        if (timed(&r->baselines[i]))
            return &r->baselines[i];
    }
    return NULL;
}

/** Plain mode: a simulator that counts nothing, and finds no race. */
static bool plain_mode(const report_data *r, const device_info *d)
{
    int counters = 0;
    for (int i = 0; i < r->variant_count; i++)
        counters += r->variants[i].counter_count;
    return d->simulator && counters == 0;
}

/* ---- words and numbers --------------------------------------------------- */

/** "1048576" as "1,048,576", "16.5" as "16.500"; @p text has room for 32. */
static const char *show_count(double value, char *text)
{
    char digits[32];
    int to = 0;
    if (value != floor(value)) {
        snprintf(text, 32, "%.3f", value);
        return text;
    }
    int length = snprintf(digits, sizeof(digits), "%.0f", value);
    for (int i = 0; i < length && to < 30; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[to++] = ',';
        text[to++] = digits[i];
    }
    text[to] = '\0';
    return text;
}

/** "8 x 8", and "x 1" only as the second; @p text has room for 40. */
static const char *show_shape(const unsigned *n, char *text)
{
    int length = snprintf(text, 40, "%u x %u", n[0], n[1]);
    if (n[2] > 1)
        snprintf(text + length, 40 - (size_t)length, " x %u", n[2]);
    return text;
}

/** Digits that suit a time: 0.00613 ms, 2.69 ms, 2200 ms. */
static int decimals(double ms)
{
    return ms < 0.01 ? 5 : ms < 1 ? 4 : ms < 100 ? 3 : 1;
}

/** "6.212 TFLOP/s", "82.50 GFLOP/s", or "3290.1 GB/s" if nothing is computed.
 */
static const char *show_rate(const report_data *r, double ms, char *text)
{
    double tflops = r->flop / ms * 1e-9;
    if (tflops >= 0.1)
        snprintf(text, 32, "%#.4g TFLOP/s", tflops);
    else if (r->flop > 0)
        snprintf(text, 32, "%#.4g GFLOP/s", tflops * 1e3);
    else
        snprintf(text, 32, "%.1f GB/s", r->bytes / ms * 1e-6);
    return text;
}

/** Start or end of a colour, empty unless a terminal wants it. */
static const char *colour(FILE *out, const char *code)
{
    const char *none = getenv("NO_COLOR");
    bool plain = (none && *none) || !isatty(fileno(out));
    return plain ? "" : code;
}

/* ---- what both kinds of report begin with -------------------------------- */

static int count_verified(const report_data *r)
{
    int count = 0;
    for (int i = 0; i < r->variant_count; i++)
        count += r->variants[i].verified;
    return count;
}

static void print_title(FILE *out, const report_data *r, const device_info *d)
{
    const outcome *o = &r->variants[0];
    fprintf(out, "%s%s", colour(out, "\033[1m"), r->chapter);
    if (r->variant_count == 1 && o->name)
        fprintf(out, " %s", o->name);
    fprintf(out, "%s ", colour(out, "\033[0m"));
    if (d->simulator)
        fprintf(out, "in the simulator: counts, no times\n");
    else
        fprintf(out, "on %s, %d SMs, sm_%d\n", d->name, d->sm_count,
                d->compute_capability);
}

#define WIDTH 80 /**< columns of a report */
#define INDENT 13

static void print_size(FILE *out, const report_data *r)
{
    bool fits = INDENT + strlen(r->size) + 2 + strlen(r->pitches) <= WIDTH;
    fprintf(out, "  size       %s", r->size);
    if (*r->pitches)
        fprintf(out, ",%s%s", fits ? " " : "\n             ", r->pitches);
    fputc('\n', out);
}

static void print_verdict(FILE *out, const report_data *r, const device_info *d)
{
    const char *end = colour(out, "\033[0m");
    int wrong = r->variant_count - count_verified(r);
    if (wrong > 0) {
        fprintf(out, "  %sWRONG      ", colour(out, "\033[31m"));
        if (r->variant_count > 1)
            fprintf(out, "%d of %d variants; ", wrong, r->variant_count);
        fprintf(out, "the first wrong elements are on stderr%s\n", end);
        return;
    }
    fprintf(out, "  verified   %s%s%s\n", colour(out, "\033[32m"), r->check,
            end);
    fprintf(out, "             and before that with %s\n", r->small);
    if (plain_mode(r, d))
        fprintf(out, "             not looked for: races and stray accesses "
                     "(make setup adds them)\n");
}

static void print_findings(FILE *out)
{
    if (device_finding_count() > 0)
        fprintf(out, "  FINDINGS   %d, listed at the end on stderr\n",
                device_finding_count());
}

static void print_limits(FILE *out, const report_data *r, const device_info *d,
                         double ms)
{
    bounds b = lower_bounds(r, d);
    char reached[2][32] = {"", ""};
    if (ms > 0) {
        snprintf(reached[0], 32, "; reached %.2g", b.compute_ms / ms);
        snprintf(reached[1], 32, "; reached %.2g", b.memory_ms / ms);
    }
    if (r->flop > 0 && b.compute_ms > 0)
        fprintf(out,
                "  limits     %.4f ms = %.4g GFLOP / %.1f TFLOP/s (float32)"
                "%s\n",
                b.compute_ms, r->flop * 1e-9, d->peak_gflops * 1e-3,
                reached[0]);
    if (b.memory_ms > 0)
        fprintf(out, "  %-10s %.4f ms = %.4g GB / %.2f TB/s (DRAM)%s\n",
                r->flop > 0 ? "" : "limits", b.memory_ms, r->bytes * 1e-9,
                d->peak_gbs * 1e-3, reached[1]);
}

/* ---- the block of a single kernel ---------------------------------------- */

static void print_launch(FILE *out, const outcome *o, const launch_info *l,
                         const device_info *d)
{
    char grid[40], block[40];
    fprintf(out, "  launch     ");
    if (o->launch_count > 1)
        fprintf(out, "%d of %s:\n             ", l->times, l->kernel);
    fprintf(out, "grid %s, block %s, %zu bytes of shared memory\n",
            show_shape(l->grid, grid), show_shape(l->block, block), l->shared);
    if (!d->simulator)
        fprintf(out,
                "             %d registers; %d blocks on an SM, "
                "occupancy %.0f %%\n",
                l->registers, l->blocks_per_sm, 100 * l->occupancy);
}

static void print_time(FILE *out, const char *name, const timing *t)
{
    int d = decimals(t->median_ms);
    fprintf(out, "  %-10s %.*f ms (%.*f - %.*f)", name, d, t->median_ms, d,
            t->min_ms, d, t->max_ms);
}

static void print_samples(FILE *out, const timing *t)
{
    fprintf(out, "%d samples", t->repeats);
    if (t->batch > 1)
        fprintf(out, " of %d launches", t->batch);
    fprintf(out, ", L2 %s\n", t->cold ? "cold" : "warm");
}

static void print_gpu(FILE *out, const report_data *r, const outcome *o,
                      const device_info *d)
{
    char rate[32];
    const timing *t = &o->time;
    print_time(out, "time", t);
    fprintf(out, ", ");
    print_samples(out, t);
    fprintf(out, "  rate       %s\n", show_rate(r, t->median_ms, rate));
    for (int i = 0; i < r->baseline_count; i++) {
        const outcome *b = &r->baselines[i];
        if (timed(b)) {
            print_time(out, b->name, &b->time);
            fprintf(out, "; this kernel runs at %.3g of its speed\n",
                    b->time.median_ms / t->median_ms);
        } else {
            fprintf(out, "  %-10s not timed: %s\n", b->name,
                    b->note ? b->note : "");
        }
    }
    print_limits(out, r, d, t->median_ms);
}

/** Counters that are not 0, under the names of the counts files. */
static void print_counters(FILE *out, const outcome *o)
{
    const char *label = "counts";
    for (int i = 0; i < o->counter_count; i++) {
        const counter *c = &o->counters[i];
        char text[32];
        // 0 is worth a line for barriers alone: the lessons ask for it.
        if (c->value == 0 && strcmp(c->name, "barriers") != 0)
            continue;
        fprintf(out, "  %-10s %-36s %16s\n", label, c->name,
                show_count(c->value, text));
        label = "";
    }
    if (o->counter_count == 0)
        fprintf(out,
                "  counts     none in plain mode; clang adds them, and the "
                "search for races\n"
                "             (make setup installs clang)\n");
}

static void print_block(FILE *out, const report_data *r, const device_info *d)
{
    const outcome *o = &r->variants[0];
    if (!o->verified)
        return;
    for (int i = 0; i < o->launch_count; i++)
        print_launch(out, o, &o->launches[i], d);
    if (timed(o))
        print_gpu(out, r, o, d);
    if (d->simulator)
        print_counters(out, o);
}

/* ---- the table of several variants --------------------------------------- */

#define COLUMNS 4 /**< counters in a table */
#define CELL 15   /**< columns of the terminal for each */

/** The value of a counter, or NaN. */
static double find_counter(const outcome *o, const char *name)
{
    for (int i = 0; i < o->counter_count; i++) {
        if (strcmp(o->counters[i].name, name) == 0)
            return o->counters[i].value;
    }
    return NAN;
}

/**
 * Line @p line of a counter's name, broken at its underscores into lines of
 * CELL - 1 letters at most; "" behind the last one.
 */
static const char *heading(const char *name, int line, char *text)
{
    const char *word = name;
    for (int at = 0; *word; at++) {
        size_t used = 0;
        while (*word) {
            size_t length = strcspn(word, "_");
            if (used > 0 && used + 1 + length > CELL - 1)
                break;
            if (used > 0)
                text[used++] = ' ';
            length = used + length < 31 ? length : 31 - used;
            memcpy(text + used, word, length);
            used += length;
            word += strcspn(word, "_");
            word += *word == '_';
        }
        text[used] = '\0';
        if (at == line)
            return text;
    }
    return "";
}

/** The names of the counters over their columns. */
static void print_headings(FILE *out, const report_data *r)
{
    char text[32];
    for (int line = 0; line < 3; line++) {
        int filled = 0; // columns up to the last one with words in this line
        for (int i = 0; i < COLUMNS && r->columns[i]; i++)
            filled = *heading(r->columns[i], line, text) ? i + 1 : filled;
        if (filled == 0)
            return;
        fprintf(out, "  %-18s", line == 0 ? "variant" : "");
        for (int i = 0; i < filled; i++)
            fprintf(out, "%*s", CELL, heading(r->columns[i], line, text));
        fputc('\n', out);
    }
}

static void print_counts_table(FILE *out, const report_data *r)
{
    print_headings(out, r);
    for (int i = 0; i < r->variant_count; i++) {
        const outcome *o = &r->variants[i];
        fprintf(out, "  %-18s", o->name);
        for (int c = 0; c < COLUMNS && r->columns[c] && o->verified; c++) {
            char text[32] = "-";
            double value = find_counter(o, r->columns[c]);
            fprintf(out, "%*s", CELL,
                    isnan(value) ? text : show_count(value, text));
        }
        fprintf(out, o->verified ? "\n" : "%*s\n", CELL, "WRONG");
    }
}

/**
 * One row of the table of times: time, rate, step, share of the library's
 * speed and of the limit's. @p before is the variant above, or NULL.
 */
static void print_row(FILE *out, const report_data *r, const device_info *d,
                      const outcome *o, const outcome *before)
{
    char rate[32], step[32] = "", share[32] = "";
    fprintf(out, "  %-18s", o->name);
    if (!timed(o)) {
        fprintf(out, "%s%s\n", o->verified ? "not timed: " : "WRONG",
                o->verified && o->note ? o->note : "");
        return;
    }
    double ms = o->time.median_ms;
    const outcome *library = baseline(r);
    if (before && timed(before))
        snprintf(step, sizeof(step), "%.2fx", before->time.median_ms / ms);
    if (library)
        snprintf(share, sizeof(share), "%.3g", library->time.median_ms / ms);
    fprintf(out, "%11.*f%18s%8s%11s", decimals(ms), ms, show_rate(r, ms, rate),
            step, share);
    if (limit_ms(r, d) > 0)
        fprintf(out, "%12.2g", limit_ms(r, d) / ms);
    fputc('\n', out);
}

static void print_times_table(FILE *out, const report_data *r,
                              const device_info *d)
{
    char of[32] = "";
    const outcome *library = baseline(r);
    if (library)
        snprintf(of, sizeof(of), "of %.7s", library->name);
    fprintf(out, "  %-18s%11s%18s%8s%11s%12s\n", "variant", "time (ms)", "rate",
            "step", of, "of limit");
    for (int i = 0; i < r->variant_count; i++)
        print_row(out, r, d, &r->variants[i], i > 0 ? &r->variants[i - 1] : 0);
    for (int i = 0; i < r->baseline_count; i++)
        print_row(out, r, d, &r->baselines[i], NULL);
    for (int i = 0; i < r->variant_count; i++) {
        if (timed(&r->variants[i])) {
            fprintf(out, "  samples    %s: ", r->variants[i].name);
            print_samples(out, &r->variants[i].time);
            break;
        }
    }
    print_limits(out, r, d, 0);
}

/** The different kernels of each variant, one line each. */
static void print_kernels(FILE *out, const report_data *r, const device_info *d)
{
    fprintf(out, "  %-27s%6s%14s%12s%8s%s\n", "kernel", "times", "grid",
            "block", "shared", d->simulator ? "" : " registers");
    for (int i = 0; i < r->variant_count; i++) {
        const outcome *o = &r->variants[i];
        for (int j = 0; o->verified && j < o->launch_count; j++) {
            const launch_info *l = &o->launches[j];
            char grid[40], block[40];
            fprintf(out, "  %-27.27s%6d%14s%12s%8zu", l->kernel, l->times,
                    show_shape(l->grid, grid), show_shape(l->block, block),
                    l->shared);
            if (!d->simulator)
                fprintf(out, "%5d%4.0f %%", l->registers, 100 * l->occupancy);
            fputc('\n', out);
        }
    }
}

static void print_table(FILE *out, const report_data *r, const device_info *d)
{
    if (!d->simulator)
        print_times_table(out, r, d);
    else if (plain_mode(r, d))
        fprintf(out, "  counts     none in plain mode (make setup installs "
                     "clang, which adds them)\n");
    else
        print_counts_table(out, r);
    print_kernels(out, r, d);
}

void report_text(FILE *out, const report_data *r, const device_info *d)
{
    print_title(out, r, d);
    print_size(out, r);
    print_verdict(out, r, d);
    print_findings(out);
    if (r->variant_count == 1)
        print_block(out, r, d);
    else
        print_table(out, r, d);
    if (count_verified(r) < r->variant_count)
        return;
    if (d->simulator && r->size_hint)
        fprintf(out, "  %s\n", r->size_hint);
    fprintf(out, "  make chapter=%s check tries the other sizes\n", r->chapter);
}

/* ---- the JSON records ---------------------------------------------------- */

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
        fprintf(out, ",\"clocks_mhz\":{\"sm\":%d,\"memory\":%d}", d->sm_mhz,
                d->memory_mhz);
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
    if (!timed(o)) {
        fputs(",\"time_ms\":null,\"gflops\":null,\"gbytes_per_s\":null,"
              "\"baseline\":null,\"limit\":null",
              out);
        return;
    }
    double ms = o->time.median_ms;
    json_rates(out, r, &o->time);
    fputs(",\"baseline\":", out);
    const outcome *library = baseline(r);
    if (library) {
        fputs("{\"name\":", out);
        json_text(out, library->name);
        fprintf(out, ",\"time_ms\":%.6g,\"ratio\":%.6g}",
                library->time.median_ms, library->time.median_ms / ms);
    } else {
        fputs("null", out);
    }
    bounds b = lower_bounds(r, d);
    if (limit_ms(r, d) > 0)
        fprintf(out, ",\"limit\":{\"name\":\"%s\",\"ratio\":%.6g}",
                b.compute_ms > b.memory_ms ? "fp32" : "dram",
                limit_ms(r, d) / ms);
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
        json_text(out, device_finding(o->findings[f]));
    }
    fputs("]}\n", out);
}

/** Append the records. One write, so that programs that append to one file at
 * the same time do not mix their lines. */
static bool append_records(const report_data *r, const device_info *d,
                           const run_options *run)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return false;
    for (int i = 0; i < r->variant_count; i++)
        report_json(memory, r, i, d, run);
    bool written = fclose(memory) == 0;
    setvbuf(run->json, NULL, _IONBF, 0);
    written = written && fwrite(text, 1, length, run->json) == length;
    free(text);
    return written;
}

void report(const report_data *r, const device_info *d, const run_options *run)
{
    report_text(stdout, r, d);
    bool written = !run->json || append_records(r, d, run);
    options_flush();
    REQUIRE(written, "--json: the record could not be written");
}
