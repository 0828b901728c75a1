/**
 * @file trace.c
 * @brief SIM_TRACE: single requests, lane by lane, one line of JSON each.
 *
 * Of the first blocks of a launch, the first requests that each warp sends from
 * each place. What a request costs is what count.c adds for it. One OS thread
 * runs the blocks, so the same program writes the same lines.
 */
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "names.h"
#include "report.h"
#include "settings.h"
#include "sites.h"
#include "text.h"

/** A block that is traced. */
typedef struct {
    unsigned *requests; /* of each warp and site so far; NULL: none */
    unsigned barriers;  /* that it has passed */
} traced;

static traced *blocks; /* [sim_settings.trace_blocks] */
static FILE *file;

/** Is the launch traced, and this block of it? */
static bool is_traced(const sim_worker *w)
{
    return w->block_number < sim_settings.trace_blocks &&
           (!sim_settings.trace_ranges || sim_report_range());
}

void sim_trace_begin(void)
{
    if (!blocks)
        blocks = sim_new(sim_settings.trace_blocks * sizeof *blocks);
    for (uint64_t i = 0; i < sim_settings.trace_blocks; i++) {
        free(blocks[i].requests);
        blocks[i] = (traced){0};
    }
}

/** The file cannot be written. */
_Noreturn static void give_up(void)
{
    fprintf(stderr, "SIM_TRACE=%s: %s\n", sim_settings.trace, strerror(errno));
    exit(STATUS_USAGE);
}

/** Write what all lines begin with. */
static void write_block(const sim_worker *w)
{
    if (!file && !(file = fopen(sim_settings.trace, "a")))
        give_up();
    fputs("{\"kernel\":", file);
    sim_json_string(file, sim_now.name);
    fprintf(file,
            ",\"launch\":%u,\"range\":%u,\"block\":[%u,%u,%u],\"barriers\":%u,",
            sim_now.serial, sim_report_range(), w->block[0], w->block[1],
            w->block[2], blocks[w->block_number].barriers);
}

static void end_line(void)
{
    fputs("}\n", file);
    if (fflush(file) != 0 || ferror(file))
        give_up();
}

/** Write the array's name, and each lane's address as bytes from its start. */
static void write_lanes(const sim_worker *w, const uint64_t access[LANES],
                        uint32_t mask)
{
    uint64_t first = access[__builtin_ctz(mask)];
    uint64_t address = access_address(first), start = 0, pitch = 0;
    const char *name = NULL;
    if (access_space(first) == SPACE_SHARED)
        name = sim_origin_shared(address, w->dynamic_offset, &start, &pitch);
    else
        name = sim_origin_global(address, access_bytes(first), &start, &pitch);
    if (name) {
        fputs("\"array\":", file);
        sim_json_string(file, name);
        fprintf(file, ",\"pitch\":%llu,", (unsigned long long)pitch);
    }
    if (access_space(first) == SPACE_SHARED)
        fprintf(file, "\"start\":%llu,", (unsigned long long)start);
    char comma = '[';
    fputs("\"lanes\":", file);
    FOR_EACH_LANE (l, mask) {
        fprintf(file, "%c%u", comma, l);
        comma = ',';
    }
    fputs("],\"at\":", file);
    comma = '[';
    FOR_EACH_LANE (l, mask) {
        fprintf(file, "%c%lld", comma,
                (long long)(access_address(access[l]) - start));
        comma = ',';
    }
    fputc(']', file);
}

/** Write one request. @p cost: what it has added to the sums */
static void write_request(const sim_worker *w, unsigned warp, unsigned number,
                          const uint64_t access[LANES], uint32_t mask,
                          uint32_t site, const sim_stat *cost)
{
    static const char *const spaces[] = {"global", "shared", "constant"};
    static const char *const ops[] = {"load", "store", "atomic"};
    static const char *const units[] = {"sectors", "wavefronts", "passes"};
    uint64_t first = access[__builtin_ctz(mask)];
    unsigned space = access_space(first), op = access_op(first);
    const sim_site *place = sim_site_info(site);
    write_block(w);
    fputs("\"file\":", file);
    sim_json_string(file, place->file ? place->file : "?");
    fprintf(file, ",\"line\":%d,\"column\":%d,", place->line, place->column);
    if (place->callers) {
        fputs("\"callers\":", file);
        sim_json_string(file, place->callers);
        fputc(',', file);
    }
    fprintf(file,
            "\"warp\":%u,\"number\":%u,\"space\":\"%s\",\"op\":\"%s\","
            "\"bytes\":%u,\"%s\":%llu,",
            warp, number, spaces[space], ops[op], access_bytes(first),
            units[space], (unsigned long long)cost->units);
    if (space == SPACE_GLOBAL && op == OP_LOAD)
        fprintf(file,
                "\"tag_wavefronts\":%llu,\"data_wavefronts\":%llu,"
                "\"cycles\":%llu,",
                (unsigned long long)cost->tags, (unsigned long long)cost->data,
                (unsigned long long)cost->cycles);
    write_lanes(w, access, mask);
    end_line();
}

void sim_trace_request(sim_worker *w, unsigned warp,
                       const uint64_t access[LANES], uint32_t mask,
                       uint32_t site, sim_pattern pattern)
{
    uint64_t first = access[__builtin_ctz(mask)];
    unsigned op =
        access_flavour(first) & FLAVOUR_MATRIX ? STAT_MATRIX : access_op(first);
    sim_stat *sum = stat_of(w, site, access_space(first), op), cost = *sum;
    sim_count_request(w, access, mask, site, pattern);
    if (!is_traced(w) || warp >= sim_settings.trace_warps)
        return;
    traced *block = &blocks[w->block_number];
    if (!block->requests)
        block->requests = sim_new(MAX_WARPS * (size_t)sim_site_limit() *
                                  sizeof *block->requests);
    unsigned *number = &block->requests[warp * sim_site_limit() + site];
    if (*number == sim_settings.trace_requests)
        return;
    cost.units = sum->units - cost.units;
    cost.tags = sum->tags - cost.tags;
    cost.data = sum->data - cost.data;
    cost.cycles = sum->cycles - cost.cycles;
    write_request(w, warp, (*number)++, access, mask, site, &cost);
}

void sim_trace_barrier(const sim_worker *w, const char *source, int line)
{
    if (!is_traced(w))
        return;
    blocks[w->block_number].barriers++;
    write_block(w);
    fputs("\"file\":", file);
    sim_json_string(file, source ? source : "?");
    fprintf(file, ",\"line\":%d,\"op\":\"barrier\"", line);
    end_line();
}
