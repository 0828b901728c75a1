/**
 * @file report.c
 * @brief What a run says: the block on the terminal and the JSON record.
 */
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

static bounds lower_bounds(const report_entry *e, const device_info *d)
{
    bounds b = {0};
    if (d->peak_gflops > 0)
        b.compute_ms = e->flop / d->peak_gflops * 1e-6;
    if (d->peak_gbs > 0)
        b.memory_ms = e->bytes / d->peak_gbs * 1e-6;
    return b;
}

static bool timed(const report_entry *e)
{
    return e->verified && e->time.repeats > 0;
}

static bool compared(const report_entry *e)
{
    return timed(e) && e->baseline_name && e->baseline.repeats > 0;
}

/* ---- the block ----------------------------------------------------------- */

/** "1048576" as "1,048,576"; @p text has room for 32. */
static const char *thousands(double value, char *text)
{
    char digits[32];
    int length = snprintf(digits, sizeof(digits), "%.0f", value);
    int to = 0;
    for (int i = 0; i < length && to < 30; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[to++] = ',';
        text[to++] = digits[i];
    }
    text[to] = '\0';
    return text;
}

/** Start or end of a colour, empty unless a terminal wants it. */
static const char *colour(FILE *out, const char *code)
{
    const char *none = getenv("NO_COLOR");
    bool plain = (none && *none) || !isatty(fileno(out));
    return plain ? "" : code;
}

static void print_verdict(FILE *out, const report_entry *e)
{
    const char *end = colour(out, "\033[0m");
    if (e->verified)
        fprintf(out, "  verified   %s%s%s\n", colour(out, "\033[32m"), e->check,
                end);
    else
        fprintf(out,
                "  %sWRONG      the first wrong elements are on stderr%s\n",
                colour(out, "\033[31m"), end);
}

static void print_launch(FILE *out, const launch_info *l,
                         const device_info *device)
{
    if (!*l->kernel)
        return;
    fprintf(out, "  launch     grid %u x %u", l->grid[0], l->grid[1]);
    if (l->grid[2] > 1)
        fprintf(out, " x %u", l->grid[2]);
    fprintf(out, ", block %u x %u", l->block[0], l->block[1]);
    if (l->block[2] > 1)
        fprintf(out, " x %u", l->block[2]);
    fprintf(out, ", %zu bytes of shared memory\n", l->shared);
    if (!device->simulator)
        fprintf(out,
                "             %d registers; %d blocks on an SM, "
                "occupancy %.0f %%\n",
                l->registers, l->blocks_per_sm, 100 * l->occupancy);
}

/** Digits that suit a time: 0.00613 ms, 2.69 ms, 2200 ms. */
static int decimals(double ms)
{
    return ms < 0.01 ? 5 : ms < 1 ? 4 : ms < 100 ? 3 : 1;
}

static void print_time(FILE *out, const char *name, const timing *t)
{
    int d = decimals(t->median_ms);
    fprintf(out, "  %-10s %.*f ms (%.*f - %.*f)", name, d, t->median_ms, d,
            t->min_ms, d, t->max_ms);
}

static void print_gpu(FILE *out, const report_entry *e, const device_info *d)
{
    const timing *t = &e->time;
    print_time(out, "time", t);
    fprintf(out, ", %d samples", t->repeats);
    if (t->batch > 1)
        fprintf(out, " of %d launches", t->batch);
    fprintf(out, ", L2 %s\n", t->cold ? "cold" : "warm");
    if (e->flop > 0)
        fprintf(out, "  rate       %#.4g TFLOP/s\n",
                e->flop / t->median_ms * 1e-9);
    else
        fprintf(out, "  rate       %.1f GB/s\n",
                e->bytes / t->median_ms * 1e-6);

    if (compared(e)) {
        print_time(out, e->baseline_name, &e->baseline);
        fprintf(out, "; this kernel runs at %.3g of its speed\n",
                e->baseline.median_ms / t->median_ms);
    } else if (e->baseline_name) {
        fprintf(out, "  %-10s not timed: %s\n", e->baseline_name,
                e->baseline_note ? e->baseline_note : "");
    }

    bounds b = lower_bounds(e, d);
    if (e->flop > 0 && b.compute_ms > 0)
        fprintf(out,
                "  limits     %.4f ms = %.4g GFLOP / %.1f TFLOP/s (float32); "
                "reached %.2g\n",
                b.compute_ms, e->flop * 1e-9, d->peak_gflops * 1e-3,
                b.compute_ms / t->median_ms);
    if (b.memory_ms > 0)
        fprintf(out,
                "  %-10s %.4f ms = %.4g GB / %.2f TB/s (DRAM); "
                "reached %.2g\n",
                e->flop > 0 ? "" : "limits", b.memory_ms, e->bytes * 1e-9,
                d->peak_gbs * 1e-3, b.memory_ms / t->median_ms);
}

/** Counters that are not 0, under the names of the counts files. */
static void print_counters(FILE *out, const report_entry *e)
{
    const char *label = "counts";
    for (int i = 0; i < e->counter_count; i++) {
        const counter *c = &e->counters[i];
        char text[32];
        bool whole = c->value == floor(c->value);
        // 0 is worth a line for barriers alone: the lessons ask for it.
        if (c->value == 0 && strcmp(c->name, "barriers") != 0)
            continue;
        thousands(c->value, text);
        if (!whole)
            snprintf(text, sizeof(text), "%.3f", c->value);
        fprintf(out, "  %-10s %-36s %16s\n", label, c->name, text);
        label = "";
    }
    if (e->counter_count == 0)
        fprintf(out,
                "  counts     none in plain mode; clang adds them, and the "
                "search for races\n"
                "             (make setup installs clang)\n");
}

void report_block(FILE *out, const report_entry *e, const device_info *d)
{
    const char *bold = colour(out, "\033[1m");
    const char *end = colour(out, "\033[0m");
    fprintf(out, "%s%s%s%s%s ", bold, e->chapter, e->variant ? " " : "",
            e->variant ? e->variant : "", end);
    if (d->simulator)
        fprintf(out, "in the simulator: counts, no times\n");
    else
        fprintf(out, "on %s, %d SMs, sm_%d\n", d->name, d->sm_count,
                d->compute_capability);
    fprintf(out, "  size       %s\n", e->size);
    print_verdict(out, e);
    if (device_finding_count() > 0)
        fprintf(out, "  FINDINGS   %d, listed at the end on stderr\n",
                device_finding_count());
    if (!e->verified)
        return;
    print_launch(out, &e->launch, d);
    if (timed(e))
        print_gpu(out, e, d);
    if (d->simulator) {
        print_counters(out, e);
        if (e->default_size)
            fprintf(out, "  %s\n", e->default_size);
    }
}

/* ---- the JSON record ----------------------------------------------------- */

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

static void json_times(FILE *out, const report_entry *e, const device_info *d)
{
    if (!timed(e)) {
        fputs(",\"time_ms\":null,\"gflops\":null,\"gbytes_per_s\":null,"
              "\"baseline\":null,\"limit\":null",
              out);
        return;
    }
    const timing *t = &e->time;
    fprintf(out,
            ",\"time_ms\":{\"min\":%.6g,\"median\":%.6g,\"max\":%.6g,"
            "\"repeats\":%d,\"batch\":%d,\"l2\":\"%s\"}",
            t->min_ms, t->median_ms, t->max_ms, t->repeats, t->batch,
            t->cold ? "cold" : "warm");
    fputs(",\"gflops\":", out);
    json_number(out, e->flop > 0 ? e->flop / t->median_ms * 1e-6 : NAN);
    fputs(",\"gbytes_per_s\":", out);
    json_number(out, e->bytes / t->median_ms * 1e-6);

    if (compared(e)) {
        fputs(",\"baseline\":{\"name\":", out);
        json_text(out, e->baseline_name);
        fprintf(out, ",\"time_ms\":%.6g,\"ratio\":%.6g}", e->baseline.median_ms,
                e->baseline.median_ms / t->median_ms);
    } else {
        fputs(",\"baseline\":null", out);
    }

    // The limit that binds is the larger of the two lower bounds.
    bounds b = lower_bounds(e, d);
    double limit_ms = fmax(b.compute_ms, b.memory_ms);
    if (limit_ms > 0)
        fprintf(out, ",\"limit\":{\"name\":\"%s\",\"ratio\":%.6g}",
                b.compute_ms > b.memory_ms ? "fp32" : "dram",
                limit_ms / t->median_ms);
    else
        fputs(",\"limit\":null", out);
}

static void json_launch(FILE *out, const launch_info *l, const device_info *d)
{
    if (!*l->kernel) {
        fputs(",\"launch\":null", out);
        return;
    }
    fprintf(out, ",\"launch\":{\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u]",
            l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
            l->block[2]);
    if (d->simulator)
        fprintf(out,
                ",\"registers\":null,\"shared_bytes\":%zu,"
                "\"blocks_per_sm\":null,\"occupancy\":null}",
                l->shared);
    else
        fprintf(out,
                ",\"registers\":%d,\"shared_bytes\":%zu,"
                "\"blocks_per_sm\":%d,\"occupancy\":%.6g}",
                l->registers, l->shared, l->blocks_per_sm, l->occupancy);
}

void report_json(FILE *out, const report_entry *e, const device_info *d,
                 const run_options *run)
{
    fputs("{\"schema\":1,\"chapter\":", out);
    json_text(out, e->chapter);
    fputs(",\"variant\":", out);
    json_text(out, e->variant);
    json_machine(out, d, run);
    fprintf(out,
            ",\"size\":%s,\"verified\":%s,\"error_of_bound\":", e->size_json,
            e->verified ? "true" : "false");
    json_number(out, e->error_of_bound);
    json_times(out, e, d);
    json_launch(out, &e->launch, d);
    fputs(",\"counts\":{", out);
    for (int i = 0; i < e->counter_count; i++) {
        fprintf(out, "%s\"%s\":", i > 0 ? "," : "", e->counters[i].name);
        json_number(out, e->counters[i].value);
    }
    fputs("},\"findings\":[", out);
    for (int i = 0; i < device_finding_count(); i++) {
        fputs(i > 0 ? "," : "", out);
        json_text(out, device_finding(i));
    }
    fputs("]}\n", out);
}

void report(const report_entry *e, const device_info *d, const run_options *run)
{
    report_block(stdout, e, d);
    fflush(stdout);
    if (!run->json)
        return;

    // One write, so that programs that append to one file at the same time do
    // not mix their lines.
    char *line = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&line, &length);
    bool written = false;
    if (memory) {
        report_json(memory, e, d, run);
        fclose(memory);
        setvbuf(run->json, NULL, _IONBF, 0);
        written = fwrite(line, 1, length, run->json) == length;
        free(line);
    }
    REQUIRE(written, "--json: the record could not be written");
}
