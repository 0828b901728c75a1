/**
 * @file trace.c
 * @brief SIM_TRACE: single requests, lane by lane, one line of JSON each.
 *
 * Of the first blocks of a launch, the first requests that each warp sends from
 * each place. What a request costs is what count.c adds for it. One OS thread
 * runs the blocks, so the same program writes the same lines.
 */
#include <errno.h>

#include "count.h"

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
           (!sim_settings.trace_ranges || sim_now.range) &&
           (!sim_settings.trace_launch ||
            sim_settings.trace_launch == sim_now.serial);
}

static void launch_begins(void)
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
    sim_json_string(file, "{\"kernel\":", sim_now.name);
    fprintf(file,
            ",\"launch\":%u,\"range\":%u,\"block\":[%u,%u,%u],\"barriers\":%u,",
            sim_now.serial, sim_now.range, w->block[0], w->block[1],
            w->block[2], blocks[w->block_number].barriers);
}

static void end_line(void)
{
    fputs("}\n", file);
    if (fflush(file) != 0 || ferror(file))
        give_up();
}

/** Write in which wavefront each lane gets what it asks for. */
static void write_turns(const uint64_t access[LANES], uint32_t mask)
{
    uint64_t first = access[__builtin_ctz(mask)];
    bool shared = access_space(first) == SPACE_SHARED;
    unsigned bytes = shared ? access_bytes(first) : 4;
    uint8_t turn[LANES][LANE_WORDS];
    (shared ? sim_shared_turns : sim_l1_turns)(access, mask, turn);
    char comma = '[';
    fputs("\"turns\":", file);
    FOR_EACH_LANE (l, mask)
        for (unsigned w = 0; w < (bytes + 3) / 4; w++) {
            fprintf(file, "%c%u", comma, turn[l][w]);
            comma = ',';
        }
    fputs("],", file);
}

/** Write the array's name, and each lane's address as bytes from its start. */
static void write_lanes(const sim_worker *w, const sim_request *r)
{
    uint64_t first = r->first;
    uint64_t address = access_address(first), start = 0, pitch = 0;
    const char *name = NULL;
    if (access_space(first) == SPACE_SHARED)
        name = sim_origin_shared(address, w->dynamic_offset, &start, &pitch);
    else
        name = sim_origin_global(address, access_bytes(first), &start, &pitch);
    if (name) {
        sim_json_string(file, "\"array\":", name);
        fprintf(file, ",\"pitch\":%llu,", (unsigned long long)pitch);
    }
    uint64_t room[LANES];
    const uint64_t *by_position =
        access_space(first) == SPACE_GLOBAL
            ? sim_stable(r->access, r->mask, r->pattern, room)
            : r->access;
    uint64_t moved = by_position[__builtin_ctz(r->mask)] - first;
    if (access_space(first) == SPACE_SHARED)
        fprintf(file, "\"start\":%llu,", (unsigned long long)start);
    else if (access_space(first) == SPACE_GLOBAL)
        fprintf(file, "\"start\":%llu,",
                (unsigned long long)((start + moved) % 128));
    if (access_op(first) != OP_ATOMIC && access_space(first) != SPACE_CONSTANT)
        write_turns(by_position, r->mask);
    char comma = '[';
    fputs("\"lanes\":", file);
    FOR_EACH_LANE (l, r->mask) {
        fprintf(file, "%c%u", comma, l);
        comma = ',';
    }
    fputs("],\"at\":", file);
    comma = '[';
    FOR_EACH_LANE (l, r->mask) {
        fprintf(file, "%c%lld", comma,
                (long long)(access_address(r->access[l]) - start));
        comma = ',';
    }
    fputc(']', file);
}

/** Write one request. @p cost: what it has added to the sums */
static void write_request(const sim_worker *w, unsigned number,
                          const sim_request *r, const uint64_t cost[SUMS])
{
    static const char *const units[] = {"sectors", "wavefronts", "passes"};
    unsigned space = access_space(r->first), op = access_op(r->first);
    const sim_site *place = sim_site_info(r->site);
    write_block(w);
    sim_json_string(file, "\"file\":", place->file ? place->file : "?");
    fprintf(file, ",\"line\":%d,\"column\":%d", place->line, place->column);
    if (place->callers)
        sim_json_string(file, ",\"callers\":", place->callers);
    fprintf(file,
            ",\"warp\":%u,\"number\":%u,\"space\":\"%s\",\"op\":\"%s\","
            "\"bytes\":%u,\"%s\":%llu,\"ideal\":%llu,",
            r->warp, number, sim_space_names[space], sim_op_names[op],
            access_bytes(r->first), units[space],
            (unsigned long long)cost[UNITS], (unsigned long long)cost[IDEAL]);
    if (space == SPACE_GLOBAL && op == OP_LOAD)
        fprintf(file,
                "\"tag_wavefronts\":%llu,\"data_wavefronts\":%llu,"
                "\"cycles\":%llu,",
                (unsigned long long)cost[TAG_WAVEFRONTS],
                (unsigned long long)cost[DATA_WAVEFRONTS],
                (unsigned long long)cost[CYCLES]);
    write_lanes(w, r);
    end_line();
}

static void request(sim_worker *w, const sim_request *r)
{
    if (!sim_now.counted || r->first & UNCOUNTED)
        return;
    const uint64_t *sum = sim_stat_of(w, r)->sum;
    uint64_t cost[SUMS];
    memcpy(cost, sum, sizeof cost);
    sim_count_request(w, r); /* count.c leaves it to us */
    if (!is_traced(w) || r->warp >= sim_settings.trace_warps)
        return;
    traced *block = &blocks[w->block_number];
    if (!block->requests)
        block->requests = sim_new(MAX_WARPS * (size_t)sim_site_limit() *
                                  sizeof *block->requests);
    unsigned *number = &block->requests[r->warp * sim_site_limit() + r->site];
    if (*number == sim_settings.trace_requests)
        return;
    for (int i = 0; i < SUMS; i++)
        cost[i] = sum[i] - cost[i];
    write_request(w, (*number)++, r, cost);
}

static void barrier(sim_worker *w, const sim_lane *first, uint32_t warps)
{
    (void)warps;
    if (!sim_now.counted || !is_traced(w))
        return;
    blocks[w->block_number].barriers++;
    write_block(w);
    sim_json_string(file, "\"file\":", first->file ? first->file : "?");
    fprintf(file, ",\"line\":%d,\"op\":\"barrier\"", first->line);
    end_line();
}

WATCHES void sim_trace_watch(void)
{
    static const sim_watcher watcher = {
        .launch_begins = launch_begins, .request = request, .barrier = barrier};
    const char *path = getenv("SIM_TRACE");
    if (path && *path)
        sim_watch(&watcher);
}
