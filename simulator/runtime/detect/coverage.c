/**
 * @file coverage.c
 * @brief SIM_COVERAGE: notes on what no thread has written, what two have, and
 * lanes that do nothing.
 *
 * Each element of global memory that a kernel stores to has an entry: who did
 * so last. Host code that writes there clears it. Where the host copies an
 * array home, entries that are clear are a gap, unless that may be meant:
 * kernels have read what the host had put there, or used atomics, or were told
 * to do so many; or threads do not lie side by side as their elements do, so
 * that the data decide; or the gap has no shape, or is a border. One OS thread
 * runs the blocks.
 */
#include <sys/mman.h>

#include "detect.h"

#define LAUNCHES 16 /**< the latest, which are remembered */
#define ARGS 256    /**< words of a launch's parameters */
#define FEW 1024    /**< threads among which idle lanes do not matter */

/** An entry: the thread, MAX_THREADS numbers a block, the launch, and in the
 *  highest bit: was it read since? */
#define LAUNCH_SHIFT 39
#define WAS_READ (UINT64_C(1) << 63)

/** What is known of 64 KiB. */
typedef struct {
    uint64_t *entries; /**< NULL: nobody has stored here */
    uint8_t step;      /**< bytes that have one: of the first store */
    bool meant;        /**< see above, or stores of fewer bytes */
} granule;

typedef struct {
    uint64_t number;
    sim_launch_state state;
    uint32_t args[ARGS];
} launch;

static granule *granules;
static launch launches[LAUNCHES], *now = launches; /* by number % LAUNCHES */
static uint32_t lanes;        /* that have done something in this launch */
static uint64_t blocks;       /* of it that have */
static uintptr_t first_twice; /* element of it that two warps have written: a
                                 single one may be put right so */

static granule *granule_at(uintptr_t address)
{
    return &granules[(address - sim_arena) >> GRANULE_SHIFT];
}

/** The entry of a byte; NULL: there is none. */
static uint64_t *entry_at(uintptr_t address)
{
    const granule *g = granule_at(address);
    return g->entries ? &g->entries[address % GRANULE / g->step] : NULL;
}

/* ---- what kernels do ----------------------------------------------------- */

static void store(const sim_worker *w, uint64_t access, unsigned thread,
                  uint32_t site)
{
    uintptr_t a = access_address(access), end = a + access_bytes(access);
    bool plain = access_op(access) == OP_STORE &&
                 !(access_flavour(access) & FLAVOUR_VOLATILE);
    uint64_t entry =
        now->number << LAUNCH_SHIFT | (w->block_number * MAX_THREADS + thread);
    granule *g = granule_at(a);
    if (!g->entries) {
        g->step = end - a > 8 ? 4 : (uint8_t)(end - a);
        g->entries = sim_map(GRANULE / g->step * sizeof *g->entries);
    }
    g->meant |= !plain || end - a < g->step;
    sim_place place = sim_place_at(w, site);
    for (; a < end; a += g->step) {
        uint64_t before = *entry_at(a);
        *entry_at(a) = plain ? entry : entry | WAS_READ;
        if (!plain || before >> LAUNCH_SHIFT != now->number ||
            before / LANES == entry / LANES || sim_same_constant(site, site))
            continue;
        first_twice = first_twice ? first_twice : a;
        if (first_twice != a && !sim_found_before("coverage-note", place))
            sim_finding("coverage-note", place,
                        "write of %s\nby %s; thread %s has written it before, "
                        "and nobody has read that",
                        sim_name_global(a, g->step), sim_who(w, thread),
                        sim_thread_text(w, before % MAX_THREADS));
    }
}

static void load(uint64_t access)
{
    uintptr_t a = access_address(access), end = a + access_bytes(access);
    granule *g = granule_at(a);
    for (; a < end; a += g->entries ? g->step : end - a)
        if (g->entries && *entry_at(a))
            *entry_at(a) |= WAS_READ;
        else
            g->meant = true;
}

static void request(sim_worker *w, const sim_request *r)
{
    static uint32_t latest; /* block */
    lanes |= r->mask;
    blocks += latest != w->block_serial && !w->resumed;
    latest = w->block_serial;
    FOR_EACH_LANE (l, access_space(r->first) == SPACE_GLOBAL ? r->mask : 0)
        if (!in_arena(access_address(r->access[l])))
            continue;
        else if (access_op(r->first) == OP_LOAD)
            load(r->access[l]);
        else
            store(w, r->access[l], r->warp * LANES + l, r->site);
}

/* ---- what the host copies home ------------------------------------------- */

/** Elements that it copies; no thread wrote @p length of them from @p first on,
 *  and so on every @p period, if that is not 0. */
typedef struct {
    uintptr_t start;
    size_t bytes, count, first, length, period;
    const launch *by; /**< who wrote the others */
} gaps;

/** Who wrote an element? 0: no thread. */
static uint64_t writer_of(const gaps *x, size_t i)
{
    const uint64_t *entry = entry_at(x->start + i * x->bytes);
    return entry ? *entry & ~WAS_READ : 0;
}

/** Find them. @return they have a shape, and not that of a border; one launch
 *  has written the others, with threads that lie as these do */
static bool find_gaps(gaps *x)
{
    size_t n = x->count, next, tail = n, step = 0;
    while (x->first < n && writer_of(x, x->first))
        x->first++;
    for (next = x->first; next < n && !writer_of(x, next); next++)
        x->length++;
    while (next < n && writer_of(x, next))
        next++;
    x->period = next < n ? next - x->first : 0;
    while (tail && !writer_of(x, tail - 1))
        tail--;
    if (!x->length || (x->period && !x->first && tail < n))
        return false;
    uint64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t writer = writer_of(x, i);
        size_t at = i - x->first; /* large before it */
        if (x->period && i >= x->first)
            at %= x->period;
        if ((at < x->length || i >= tail) != !writer)
            return false;
        if (!writer)
            continue;
        size_t difference = writer / LANES == last / LANES ? writer - last : 0;
        if (last && ((writer ^ last) >> LAUNCH_SHIFT ||
                     (difference && step && step != difference)))
            return false;
        step = difference ? difference : step;
        last = writer;
    }
    x->by = &launches[(last >> LAUNCH_SHIFT) % LAUNCHES];
    return step && x->by->number == last >> LAUNCH_SHIFT;
}

/** The host copies bytes of an array home. */
static void look(const sim_allocation *b, uintptr_t start, size_t bytes)
{
    gaps x = {.start = start};
    for (uintptr_t a = start; a < start + bytes; a = (a | (GRANULE - 1)) + 1) {
        const granule *g = granule_at(a);
        if (g->meant)
            return;
        x.bytes = b->array.name[0] ? b->array.element
                  : g->step        ? g->step
                                   : x.bytes;
    }
    x.count = x.bytes ? bytes / x.bytes : 0;
    if (!find_gaps(&x))
        return;
    bool small = false; /* as many threads as there are elements, or rows */
    size_t written = (x.period ? x.period : x.count) - x.length, threads[3];
    const sim_launch_state *by = &x.by->state;
    const uint32_t *args = x.by->args;
    for (int i = 0; i < ARGS; i++) /* heads of some columns: a product */
        for (int j = i; j < ARGS; j++)
            if (args[i] == written || (size_t)args[i] * args[j] == written)
                return;
    for (int i = 0; i < 3; i++) {
        threads[i] = (size_t)by->grid[i] * by->block[i];
        small |= threads[i] > 1 && written % threads[i] == 0;
    }
    uintptr_t first = start + x.first * x.bytes,
              last = first + (x.length - 1) * x.bytes;
    sim_finding(
        "coverage-note", sim_caller(),
        "no thread has written %s%s%s\nof %zu elements that the host copies "
        "here\n%s (%s:%d) has %zu x %zu x %zu threads: %s",
        sim_name_global(first, (unsigned)x.bytes),
        x.length > 1
            ? sim_format(" to %s", sim_name_global(last, (unsigned)x.bytes))
            : "",
        x.period ? sim_format(", and so on every %zu", x.period) : "", x.count,
        by->name, by->file, by->line, threads[0], threads[1], threads[2],
        small ? "its grid is too small" : "is its guard right, and its index?");
}

/** Host code sets or copies: a copy says first where to, then where from. */
static void copied(uintptr_t start, size_t bytes, bool write)
{
    static uintptr_t to;
    bool home = !write && to && (!in_arena(to) || sim_is_for_both(to));
    sim_allocation b;
    to = write ? start : 0;
    for (uintptr_t a = start; write && in_arena(a) && a < start + bytes;) {
        uint64_t *entry = entry_at(a);
        if (entry)
            *entry = 0;
        a = entry ? a + granule_at(a)->step : (a | (GRANULE - 1)) + 1;
    }
    if (home && sim_find((void *)start, &b) && b.kind == BUFFER_DEVICE)
        look(&b, start, bytes);
}

static void freed(uintptr_t start, size_t bytes)
{
    for (uintptr_t a = start; a < start + bytes; a = (a | (GRANULE - 1)) + 1) {
        granule *g = granule_at(a);
        if (g->entries)
            munmap(g->entries, GRANULE / g->step * sizeof *g->entries);
        if (g->entries || g->meant)
            *g = (granule){NULL, 0, false};
    }
}

/* ---- a launch ------------------------------------------------------------ */

static void launch_begins(void)
{
    uint64_t number = now->number + 1;
    size_t bytes = sim_now.args_bytes;
    now = &launches[number % LAUNCHES];
    *now = (launch){.number = number};
    memcpy(&now->state, &sim_now, sizeof sim_now);
    memcpy(now->args, sim_now.args,
           bytes < sizeof now->args ? bytes : sizeof now->args);
    lanes = 0;
    blocks = first_twice = 0;
}

static void launch_ends(sim_worker *const *workers, int count)
{
    (void)workers, (void)count;
    bool none = sim_now.threads < LANES; /* there are no such threads */
    int first = 0, end;
    for (int i = 0; i < ARGS && !none; i++)
        if (now->args[i] && now->args[i] < LANES * 8)
            return; /* perhaps a side of the problem, 16 bytes to a lane */
    if (!~lanes || sim_now.error || blocks * sim_now.threads <= FEW)
        return;
    while (lanes >> first & 1)
        first++;
    for (end = first; end < LANES && !(lanes >> end & 1);)
        end++;
    sim_finding(
        "coverage-note", (sim_place){0},
        "lanes %d to %d of every warp have read and written nothing\n%s", first,
        end - 1,
        none ? "they have no thread: a multiple of 32 in a block has"
             : "in no block: is the guard meant so, and the index?");
}

/** Before count.c, which reports a launch that ends with what is found. */
__attribute__((constructor(199))) void sim_coverage_watch(void)
{
    static const sim_watcher watcher = {.freed = freed,
                                        .copied = copied,
                                        .launch_begins = launch_begins,
                                        .request = request,
                                        .launch_ends = launch_ends};
    const char *on = getenv("SIM_COVERAGE");
    if (!on || strcmp(on, "1"))
        return;
    granules = sim_map((ARENA_BYTES >> GRANULE_SHIFT) * sizeof *granules);
    sim_watch(&watcher);
}
