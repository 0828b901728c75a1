/**
 * @file count.c
 * @brief The counters of a launch: what they are, and what adds to them.
 *
 * Each worker sums for itself: requests by place, space and operation, the
 * lanes that entered each basic block, and what has no place in the source. At
 * the end of a launch all is added up, by counter and by place. A place may
 * have several sites, when a loop was unrolled; a line of a function that was
 * inlined into several calls is a place for each of them.
 */
#include "count.h"

/* ---- the counters -------------------------------------------------------- */

/** What is counted for no place in the source. */
enum {
    BARRIERS,          /**< warps at barriers */
    ASYNC_WAITS,       /**< lanes that waited for groups of copies */
    ASYNC_GROUPS_LEFT, /**< groups under way after these waits */
    BULK_LOAD_BYTES,   /**< of bulk copies */
    BULK_LOAD_SECTORS,
    BULK_STORE_BYTES,
    BULK_STORE_SECTORS,
    TENSOR_FMA, /**< multiply-adds of tensor cores */
    ACTIVE,     /**< lanes that were active in operations of warps */
    EXECUTED,   /**< operations of warps */
    OWN_COUNTS
};

/** Of requests: LOADS, STORES, ATOMICS, ldmatrix. */
#define LOADS (1 << OP_LOAD)
#define STORES (1 << OP_STORE)
#define ATOMICS (1 << OP_ATOMIC)
#define MATRICES (1 << STAT_MATRIX)

/** The counters, in the order in which they are given out. A new one is a line
 *  here; an event below adds what no request knows to own[] of the worker. */
static const struct {
    const char *name;
    enum { SUM, CODE, OWN, RATIO } of;
    int a; /* SUM: SPACE_...; CODE: OPS_...; OWN: as above; RATIO: the row */
    int b; /* SUM: LOADS ...; RATIO: that it is divided by; both from here */
    int c; /* SUM: REQUESTS ... */
} counters[] = {
    {"global_load_requests", SUM, SPACE_GLOBAL, LOADS, REQUESTS},
    {"global_load_sectors", SUM, SPACE_GLOBAL, LOADS, UNITS},
    {"global_load_sectors_per_request", RATIO, -1, -2, 0},
    {"global_load_tag_wavefronts", SUM, SPACE_GLOBAL, LOADS, TAG_WAVEFRONTS},
    {"global_load_data_wavefronts", SUM, SPACE_GLOBAL, LOADS, DATA_WAVEFRONTS},
    {"global_load_cycles", SUM, SPACE_GLOBAL, LOADS, CYCLES},
    {"global_store_requests", SUM, SPACE_GLOBAL, STORES, REQUESTS},
    {"global_store_sectors", SUM, SPACE_GLOBAL, STORES, UNITS},
    {"global_store_sectors_per_request", RATIO, -1, -2, 0},
    {"global_store_tag_wavefronts", SUM, SPACE_GLOBAL, STORES, TAG_WAVEFRONTS},
    {"global_atomic_requests", SUM, SPACE_GLOBAL, ATOMICS, REQUESTS},
    {"global_atomic_sectors", SUM, SPACE_GLOBAL, ATOMICS, UNITS},
    {"shared_load_requests", SUM, SPACE_SHARED, LOADS, REQUESTS},
    {"shared_load_wavefronts", SUM, SPACE_SHARED, LOADS | MATRICES, UNITS},
    {"shared_load_bank_conflicts", SUM, SPACE_SHARED, LOADS | MATRICES,
     CONFLICTS},
    {"shared_matrix_requests", SUM, SPACE_SHARED, MATRICES, REQUESTS},
    {"shared_store_requests", SUM, SPACE_SHARED, STORES, REQUESTS},
    {"shared_store_wavefronts", SUM, SPACE_SHARED, STORES, UNITS},
    {"shared_store_bank_conflicts", SUM, SPACE_SHARED, STORES, CONFLICTS},
    {"shared_atomic_requests", SUM, SPACE_SHARED, ATOMICS, REQUESTS},
    {"shared_atomic_wavefronts", SUM, SPACE_SHARED, ATOMICS, UNITS},
    {"shared_atomic_bank_conflicts", SUM, SPACE_SHARED, ATOMICS, CONFLICTS},
    {"constant_load_requests", SUM, SPACE_CONSTANT, LOADS, REQUESTS},
    {"constant_load_passes", SUM, SPACE_CONSTANT, LOADS, UNITS},
    {"ffma", CODE, OPS_FFMA, 0, 0},
    {"fadd", CODE, OPS_FADD, 0, 0},
    {"fmul", CODE, OPS_FMUL, 0, 0},
    {"barriers", OWN, BARRIERS, 0, 0},
    {"async_waits", OWN, ASYNC_WAITS, 0, 0},
    {"async_groups_left", OWN, ASYNC_GROUPS_LEFT, 0, 0},
    {"bulk_load_bytes", OWN, BULK_LOAD_BYTES, 0, 0},
    {"bulk_load_sectors", OWN, BULK_LOAD_SECTORS, 0, 0},
    {"bulk_store_bytes", OWN, BULK_STORE_BYTES, 0, 0},
    {"bulk_store_sectors", OWN, BULK_STORE_SECTORS, 0, 0},
    {"tensor_fma", OWN, TENSOR_FMA, 0, 0},
    {"instructions", OWN, EXECUTED, 0, 0},
    {"lanes_per_instruction", RATIO, 1, -1, 0},
    {NULL, OWN, ACTIVE, 0, 0}, /* not given out */
};

#define ROWS (sizeof counters / sizeof *counters)
#define HIDDEN 1 /**< rows */
#define COUNTS (ROWS - HIDDEN)

static double of_range[ROWS]; /* of the launches since the range began */

/** What a worker has counted. */
struct sim_sums {
    sim_stat *stats; /**< per site, space and operation */
    bool *met;       /**< sites that the launch has come to */
    uint64_t own[OWN_COUNTS];
};

static sim_stat *stat_of(const sim_worker *w, uint32_t site, unsigned space,
                         unsigned op)
{
    return &w->sums->stats[(size_t)site << 4 | space << 2 | op];
}

sim_stat *sim_stat_of(const sim_worker *w, const sim_request *r)
{
    bool matrix = access_is_matrix(r->first);
    return stat_of(w, r->site, access_space(r->first),
                   matrix ? STAT_MATRIX : access_op(r->first));
}

/* ---- one request --------------------------------------------------------- */

/** Add one request to the sums. */
static void add(sim_stat *s, unsigned lanes, unsigned units, unsigned ideal,
                unsigned conflicts, unsigned bytes)
{
    if (!s->sum[REQUESTS]) {
        s->least = units;
        s->bytes = bytes;
    }
    s->sum[REQUESTS]++;
    s->sum[LANES_ACTIVE] += lanes;
    s->sum[UNITS] += units;
    s->sum[IDEAL] += ideal;
    s->sum[CONFLICTS] += conflicts;
    if (units < s->least)
        s->least = units;
    if (units > s->most)
        s->most = units;
}

/**
 * A float atomic is a loop in hardware: all waiting lanes read, then in each
 * bank the lowest waiting lane gets its compare-and-swap through.
 */
static void count_float_atomic(sim_worker *w, const uint64_t access[LANES],
                               uint32_t mask, uint32_t site)
{
    sim_stat *loads = stat_of(w, site, SPACE_SHARED, OP_LOAD);
    sim_stat *atomics = stat_of(w, site, SPACE_SHARED, OP_ATOMIC);
    unsigned bytes = access_bytes(access[__builtin_ctz(mask)]);
    while (mask) {
        unsigned lanes = (unsigned)__builtin_popcount(mask);
        sim_shared_cost reads = sim_shared_request(access, mask, PATTERN_ANY);
        add(loads, lanes, reads.wavefronts, reads.least,
            reads.wavefronts - reads.least, bytes);
        add(atomics, lanes, 2, 2, 0, bytes);
        uint32_t banks = 0, done = 0;
        FOR_EACH_LANE (l, mask) {
            uint32_t bank = 1u << (access[l] >> 2) % BANKS;
            if (!(banks & bank))
                done |= 1u << l;
            banks |= bank;
        }
        mask &= ~done;
    }
}

static void count_shared(sim_worker *w, sim_stat *s,
                         const uint64_t access[LANES], uint32_t mask,
                         uint32_t site, sim_pattern pattern)
{
    uint64_t first = access[__builtin_ctz(mask)];
    unsigned lanes = (unsigned)__builtin_popcount(mask);
    unsigned flavour = access_flavour(first);
    sim_shared_cost cost;
    if (access_op(first) != OP_ATOMIC) {
        cost = sim_shared_request(access, mask, pattern);
    } else if ((flavour & FLAVOUR_KIND) != FLAVOUR_FLOAT) {
        cost = sim_shared_atomic(access, mask,
                                 (flavour & ~FLAVOUR_BLOCK) != FLAVOUR_COUNT);
    } else {
        count_float_atomic(w, access, mask, site);
        return;
    }
    add(s, lanes, cost.wavefronts, cost.least, cost.wavefronts - cost.least,
        access_bytes(first));
}

const uint64_t *sim_stable(const uint64_t access[LANES], uint32_t mask,
                           sim_pattern pattern, uint64_t room[LANES])
{
    bool regular = pattern != PATTERN_ANY; /* the first lane tells of all */
    bool inside = true;
    FOR_EACH_LANE (l, regular ? 1 : mask)
        inside &= in_arena(access_address(access[l]));
    if (inside)
        return access;
    uint64_t shift = 0;
    FOR_EACH_LANE (l, mask) {
        uint64_t address = access_address(access[l]);
        if (!regular || l == 0)
            shift = sim_stable_address(address) - address;
        room[l] = access[l] + shift;
    }
    return room;
}

static void count_global(sim_stat *s, const uint64_t access[LANES],
                         uint32_t mask, sim_pattern pattern)
{
    uint64_t first = access[__builtin_ctz(mask)];
    unsigned lanes = (unsigned)__builtin_popcount(mask);
    unsigned bytes = access_bytes(first);
    unsigned least = (lanes * bytes + 31) >> SECTOR_SHIFT;
    sim_l1_cost cost = {0};
    uint64_t room[LANES];
    if (access_op(first) == OP_ATOMIC)
        cost.sectors = sim_atomic_sectors(access, mask);
    else
        cost = sim_l1_request(sim_stable(access, mask, pattern, room), mask,
                              pattern);
    add(s, lanes, cost.sectors, least < cost.sectors ? least : cost.sectors, 0,
        bytes);
    s->sum[TAG_WAVEFRONTS] += cost.tags;
    s->sum[DATA_WAVEFRONTS] += cost.data;
    s->sum[CYCLES] += cost.cycles;
}

void sim_count_request(sim_worker *w, const sim_request *r)
{
    unsigned space = access_space(r->first);
    sim_stat *s = sim_stat_of(w, r);
    w->sums->met[r->site] = true;
    uint64_t address = access_address(r->first);
    if (!s->sum[REQUESTS] || address < s->low)
        s->low = address;
    if (address > s->high)
        s->high = address;
    if (space == SPACE_SHARED)
        count_shared(w, s, r->access, r->mask, r->site, r->pattern);
    else if (space == SPACE_GLOBAL)
        count_global(s, r->access, r->mask, r->pattern);
    else
        add(s, (unsigned)__builtin_popcount(r->mask),
            sim_distinct(r->access, r->mask, 2), 1, 0, access_bytes(r->first));
}

/* ---- a launch ------------------------------------------------------------ */

static sim_worker *const *workers; /* of the latest launch */
static int worker_count;
static double of_launch[ROWS];
static sim_line *lines;
static size_t line_count, line_capacity;

static void add_stat(sim_stat *sum, const sim_stat *s)
{
    if (!sum->sum[REQUESTS] || s->low < sum->low)
        sum->low = s->low;
    if (s->high > sum->high)
        sum->high = s->high;
    if (!sum->sum[REQUESTS] || s->least < sum->least)
        sum->least = s->least;
    if (s->most > sum->most)
        sum->most = s->most;
    for (int i = 0; i < SUMS; i++)
        sum->sum[i] += s->sum[i];
    sum->bytes = s->bytes;
}

/** Collect the sums of all workers for one site, and clear them. */
static sim_stat collect(uint32_t site, unsigned space, unsigned op)
{
    sim_stat sum = {0};
    for (int i = 0; i < worker_count; i++) {
        sim_stat *s = stat_of(workers[i], site, space, op);
        if (!s->sum[REQUESTS])
            continue;
        add_stat(&sum, s);
        *s = (sim_stat){0};
    }
    return sum;
}

static bool same_line(const sim_line *l, const sim_site *site, unsigned space,
                      unsigned op, unsigned bytes)
{
    return l->space == space && l->op == op && l->sum.bytes == bytes &&
           l->site->line == site->line && l->site->column == site->column &&
           l->site->file && sim_same_text(l->site->file, site->file) &&
           sim_same_text(l->site->callers, site->callers);
}

static void add_to_lines(const sim_site *site, unsigned space, unsigned op,
                         const sim_stat *sum)
{
    for (size_t i = 0; i < line_count; i++)
        if (same_line(&lines[i], site, space, op, sum->bytes)) {
            add_stat(&lines[i].sum, sum);
            return;
        }
    if (line_count == line_capacity) {
        line_capacity = line_capacity ? 2 * line_capacity : 64;
        lines = sim_grow(lines, line_capacity * sizeof *lines);
    }
    lines[line_count++] = (sim_line){site, space, op, *sum};
}

/** The requests of a site. Those of ldmatrix stand among the loads. */
static void add_accesses(uint32_t site)
{
    for (unsigned space = SPACE_GLOBAL; space <= SPACE_CONSTANT; space++)
        for (unsigned op = OP_LOAD; op < STAT_KINDS; op++) {
            sim_stat sum = collect(site, space, op);
            if (!sum.sum[REQUESTS] || (space == SPACE_CONSTANT && op))
                continue;
            for (size_t i = 0; i < ROWS; i++)
                if (counters[i].of == SUM && counters[i].a == (int)space &&
                    counters[i].b >> op & 1)
                    of_launch[i] += (double)sum.sum[counters[i].c];
            add_to_lines(sim_site_info(site), space,
                         op == STAT_MATRIX ? OP_LOAD : op, &sum);
        }
}

/** Basic blocks, weighted by their operations. */
static void add_operations(uint32_t site)
{
    sim_stat sum = collect(site, SPACE_NONE, OP_LOAD);
    if (!sum.sum[REQUESTS])
        return;
    const uint16_t *ops = sim_site_info(site)->ops;
    unsigned all = 0;
    for (int i = 0; i < OPS_KINDS; i++)
        all += ops[i];
    for (size_t i = 0; i < ROWS; i++)
        if (counters[i].of == CODE)
            of_launch[i] += (double)sum.sum[LANES_ACTIVE] * ops[counters[i].a];
    workers[0]->sums->own[EXECUTED] += sum.sum[REQUESTS] * all;
    workers[0]->sums->own[ACTIVE] += sum.sum[LANES_ACTIVE] * all;
}

/** Work out the counters that are quotients of others. */
static void set_ratios(double *sums)
{
    for (size_t i = 0; i < ROWS; i++)
        if (counters[i].of == RATIO) {
            double by = sums[(int)i + counters[i].b];
            sums[i] = by > 0 ? sums[(int)i + counters[i].a] / by : 0;
        }
}

/** Add what each worker counts by itself, and begin anew. */
static void take_own_counts(void)
{
    for (int k = 0; k < worker_count; k++) {
        uint64_t *own = workers[k]->sums->own;
        for (size_t i = 0; i < ROWS; i++)
            if (counters[i].of == OWN)
                of_launch[i] += (double)own[counters[i].a];
        memset(own, 0, sizeof workers[k]->sums->own);
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
        any |= workers[i]->sums->met[site];
        workers[i]->sums->met[site] = false;
    }
    return any;
}

static bool ranges; /* the program has them: nothing else is summed */

static void launch_ends(sim_worker *const *all, int count)
{
    workers = all;
    worker_count = count;
    line_count = 0;
    memset(of_launch, 0, sizeof of_launch);
    for (uint32_t site = 0; site < sim_site_limit() && sim_now.counted; site++)
        if (met(site)) {
            add_accesses(site);
            add_operations(site);
        }
    take_own_counts();
    set_ratios(of_launch);
    if (sim_now.counted && (sim_now.range || !ranges)) {
        for (size_t i = 0; i < ROWS; i++)
            of_range[i] += of_launch[i];
        set_ratios(of_range);
    }
    if (!sim_settings.report)
        return;
    sim_count totals[COUNTS + 1] = {0};
    for (size_t i = 0; i < COUNTS; i++)
        totals[i] = (sim_count){counters[i].name, of_launch[i]};
    sim_report_launch(totals, lines, line_count, all[0]->dynamic_offset);
}

/** A launch that was counted: those alike need not be. */
typedef struct {
    const char *name; /* each kernel has one of its own */
    size_t dynamic_bytes;
    unsigned grid[3];
    unsigned block[3];
} shape;

/** Is the launch to be counted? Not if it is like an earlier one, and nobody
 *  has asked for more; see SIM_COUNT. */
static bool is_wanted(void)
{
    static shape *seen;
    static size_t seen_count;
    shape now = {sim_now.name, sim_now.dynamic_bytes, {0}, {0}};
    if (sim_settings.count_all || sim_now.range)
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

int sim_count_answer(sim_count *counts, int capacity)
{
    if (!sim_counting())
        return 0;
    for (int i = 0; i < (int)COUNTS && i < capacity; i++)
        counts[i] = (sim_count){counters[i].name, of_range[i]};
    return (int)COUNTS;
}

/* ---- events -------------------------------------------------------------- */

static void launch_begins(void)
{
    sim_now.counted = sim_counting() && is_wanted();
}

static void share_begins(sim_worker *w)
{
    if (w->sums)
        return;
    w->sums = sim_new(sizeof *w->sums);
    w->sums->stats =
        sim_map(((size_t)sim_site_limit() << 4) * sizeof(sim_stat));
    w->sums->met = sim_map(sim_site_limit());
}

static void request(sim_worker *w, const sim_request *r)
{
    if (sim_now.counted && !(r->first & UNCOUNTED) && !sim_settings.trace)
        sim_count_request(w, r);
}

static void code(sim_worker *w, uint32_t mask, uint32_t site)
{
    sim_stat *s = stat_of(w, site, SPACE_NONE, OP_LOAD);
    w->sums->met[site] = true;
    s->sum[REQUESTS]++;
    s->sum[LANES_ACTIVE] += (unsigned)__builtin_popcount(mask);
}

static void barrier(sim_worker *w, const sim_lane *first, uint32_t warps)
{
    (void)first;
    w->sums->own[BARRIERS] += (unsigned)__builtin_popcount(warps);
}

static void copies_waited(sim_worker *w, unsigned left)
{
    w->sums->own[ASYNC_WAITS]++;
    w->sums->own[ASYNC_GROUPS_LEFT] += left;
}

static void bulk(sim_worker *w, unsigned op, uint64_t bytes, uint64_t sectors)
{
    bool store = op == OP_STORE;
    w->sums->own[store ? BULK_STORE_BYTES : BULK_LOAD_BYTES] += bytes;
    w->sums->own[store ? BULK_STORE_SECTORS : BULK_LOAD_SECTORS] += sectors;
}

static void product(sim_worker *w, uint64_t fma)
{
    w->sums->own[TENSOR_FMA] += fma;
}

static void range(bool open)
{
    if (!open)
        return;
    ranges = true;
    memset(of_range, 0, sizeof of_range);
}

WATCHES void sim_count_watch(void)
{
    static const sim_watcher watcher = {.launch_begins = launch_begins,
                                        .share_begins = share_begins,
                                        .request = request,
                                        .code = code,
                                        .barrier = barrier,
                                        .copies_waited = copies_waited,
                                        .bulk = bulk,
                                        .product = product,
                                        .launch_ends = launch_ends,
                                        .range = range};
    sim_watch(&watcher);
}
