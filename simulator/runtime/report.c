/**
 * @file report.c
 * @brief Sums the counts of all workers and writes them down.
 *
 * Each worker has counted for itself. Here the sums per site are added up,
 * cleared for the next launch, and grouped: by name for sim_report_counters(),
 * by place in the source for the lines of SIM_REPORT. A place may have several
 * sites, when a loop was unrolled; a line of a function that was inlined into
 * several calls is a place for each of them.
 */
#define _GNU_SOURCE
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../include/sim.h"
#include "alloc.h"
#include "count.h"
#include "findings.h"
#include "names.h"
#include "settings.h"
#include "sites.h"
#include "text.h"

/** The counters, in the order in which they are given out. */
enum {
    GLOBAL_LOAD_REQUESTS,
    GLOBAL_LOAD_SECTORS,
    GLOBAL_LOAD_RATIO,
    GLOBAL_LOAD_TAGS,
    GLOBAL_LOAD_DATA,
    GLOBAL_LOAD_CYCLES,
    GLOBAL_STORE_REQUESTS,
    GLOBAL_STORE_SECTORS,
    GLOBAL_STORE_RATIO,
    GLOBAL_STORE_TAGS,
    GLOBAL_ATOMIC_REQUESTS,
    GLOBAL_ATOMIC_SECTORS,
    SHARED_LOAD_REQUESTS,
    SHARED_LOAD_WAVEFRONTS,
    SHARED_LOAD_CONFLICTS,
    SHARED_MATRIX_REQUESTS,
    SHARED_STORE_REQUESTS,
    SHARED_STORE_WAVEFRONTS,
    SHARED_STORE_CONFLICTS,
    SHARED_ATOMIC_REQUESTS,
    SHARED_ATOMIC_WAVEFRONTS,
    SHARED_ATOMIC_CONFLICTS,
    CONSTANT_LOAD_REQUESTS,
    CONSTANT_LOAD_PASSES,
    FFMA,
    FADD,
    FMUL,
    BARRIERS,
    ASYNC_WAITS,
    ASYNC_GROUPS_LEFT,
    LANES_PER_INSTRUCTION,
    COUNTS,            /* what follows is summed, but not given out */
    EXECUTED = COUNTS, /* operations of warps */
    ACTIVE,            /* lanes that were active in them */
    SUMS
};

static const char *const names[COUNTS] = {
    "global_load_requests",
    "global_load_sectors",
    "global_load_sectors_per_request",
    "global_load_tag_wavefronts",
    "global_load_data_wavefronts",
    "global_load_cycles",
    "global_store_requests",
    "global_store_sectors",
    "global_store_sectors_per_request",
    "global_store_tag_wavefronts",
    "global_atomic_requests",
    "global_atomic_sectors",
    "shared_load_requests",
    "shared_load_wavefronts",
    "shared_load_bank_conflicts",
    "shared_matrix_requests",
    "shared_store_requests",
    "shared_store_wavefronts",
    "shared_store_bank_conflicts",
    "shared_atomic_requests",
    "shared_atomic_wavefronts",
    "shared_atomic_bank_conflicts",
    "constant_load_requests",
    "constant_load_passes",
    "ffma",
    "fadd",
    "fmul",
    "barriers",
    "async_waits",
    "async_groups_left",
    "lanes_per_instruction",
};

static double of_launch[SUMS]; /* of the latest launch */
static double of_range[SUMS];  /* of the launches since the range began */

/** The profiler's ranges: cudaProfilerStart() to cudaProfilerStop(). */
static struct {
    bool open;
    unsigned begun; /* so far */
} ranges;

/** The sums of one place, space and operation. */
typedef struct {
    const sim_site *site;
    unsigned space;
    unsigned op;
    sim_stat sum;
} line;

static sim_worker *const *workers; /* of the latest launch */
static int worker_count;
static line *lines; /* of the latest launch */
static size_t line_count, line_capacity;

/* ---- summing up ---------------------------------------------------------- */

static void add(sim_stat *sum, const sim_stat *s)
{
    if (!sum->requests || s->low < sum->low)
        sum->low = s->low;
    if (s->high > sum->high)
        sum->high = s->high;
    if (!sum->requests || s->least < sum->least)
        sum->least = s->least;
    if (s->most > sum->most)
        sum->most = s->most;
    sum->requests += s->requests;
    sum->lanes += s->lanes;
    sum->units += s->units;
    sum->ideal += s->ideal;
    sum->conflicts += s->conflicts;
    sum->tags += s->tags;
    sum->data += s->data;
    sum->cycles += s->cycles;
    sum->bytes = s->bytes;
}

/** Collect the sums of all workers for one site, and clear them. */
static sim_stat collect(uint32_t site, unsigned space, unsigned op)
{
    sim_stat sum = {0};
    for (int i = 0; i < worker_count; i++) {
        sim_stat *s = stat_of(workers[i], site, space, op);
        if (!s->requests)
            continue;
        add(&sum, s);
        *s = (sim_stat){0};
    }
    return sum;
}

/** Were both inlined into the same calls? */
static bool same_callers(const sim_site *a, const sim_site *b)
{
    if (!a->callers || !b->callers)
        return a->callers == b->callers;
    return !strcmp(a->callers, b->callers);
}

static bool same_line(const line *l, const sim_site *site, unsigned space,
                      unsigned op, unsigned bytes)
{
    return l->space == space && l->op == op && l->sum.bytes == bytes &&
           l->site->line == site->line && l->site->column == site->column &&
           l->site->file && site->file && !strcmp(l->site->file, site->file) &&
           same_callers(l->site, site);
}

static void add_to_lines(const sim_site *site, unsigned space, unsigned op,
                         const sim_stat *sum)
{
    for (size_t i = 0; i < line_count; i++)
        if (same_line(&lines[i], site, space, op, sum->bytes)) {
            add(&lines[i].sum, sum);
            return;
        }
    if (line_count == line_capacity) {
        line_capacity = line_capacity ? 2 * line_capacity : 64;
        lines = sim_grow(lines, line_capacity * sizeof *lines);
    }
    lines[line_count++] = (line){site, space, op, *sum};
}

/** Where a space and an operation are counted, -1: nowhere. */
static int first_count(unsigned space, unsigned op)
{
    static const int table[3][3] = {
        [SPACE_GLOBAL] = {GLOBAL_LOAD_REQUESTS, GLOBAL_STORE_REQUESTS,
                          GLOBAL_ATOMIC_REQUESTS},
        [SPACE_SHARED] = {SHARED_LOAD_REQUESTS, SHARED_STORE_REQUESTS,
                          SHARED_ATOMIC_REQUESTS},
        [SPACE_CONSTANT] = {CONSTANT_LOAD_REQUESTS, -1, -1}};
    return table[space][op];
}

/** The stages of the L1 that the law speaks of. */
static void add_l1(unsigned op, const sim_stat *sum)
{
    if (op == OP_LOAD) {
        of_launch[GLOBAL_LOAD_TAGS] += (double)sum->tags;
        of_launch[GLOBAL_LOAD_DATA] += (double)sum->data;
        of_launch[GLOBAL_LOAD_CYCLES] += (double)sum->cycles;
    } else if (op == OP_STORE) {
        of_launch[GLOBAL_STORE_TAGS] += (double)sum->tags;
    }
}

/** ldmatrix: its requests are counted apart, its wavefronts as of loads. */
static void add_matrix(uint32_t site)
{
    sim_stat sum = collect(site, SPACE_SHARED, STAT_MATRIX);
    if (!sum.requests)
        return;
    of_launch[SHARED_MATRIX_REQUESTS] += (double)sum.requests;
    of_launch[SHARED_LOAD_WAVEFRONTS] += (double)sum.units;
    of_launch[SHARED_LOAD_CONFLICTS] += (double)sum.conflicts;
    add_to_lines(sim_site_info(site), SPACE_SHARED, OP_LOAD, &sum);
}

static void add_accesses(uint32_t site)
{
    add_matrix(site);
    for (unsigned space = SPACE_GLOBAL; space <= SPACE_CONSTANT; space++)
        for (unsigned op = OP_LOAD; op <= OP_ATOMIC; op++) {
            sim_stat sum = collect(site, space, op);
            int first = first_count(space, op);
            if (!sum.requests || first < 0)
                continue;
            of_launch[first] += (double)sum.requests;
            of_launch[first + 1] += (double)sum.units;
            if (space == SPACE_SHARED)
                of_launch[first + 2] += (double)sum.conflicts;
            if (space == SPACE_GLOBAL)
                add_l1(op, &sum);
            add_to_lines(sim_site_info(site), space, op, &sum);
        }
}

/** Basic blocks, weighted by their operations. */
static void add_operations(uint32_t site)
{
    sim_stat sum = collect(site, SPACE_NONE, OP_LOAD);
    if (!sum.requests)
        return;
    const uint16_t *ops = sim_site_info(site)->ops;
    of_launch[FFMA] += (double)sum.lanes * ops[OPS_FFMA];
    of_launch[FADD] += (double)sum.lanes * ops[OPS_FADD];
    of_launch[FMUL] += (double)sum.lanes * ops[OPS_FMUL];
    unsigned all = 0;
    for (int i = 0; i < OPS_KINDS; i++)
        all += ops[i];
    of_launch[EXECUTED] += (double)sum.requests * all;
    of_launch[ACTIVE] += (double)sum.lanes * all;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/** Work out the counters that are quotients of others. */
static void set_ratios(double *sums)
{
    sums[GLOBAL_LOAD_RATIO] =
        ratio(sums[GLOBAL_LOAD_SECTORS], sums[GLOBAL_LOAD_REQUESTS]);
    sums[GLOBAL_STORE_RATIO] =
        ratio(sums[GLOBAL_STORE_SECTORS], sums[GLOBAL_STORE_REQUESTS]);
    sums[LANES_PER_INSTRUCTION] = ratio(sums[ACTIVE], sums[EXECUTED]);
}

/** Add what each worker counts by itself, and begin anew. */
static void take_own_counts(double *sums)
{
    for (int i = 0; i < worker_count; i++) {
        sim_own_counts *own = &workers[i]->own;
        sums[BARRIERS] += (double)own->barriers;
        sums[ASYNC_WAITS] += (double)own->async_waits;
        sums[ASYNC_GROUPS_LEFT] += (double)own->async_groups_left;
        *own = (sim_own_counts){0};
    }
}

/**
 * Did a worker come to a site? That is forgotten then.
 *
 * Unrolled kernels have thousands of sites; a launch meets few.
 */
static bool met(uint32_t site)
{
    bool any = false;
    for (int i = 0; i < worker_count; i++) {
        any |= workers[i]->met[site];
        workers[i]->met[site] = false;
    }
    return any;
}

/** Sum up the launch, and add it to its range. */
static void sum_up(void)
{
    line_count = 0;
    memset(of_launch, 0, sizeof of_launch);
    for (uint32_t site = 0; site < sim_site_limit(); site++)
        if (met(site)) {
            add_accesses(site);
            add_operations(site);
        }
    take_own_counts(of_launch);
    set_ratios(of_launch);
    if (ranges.begun && !ranges.open)
        return;
    for (int i = 0; i < SUMS; i++)
        of_range[i] += of_launch[i];
    set_ratios(of_range);
}

/** A launch that was not counted: nothing is left for the next one. */
static void drop_counts(void)
{
    double unused[SUMS] = {0};
    line_count = 0;
    take_own_counts(unused);
}

void sim_report_begin_range(void)
{
    if (ranges.open)
        return;
    ranges.open = true;
    ranges.begun++;
    memset(of_range, 0, sizeof of_range);
}

void sim_report_end_range(void)
{
    ranges.open = false;
}

unsigned sim_report_range(void)
{
    return ranges.open ? ranges.begun : 0;
}

/** A launch that was counted: those alike need not be. */
typedef struct {
    const char *name; /* each kernel has one of its own */
    size_t dynamic_bytes;
    unsigned grid[3];
    unsigned block[3];
} shape;

bool sim_report_wants(void)
{
    static shape *seen;
    static size_t seen_count;
    shape now = {sim_now.name, sim_now.dynamic_bytes, {0}, {0}};
    if (sim_settings.count_all || ranges.open)
        return true;
    memcpy(now.grid, sim_now.grid, sizeof now.grid);
    memcpy(now.block, sim_now.block, sizeof now.block);
    for (size_t i = 0; i < seen_count; i++)
        if (!memcmp(&seen[i], &now, sizeof now))
            return false;
    seen = sim_grow(seen, (seen_count + 1) * sizeof *seen);
    seen[seen_count++] = now;
    return true;
}

int sim_report_counters(sim_count *counts, int capacity)
{
    if (!sim_counting())
        return 0;
    for (int i = 0; i < COUNTS && i < capacity; i++)
        counts[i] = (sim_count){names[i], of_range[i]};
    return COUNTS;
}

/* ---- JSON ---------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const line *x = a, *y = b;
    int order = strcmp(x->site->file ? x->site->file : "",
                       y->site->file ? y->site->file : "");
    if (!order)
        order =
            (x->site->line > y->site->line) - (x->site->line < y->site->line);
    if (!order)
        order = (x->site->column > y->site->column) -
                (x->site->column < y->site->column);
    if (!order)
        order = strcmp(x->site->callers ? x->site->callers : "",
                       y->site->callers ? y->site->callers : "");
    if (!order)
        order = (int)x->space - (int)y->space;
    return order ? order : (int)x->op - (int)y->op;
}

/** The array that a line's requests go to; NULL: several, or no name. */
static const char *array_of(const line *l)
{
    if (l->space == SPACE_GLOBAL)
        return sim_array_global(l->sum.low, l->sum.high);
    if (l->space == SPACE_SHARED)
        return sim_array_shared(l->sum.low, l->sum.high,
                                workers[0]->dynamic_offset);
    return NULL;
}

static void write_text(FILE *file, const char *name, const char *text)
{
    if (!text)
        return;
    fprintf(file, "\"%s\":", name);
    sim_json_string(file, text);
    fputc(',', file);
}

static void write_line(FILE *file, const line *l)
{
    static const char *const spaces[] = {"global", "shared", "constant"};
    static const char *const ops[] = {"load", "store", "atomic"};
    const sim_stat *s = &l->sum;
    fputs("{\"file\":", file);
    sim_json_string(file, l->site->file ? l->site->file : "?");
    fprintf(file,
            ",\"line\":%d,\"column\":%d,\"space\":\"%s\",\"op\":\"%s\","
            "\"bytes\":%u,\"requests\":%llu,\"lanes\":%llu,\"%s\":%llu,",
            l->site->line, l->site->column, spaces[l->space], ops[l->op],
            s->bytes, (unsigned long long)s->requests,
            (unsigned long long)s->lanes,
            l->space == SPACE_GLOBAL ? "sectors" : "wavefronts",
            (unsigned long long)s->units);
    if (l->space == SPACE_SHARED)
        fprintf(file, "\"conflicts\":%llu,", (unsigned long long)s->conflicts);
    if (l->space == SPACE_GLOBAL && l->op != OP_ATOMIC)
        fprintf(file, "\"tag_wavefronts\":%llu,", (unsigned long long)s->tags);
    if (l->space == SPACE_GLOBAL && l->op == OP_LOAD)
        fprintf(file, "\"data_wavefronts\":%llu,\"cycles\":%llu,",
                (unsigned long long)s->data, (unsigned long long)s->cycles);
    write_text(file, "callers", l->site->callers);
    write_text(file, "array", array_of(l));
    fprintf(file, "\"ideal\":%llu,\"min\":%u,\"max\":%u}",
            (unsigned long long)s->ideal, s->least, s->most);
}

/** One launch, one line. */
static void write_json(FILE *file)
{
    fputs("{\"kernel\":", file);
    sim_json_string(file, sim_now.name);
    fprintf(
        file,
        ",\"range\":%u,\"counted\":%s,\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],"
        "\"counts\":{",
        sim_report_range(), sim_now.counted ? "true" : "false", sim_now.grid[0],
        sim_now.grid[1], sim_now.grid[2], sim_now.block[0], sim_now.block[1],
        sim_now.block[2]);
    for (int i = 0; i < COUNTS && sim_now.counted; i++)
        fprintf(file, "%s\"%s\":%.15g", i ? "," : "", names[i], of_launch[i]);
    fputs("},\"lines\":[", file);
    for (size_t i = 0; i < line_count; i++) {
        if (i)
            fputc(',', file);
        write_line(file, &lines[i]);
    }
    fputs("],\"findings\":", file);
    sim_findings_json(file);
    fputs("}\n", file);
}

/** The report cannot be written: without it nobody should take the run for a
 *  success. */
_Noreturn static void give_up(void)
{
    fprintf(stderr, "SIM_REPORT=%s: %s\n", sim_settings.report,
            strerror(errno));
    exit(STATUS_USAGE);
}

void sim_report_launch(sim_worker *const *all, int count)
{
    workers = all;
    worker_count = count;
    if (sim_now.counted)
        sum_up();
    else
        drop_counts();
    if (!sim_settings.report)
        return;
    if (line_count > 1)
        qsort(lines, line_count, sizeof *lines, by_place);
    FILE *file = fopen(sim_settings.report, "a");
    if (!file)
        give_up();
    write_json(file);
    bool failed = fflush(file) != 0 || ferror(file);
    if (fclose(file) != 0 || failed)
        give_up();
}
