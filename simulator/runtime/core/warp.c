/**
 * @file warp.c
 * @brief Operations of the lanes of one warp together: shuffles, votes, ...
 *
 * Each lane leaves what it brings and waits. When every lane of its mask has
 * come with the same operation, or has returned from the kernel, all results
 * are computed at once and the lanes go on.
 */
#include "inside.h"

#define MANY_LINES 4   /**< of an endless loop that a report names */
#define ACTIVE_MASK 64 /**< __activemask: an operation without a mask */

/* ---- results ------------------------------------------------------------- */

/** The lane whose value lane @p l gets from a shuffle. */
static int shuffle_source(const sim_lane *lane, int l)
{
    int width = lane->width < 1 || lane->width > LANES ? LANES : lane->width;
    int base = l & ~(width - 1), from;
    switch (lane->op) {
    case SIM_SHUFFLE:
        return base + (lane->source & (width - 1));
    case SIM_SHUFFLE_UP:
        from = l - lane->source;
        return from < base ? l : from;
    case SIM_SHUFFLE_DOWN:
        from = l + lane->source;
        return from >= base + width ? l : from;
    default: /* SIM_SHUFFLE_XOR may reach back, never beyond the segment */
        from = l ^ lane->source;
        return from >= base + width ? l : from;
    }
}

/** Two 32-bit values become one. */
static uint32_t reduce(int op, uint32_t a, uint32_t b)
{
    switch (op) {
    case SIM_REDUCE_ADD:
        return a + b;
    case SIM_REDUCE_MIN_SIGNED:
        return (int32_t)a < (int32_t)b ? a : b;
    case SIM_REDUCE_MAX_SIGNED:
        return (int32_t)a > (int32_t)b ? a : b;
    case SIM_REDUCE_MIN_UNSIGNED:
        return a < b ? a : b;
    case SIM_REDUCE_MAX_UNSIGNED:
        return a > b ? a : b;
    case SIM_REDUCE_AND:
        return a & b;
    case SIM_REDUCE_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

/** The same result for all lanes of @p here. */
static uint64_t common_result(const sim_lane *lanes, uint32_t here, int op)
{
    const sim_lane *first = &lanes[__builtin_ctz(here)];
    uint64_t result = op == SIM_BALLOT ? 0 : first->value;
    if (op == SIM_MATCH_ALL)
        result = here;
    FOR_EACH_LANE (l, here) {
        if (op == SIM_BALLOT)
            result |= (uint64_t)(lanes[l].value != 0) << l;
        else if (op == SIM_MATCH_ALL && lanes[l].value != first->value)
            result = 0;
        else if (op >= SIM_REDUCE_ADD && &lanes[l] != first)
            result = reduce(op, (uint32_t)result, (uint32_t)lanes[l].value);
    }
    return result;
}

sim_place sim_place_of(const sim_worker *w, const sim_lane *lane)
{
    return (sim_place){.site = lane->site,
                       .file = lane->file,
                       .line = lane->line,
                       .block = w->block_number};
}

/** The value of a lane that does not take part is undefined; a mask that names
 *  it promises that it does. */
static void report_source(sim_worker *w, const sim_lane *lane, int from)
{
    bool promised = lane->mask >> from & 1;
    bool exists = (unsigned)from < lanes_of(lane_index(w, lane) / LANES);
    sim_finding(promised ? "undefined-shuffle" : "shuffle-note",
                sim_place_of(w, lane), "%s reads lane %d, which %s%s",
                sim_who(w, lane_index(w, lane)), from,
                promised ? "its mask names, and " : "",
                promised && !exists ? "the block does not have: the value is "
                                      "undefined"
                                    : "does not take part: the value is "
                                      "undefined");
}

/** Who calls must be named by its own mask. */
static void report_mask(sim_worker *w, const sim_lane *lane)
{
    sim_finding("undefined-shuffle", sim_place_of(w, lane),
                "the mask 0x%x does not name lane %u, which calls\nby %s: what "
                "it gets is undefined",
                lane->mask, lane_index(w, lane) % LANES,
                sim_who(w, lane_index(w, lane)));
}

typedef void (*together_fn)(void *brought[LANES]);

/** What all 32 lanes do as one; the launch ends where they are not all here. */
static void do_together(sim_worker *w, const sim_lane *lanes, uint32_t here)
{
    const sim_lane *first = &lanes[__builtin_ctz(here)];
    void *brought[LANES];
    unsigned count = 0;
    FOR_EACH_LANE (l, here) {
        brought[l] = lanes[l].object;
        count += lanes[l].value == first->value && lanes[l].site == first->site;
    }
    if (count == LANES) {
        ((together_fn)(uintptr_t)first->value)(brought);
        return;
    }
    sim_finding("warp-divergence", sim_place_of(w, first),
                "all 32 lanes of a warp must be here together\n%u are, with %s",
                count, sim_who(w, lane_index(w, first)));
    sim_abort(ABORT_ERROR, cudaErrorIllegalInstruction);
}

/** All lanes of @p here have come: give each its result. */
static void combine(sim_worker *w, sim_lane *lanes, uint32_t here)
{
    int op = lanes[__builtin_ctz(here)].op;
    if (op == SIM_TOGETHER) {
        do_together(w, lanes, here);
        return;
    }
    uint64_t common = 0;
    if (op >= SIM_BALLOT && op <= SIM_REDUCE_XOR && op != SIM_MATCH_ANY)
        common = common_result(lanes, here, op);
    FOR_EACH_LANE (l, here) {
        sim_lane *lane = &lanes[l];
        if (op >= SIM_SHUFFLE && op <= SIM_SHUFFLE_XOR) {
            int from = shuffle_source(lane, (int)l);
            bool takes_part = here >> from & 1;
            if (!takes_part)
                report_source(w, lane, from);
            lane->result = takes_part ? lanes[from].value : lane->value;
        } else if (op == SIM_MATCH_ANY) {
            lane->result = 0;
            FOR_EACH_LANE (k, here)
                lane->result |= (uint64_t)(lanes[k].value == lane->value) << k;
        } else {
            lane->result = common;
        }
    }
}

/* ---- waiting ------------------------------------------------------------- */

/** Has everything that the lanes did before been merged? Races are checked
 *  in the order of the merge, so it must not pass this point later. */
static bool merged(const sim_lane *lanes, uint32_t mask)
{
    FOR_EACH_LANE (l, mask)
        if (lanes[l].logged)
            return false;
    return true;
}

static void wake(sim_lane *lanes, uint32_t mask)
{
    FOR_EACH_LANE (l, mask)
        lanes[l].state = LANE_READY;
}

/** Nothing moves any more: those at one __activemask() are together. */
static bool complete_active_mask(sim_lane *lanes, unsigned count)
{
    uint32_t here = 0, site = UINT32_MAX;
    for (unsigned l = 0; l < count; l++) {
        if (lanes[l].state <= LANE_FULL)
            return false;
        if (lanes[l].state != LANE_WARP || lanes[l].op != ACTIVE_MASK)
            continue;
        if (lanes[l].site < site) {
            site = lanes[l].site;
            here = 0;
        }
        if (lanes[l].site == site)
            here |= 1u << l;
    }
    FOR_EACH_LANE (l, here)
        lanes[l].result = here;
    wake(lanes, here);
    return here != 0;
}

bool sim_warp_complete(sim_worker *w, unsigned warp)
{
    sim_lane *lanes = &w->lanes[warp * LANES];
    unsigned count = lanes_of(warp);
    uint32_t waiting = 0, gone = count < LANES ? ~0u << count : 0;
    for (unsigned l = 0; l < count; l++) {
        waiting |= (uint32_t)(lanes[l].state == LANE_WARP) << l;
        gone |= (uint32_t)(lanes[l].state == LANE_DONE) << l;
    }
    if (!waiting)
        return false;
    bool any = false;
    while (waiting) {
        const sim_lane *first = &lanes[__builtin_ctz(waiting)];
        uint32_t here = 0;
        FOR_EACH_LANE (l, waiting & first->mask)
            if (lanes[l].op == first->op && lanes[l].mask == first->mask)
                here |= 1u << l;
        waiting &= ~(here | 1u << (first - lanes));
        if (first->op == ACTIVE_MASK || (here | gone) != (first->mask | gone) ||
            !merged(lanes, here))
            continue;
        combine(w, lanes, here);
        if (first->op == SIM_WARP_SYNC)
            RAISE(sync, w, warp, here);
        wake(lanes, here);
        any = true;
    }
    return any || complete_active_mask(lanes, count);
}

uint64_t sim_warp(int op, unsigned mask, uint64_t value, int source, int width,
                  const char *file, int line, uint32_t site)
{
    sim_worker *w = sim_self;
    sim_lane *lane = sim_stop_at(file, line, site);
    if (!lane)
        return value; /* called by host code */
    lane->op = op;
    lane->mask = mask;
    lane->value = value;
    lane->source = source & (LANES - 1); /* as the hardware does */
    lane->width = width;
    if (!(mask >> lane_index(w, lane) % LANES & 1)) {
        report_mask(w, lane);
        return value;
    }
    sim_yield(w, LANE_WARP);
    return lane->result;
}

void sim_warp_together(together_fn together, void *brought, const char *file,
                       int line, uint32_t site)
{
    sim_lane *lane = sim_self->lane;
    if (!lane)
        return; /* called by host code */
    lane->object = brought;
    sim_warp(SIM_TOGETHER, ~0u, (uintptr_t)together, 0, LANES, file, line,
             site);
}

unsigned sim_active_mask(uint32_t site)
{
    return (unsigned)sim_warp(ACTIVE_MASK, ~0u, 0, 0, LANES, NULL, 0, site);
}

/* ---- reports ------------------------------------------------------------- */

static bool runs(const sim_lane *lane)
{
    return lane->state == LANE_READY || lane->state == LANE_FULL;
}

/** Do two lanes wait at the same place for the same thing? */
static bool alike(const sim_lane *a, const sim_lane *b)
{
    if (runs(a) && runs(b))
        return true;
    return a->state == b->state &&
           (a->state == LANE_DONE ||
            (a->line == b->line && a->site == b->site && a->op == b->op));
}

const char *sim_lane_place(const sim_lane *lane)
{
    const sim_site *site = sim_site_info(lane->site);
    if (site->file)
        return sim_position(lane->site);
    return lane->file ? sim_format("%s:%d", lane->file, lane->line)
                      : "an unknown line";
}

/** The lines that a lane in an endless loop goes through: those of the latest
 *  entries of its column, which stay there after they were merged. */
static const char *loop_text(const sim_worker *w, const sim_lane *lane)
{
    const uint32_t *key = w->log->key[lane_index(w, lane) % LANES];
    const sim_site *seen[MANY_LINES];
    unsigned count = 0;
    if (!w->counting || lane_index(w, lane) / LANES != w->log_warp)
        return sim_format("run near %s", sim_lane_place(lane));
    const char *text = "run in a loop through";
    for (unsigned i = 0; i < LOG_ROWS && count < MANY_LINES; i++) {
        const sim_site *site = sim_site_info(key[i] & SITE_MASK);
        bool known = !site->file;
        for (unsigned k = 0; k < count; k++)
            known |= seen[k]->line == site->line &&
                     !strcmp(seen[k]->file, site->file);
        if (known)
            continue;
        seen[count++] = site;
        text = sim_format("%s%s %s:%d", text, count > 1 ? "," : "", site->file,
                          site->line);
    }
    return text;
}

static const char *state_text(const sim_worker *w, const sim_lane *lane)
{
    switch (lane->state) {
    case LANE_DONE:
        return "returned";
    case LANE_BARRIER:
        return sim_format("wait at the barrier %s", sim_lane_place(lane));
    case LANE_WARP:
        if (lane->op == ACTIVE_MASK)
            return sim_format("wait at %s", sim_lane_place(lane));
        return sim_format("wait at %s for lanes 0x%x", sim_lane_place(lane),
                          lane->mask);
    case LANE_TILE:
    case LANE_ARRIVE:
    case LANE_PHASE:
    case LANE_CLUSTER:
    case LANE_GRID:
        return sim_format("wait at %s", sim_lane_place(lane));
    case LANE_NEW:
        return "not started";
    default:
        return loop_text(w, lane);
    }
}

size_t sim_describe_waiting(const sim_worker *w, char *text, size_t bytes)
{
    unsigned warps = (sim_now.threads + LANES - 1) / LANES;
    size_t length = 0;
    *text = 0;
    for (unsigned warp = 0; warp < warps; warp++) {
        const sim_lane *lanes = &w->lanes[warp * LANES];
        unsigned count = lanes_of(warp);
        for (unsigned l = 0, end; l < count; l = end) {
            for (end = l + 1; end < count && alike(&lanes[l], &lanes[end]);)
                end++;
            char who[48];
            if (end - l == count)
                snprintf(who, sizeof who, "warp %u", warp);
            else if (end - l == 1)
                snprintf(who, sizeof who, "warp %u lane %u", warp, l);
            else
                snprintf(who, sizeof who, "warp %u lanes %u to %u", warp, l,
                         end - 1);
            int n = snprintf(text + length, bytes - length, "%s%s: %s",
                             length ? "\n" : "", who, state_text(w, &lanes[l]));
            if (n < 0 || length + (size_t)n + 8 > bytes) {
                snprintf(text + length, bytes - length, "\n...");
                return length;
            }
            length += (size_t)n;
        }
    }
    return length;
}
