/** @file report.c @see internal.h */
#include "internal.h"

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
    if (d->peak_gflops > 0 && !r->tensor_cores)
        b.compute_ms = r->flop / d->peak_gflops * 1e-6;
    if (d->peak_gbs > 0)
        b.memory_ms = r->bytes / d->peak_gbs * 1e-6;
    return b;
}

bool report_timed(const outcome *o)
{
    return o->verified && o->time.repeats > 0;
}

const outcome *report_baseline(const report_data *r, bool floor)
{
    const outcome *best = NULL;
    for (int i = 0; i < r->baseline_count; i++) {
        const outcome *b = &r->baselines[i];
        if (report_timed(b) && b->floor == floor &&
            (!best || b->time.median_ms < best->time.median_ms))
            best = b;
    }
    return best;
}

limit report_limit(const report_data *r, const device_info *d)
{
    const outcome *floor = report_baseline(r, true);
    bounds b = lower_bounds(r, d);
    if (floor && floor->time.median_ms >= b.compute_ms)
        return (limit){floor->name, floor->time.median_ms};
    if (floor)
        return (limit){"fp32", b.compute_ms};
    return b.compute_ms > b.memory_ms ? (limit){"fp32", b.compute_ms}
                                      : (limit){"dram", b.memory_ms};
}

/** Does the reader want neither counts nor a search for bugs? */
static bool is_off(void)
{
    const char *checks = getenv("SIM_CHECKS");
    return checks && strcmp(checks, "0") == 0;
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

/** "6.212 TFLOP/s", "82.50 GFLOP/s", or "3290.1 GB/s" if nothing is computed:
 *  by the chapter, or by @p o. */
static const char *show_rate(const report_data *r, const outcome *o, char *text)
{
    double ms = o->time.median_ms;
    double flop = o->floor ? 0 : r->flop;
    double tflops = flop / ms * 1e-9;
    if (tflops >= 0.1)
        snprintf(text, 32, "%#.4g TFLOP/s", tflops);
    else if (flop > 0)
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

/** The small problem; its row pitch begins a line where it does not fit. */
static void print_small(FILE *out, const char *small)
{
    const char *before = "             and before that with ";
    const char *pitch = strstr(small, ", row pitch");
    if (!pitch || strlen(before) + strlen(small) <= WIDTH)
        fprintf(out, "%s%s\n", before, small);
    else
        fprintf(out, "%s%.*s,\n             %s\n", before, (int)(pitch - small),
                small, pitch + 2);
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
    if (*r->small)
        print_small(out, r->small);
    if (plain_mode(r, d))
        fprintf(out,
                "             not looked for: races and stray accesses (%s)\n",
                is_off() ? "SIM_CHECKS=0" : "make setup adds them");
}

static void print_findings(FILE *out, const report_data *r)
{
    if (r->finding_count > 0)
        fprintf(out, "  FINDINGS   %d, listed at the end on stderr\n",
                r->finding_count);
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
                r->flop > 0 && b.compute_ms > 0 ? "" : "limits", b.memory_ms,
                r->bytes * 1e-9, d->peak_gbs * 1e-3, reached[1]);
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
    fprintf(out, "  rate       %s\n", show_rate(r, o, rate));
    for (int i = 0; i < r->baseline_count; i++) {
        const outcome *b = &r->baselines[i];
        if (report_timed(b)) {
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

/** Counters that are not 0, under the names of the files checks. */
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
        fputs(is_off()
                  ? "  counts     none, by SIM_CHECKS=0\n"
                  : "  counts     none in plain mode; clang adds them, and "
                    "the search for races\n"
                    "             (make setup installs clang)\n",
              out);
}

static void print_block(FILE *out, const report_data *r, const device_info *d)
{
    const outcome *o = &r->variants[0];
    if (!o->verified)
        return;
    for (int i = 0; i < o->launch_count; i++)
        print_launch(out, o, &o->launches[i], d);
    if (report_timed(o))
        print_gpu(out, r, o, d);
    if (d->simulator)
        print_counters(out, o);
}

/* ---- the table of several variants --------------------------------------- */

#define COLUMNS 4 /**< counters in a table */
#define CELL 15   /**< columns of the terminal for each */
#define NAME 18   /**< and for the names of the variants */

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

/** The first column; a name that is too long has a line of its own. */
static void print_name(FILE *out, const char *name)
{
    if (strlen(name) < NAME)
        fprintf(out, "  %-*s", NAME, name);
    else
        fprintf(out, "  %s\n  %*s", name, NAME, "");
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
        print_name(out, line == 0 ? "variant" : "");
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
        print_name(out, o->name);
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
    print_name(out, o->name);
    if (!report_timed(o)) {
        fprintf(out, "%s%s%s\n", o->verified ? "not timed" : "WRONG",
                o->note ? ": " : "", o->note ? o->note : "");
        return;
    }
    double ms = o->time.median_ms;
    const outcome *library = report_baseline(r, false);
    if (before && report_timed(before))
        snprintf(step, sizeof(step), "%.2fx", before->time.median_ms / ms);
    if (library)
        snprintf(share, sizeof(share), "%.3g", library->time.median_ms / ms);
    fprintf(out, "%11.*f%18s%8s%11s", decimals(ms), ms, show_rate(r, o, rate),
            step, share);
    double limit_ms = report_limit(r, d).ms;
    if (limit_ms > 0)
        fprintf(out, "%12.3g", limit_ms / ms);
    fputc('\n', out);
}

static void print_times_table(FILE *out, const report_data *r,
                              const device_info *d)
{
    char of[32] = "";
    const outcome *library = report_baseline(r, false),
                  *floor = report_baseline(r, true);
    char of_limit[32] = "of limit";
    if (floor)
        snprintf(of_limit, sizeof(of_limit), "of %.7s",
                 report_limit(r, d).name);
    if (library) {
        bool fits = strlen(library->name) <= 7;
        snprintf(of, sizeof(of), "of %s", fits ? library->name : "library");
    }
    fprintf(out, "  %-*s%11s%18s%8s%11s%12s\n", NAME, "variant", "time (ms)",
            "rate", "step", of, of_limit);
    for (int i = 0; i < r->variant_count; i++)
        print_row(out, r, d, &r->variants[i], i > 0 ? &r->variants[i - 1] : 0);
    for (int i = 0; i < r->baseline_count; i++)
        print_row(out, r, d, &r->baselines[i], NULL);
    for (int i = 0; i < r->variant_count; i++) {
        if (report_timed(&r->variants[i])) {
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
    fprintf(out, "  %-26s%6s%16s%12s%7s%s\n", "kernel", "times", "grid",
            "block", "shared", d->simulator ? "" : " registers");
    for (int i = 0; i < r->variant_count; i++) {
        const outcome *o = &r->variants[i];
        for (int j = 0; o->verified && j < o->launch_count; j++) {
            const launch_info *l = &o->launches[j];
            char grid[40], block[40];
            fprintf(out, "  %-26.26s%6d%16s%12s%7zu", l->kernel, l->times,
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
        fputs(is_off() ? "  counts     none, by SIM_CHECKS=0\n"
                       : "  counts     none in plain mode (make setup installs "
                         "clang, which adds them)\n",
              out);
    else
        print_counts_table(out, r);
    print_kernels(out, r, d);
}

void report_text(FILE *out, const report_data *r, const device_info *d)
{
    print_title(out, r, d);
    print_size(out, r);
    print_verdict(out, r, d);
    print_findings(out, r);
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
