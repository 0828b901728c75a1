/**
 * @file report.c
 * @brief SIM_REPORT: one line of JSON for each launch.
 */
#include <errno.h>

#include "count.h"

const char *const sim_space_names[] = {"global", "shared", "constant"};
const char *const sim_op_names[] = {"load", "store", "atomic"};

static int by_place(const void *a, const void *b)
{
    const sim_line *x = a, *y = b;
    int order = strcmp(x->site->file ? x->site->file : "",
                       y->site->file ? y->site->file : "");
    if (!order)
        order = COMPARE(x->site->line, y->site->line);
    if (!order)
        order = COMPARE(x->site->column, y->site->column);
    if (!order)
        order = strcmp(x->site->callers ? x->site->callers : "",
                       y->site->callers ? y->site->callers : "");
    if (!order)
        order = (int)x->space - (int)y->space;
    return order ? order : (int)x->op - (int)y->op;
}

/** The name of the array at an address, and where it starts; NULL: none. */
static const char *origin(const sim_line *l, uint64_t at, size_t dynamic_offset,
                          uint64_t *start)
{
    uint64_t pitch;
    if (l->space == SPACE_GLOBAL)
        return sim_origin_global(at, 1, start, &pitch);
    if (l->space == SPACE_SHARED)
        return sim_origin_shared(at, dynamic_offset, start, &pitch);
    return NULL;
}

/** The array that a line's requests go to, in dynamic shared memory as the line
 *  calls it; NULL: several, or no name. */
static const char *array_of(const sim_line *l, size_t dynamic_offset)
{
    uint64_t first, last;
    if (l->space == SPACE_SHARED && l->sum.low >= dynamic_offset)
        return sim_array_at(l->site);
    if (!origin(l, l->sum.low, dynamic_offset, &first))
        return NULL;
    const char *name = origin(l, l->sum.high, dynamic_offset, &last);
    return name && first == last && !strchr(name, ' ') ? name : NULL;
}

static void write_line(FILE *file, const sim_line *l, size_t dynamic_offset)
{
    const sim_stat *s = &l->sum;
    const uint64_t *sum = s->sum;
    const char *array = array_of(l, dynamic_offset);
    sim_json_string(file, "{\"file\":", l->site->file ? l->site->file : "?");
    fprintf(file,
            ",\"line\":%d,\"column\":%d,\"space\":\"%s\",\"op\":\"%s\","
            "\"bytes\":%u,\"requests\":%llu,\"lanes\":%llu,\"%s\":%llu",
            l->site->line, l->site->column, sim_space_names[l->space],
            sim_op_names[l->op], s->bytes, (unsigned long long)sum[REQUESTS],
            (unsigned long long)sum[LANES_ACTIVE],
            l->space == SPACE_GLOBAL ? "sectors" : "wavefronts",
            (unsigned long long)sum[UNITS]);
    if (l->space == SPACE_SHARED)
        fprintf(file, ",\"conflicts\":%llu",
                (unsigned long long)sum[CONFLICTS]);
    if (l->space == SPACE_GLOBAL && l->op != OP_ATOMIC)
        fprintf(file, ",\"tag_wavefronts\":%llu",
                (unsigned long long)sum[TAG_WAVEFRONTS]);
    if (l->space == SPACE_GLOBAL && l->op == OP_LOAD)
        fprintf(file, ",\"data_wavefronts\":%llu,\"cycles\":%llu",
                (unsigned long long)sum[DATA_WAVEFRONTS],
                (unsigned long long)sum[CYCLES]);
    if (l->site->callers)
        sim_json_string(file, ",\"callers\":", l->site->callers);
    if (array)
        sim_json_string(file, ",\"array\":", array);
    fprintf(file, ",\"ideal\":%llu,\"min\":%u,\"max\":%u}",
            (unsigned long long)sum[IDEAL], s->least, s->most);
}

/** The report cannot be written: without it nobody should take the run for a
 *  success. */
_Noreturn static void give_up(void)
{
    fprintf(stderr, "SIM_REPORT=%s: %s\n", sim_settings.report,
            strerror(errno));
    exit(STATUS_USAGE);
}

void sim_report_launch(const sim_count *totals, sim_line *lines, size_t count,
                       size_t dynamic_offset)
{
    FILE *file = fopen(sim_settings.report, "a");
    if (!file)
        give_up();
    if (count > 1)
        qsort(lines, count, sizeof *lines, by_place);
    sim_json_string(file, "{\"kernel\":", sim_now.name);
    fprintf(
        file,
        ",\"range\":%u,\"counted\":%s,\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],"
        "\"counts\":{",
        sim_now.range, sim_now.counted ? "true" : "false", sim_now.grid[0],
        sim_now.grid[1], sim_now.grid[2], sim_now.block[0], sim_now.block[1],
        sim_now.block[2]);
    for (const sim_count *t = totals; t->name && sim_now.counted; t++)
        fprintf(file, "%s\"%s\":%.15g", t == totals ? "" : ",", t->name,
                t->value);
    fputs("},\"lines\":[", file);
    for (size_t i = 0; i < count; i++) {
        if (i)
            fputc(',', file);
        write_line(file, &lines[i], dynamic_offset);
    }
    fputs("],\"findings\":", file);
    sim_findings_json(file);
    fputs("}\n", file);
    bool failed = fflush(file) != 0 || ferror(file);
    if (fclose(file) != 0 || failed)
        give_up();
}
