/**
 * @file grid_races.c
 * @brief Races between the blocks of one launch through global memory, and
 * between launches and copies that may overlap: turn.c gives their blocks
 * numbers as if they were one launch's.
 *
 * Blocks run in any order. So if two blocks access one word, at least one of
 * them writes and not both do it by atomics, that is a race, unless one
 * access happens before the other (happens_before.c).
 *
 * Each word has a shadow cell for each kind of access (plain reads, plain
 * writes, atomics ...) with an epoch: nobody's, one block's, or SEVERAL. An
 * access of the same epoch as its cell is done after one comparison, as in
 * FastTrack, without a lock and without looking at the other cells: whoever
 * comes later and conflicts changes a cell of his own, and looks then. Changes
 * take a lock that belongs to the address, so of two conflicting blocks the
 * second one always sees the first.
 *
 * Volatile accesses are how blocks synchronise, so a volatile store counts as
 * atomic, and a volatile load conflicts with plain writes only. But `(*p)++` on
 * volatile memory is a load and a store, and another block may come between
 * them: an update, which conflicts with all but volatile loads.
 *
 * Accesses of 1 and 2 bytes have cells per byte. They look at those of the
 * words, too, and the other way round.
 */
#include <sys/mman.h>

#include "detect.h"

#define WORDS (GRANULE / 4) /**< of a granule */
#define NO_EPOCH 0u         /**< no block; see sim_epoch() */
#define SEVERAL 0xffffffffu /**< more than one block */
#define LOCKS 4096          /**< a power of two */
#define LOCK_SHIFT 9        /**< bytes that share a lock: 512 */

/** Kinds of access to a word. A volatile read waits for others to write; what
 * is BLOCK_ATOMIC is atomic for its own block only. */
enum { READ, VOLATILE_READ, WRITE, ATOMIC, UPDATE, BLOCK_ATOMIC, KINDS };

/** What each is called, and with which of another block it conflicts. */
static const struct {
    const char *name;
    const char *past; /* "has ... it" */
    bool conflicts[KINDS];
} kinds[KINDS] = {
    [READ] = {"read", "read", {0, 0, 1, 1, 1, 1}},
    [VOLATILE_READ] = {"read", "read", {0, 0, 1, 0, 0, 0}},
    [WRITE] = {"write", "written", {1, 1, 1, 1, 1, 1}},
    [ATOMIC] = {"atomic operation", "changed", {1, 0, 1, 0, 1, 1}},
    [UPDATE] = {"update", "updated", {1, 0, 1, 1, 1, 1}},
    [BLOCK_ATOMIC] = {"atomic operation of the block's scope",
                      "changed",
                      {1, 0, 1, 1, 1, 1}}};

/** The finding for two accesses that stand to each other in this way. */
enum { IN_STREAMS = ORDER_TICKET + 1 };
static const struct {
    const char *kind;
    const char *why;
} findings[] = {
    [ORDER_CONCURRENT] = {"global-race",
                          "blocks of one launch run in any order"},
    [ORDER_NO_RELEASE] = {"missing-fence",
                          "a flag orders the two, but no __threadfence comes "
                          "before the flag is set"},
    [ORDER_NO_ACQUIRE] = {"missing-fence",
                          "a flag orders the two, but no __threadfence comes "
                          "behind reading the flag"},
    [ORDER_TICKET] =
        {"missing-fence-note",
         "a ticket and a __syncthreads order the two, as in CUDA's "
         "guide; the memory model asks for a __threadfence behind "
         "drawing it"},
    [IN_STREAMS] = {"stream-race", "the two are in streams that do not wait "
                                   "for each other"}};

/** Of which kind is the access of a request? */
static int kind_of(unsigned op, unsigned flavour)
{
    bool is_volatile = op != OP_ATOMIC && flavour & FLAVOUR_VOLATILE;
    if (op == OP_LOAD)
        return is_volatile ? VOLATILE_READ : READ;
    if (op == OP_STORE && !is_volatile)
        return WRITE;
    if (op == OP_ATOMIC && flavour & FLAVOUR_BLOCK)
        return BLOCK_ATOMIC;
    return op == OP_STORE && flavour & FLAVOUR_UPDATE ? UPDATE : ATOMIC;
}

/** Shadow cells of a granule, for one kind of access: the epoch and the place
 * of the latest one. One array each, so that 32 successive words are compared
 * at once. */
typedef struct {
    _Atomic uint32_t *epoch;
    uint32_t *site;
    size_t count; /* entries of each */
} cells;

/** The shadow of a granule, of its words [0] and bytes [1]. */
struct sim_granule_shadow {
    _Atomic uint32_t launch;          /**< that the cells belong to */
    _Atomic(cells *) cells[2][KINDS]; /**< NULL: nobody did */
    _Atomic(cells *) written[2];      /**< the latest launch that wrote */
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_flag locks[LOCKS];

static void lock_address(uintptr_t address)
{
    atomic_flag *lock = &locks[address >> LOCK_SHIFT & (LOCKS - 1)];
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
        ;
}

static void unlock_address(uintptr_t address)
{
    atomic_flag_clear_explicit(&locks[address >> LOCK_SHIFT & (LOCKS - 1)],
                               memory_order_release);
}

/* ---- shadow cells -------------------------------------------------------- */

static void clear_cells(cells *r)
{
    if (r)
        memset(r->epoch, 0, r->count * sizeof *r->epoch);
}

/** Give their memory back; nobody has done anything then. */
static void free_cells(const cells *r)
{
    if (!r)
        return;
    madvise(r->epoch, r->count * sizeof *r->epoch, MADV_DONTNEED);
    madvise(r->site, r->count * sizeof *r->site, MADV_DONTNEED);
}

void sim_check_freed(uintptr_t start, size_t bytes)
{
    for (uintptr_t a = start & ~(GRANULE - 1); a < start + bytes;
         a += GRANULE) {
        const sim_granule_shadow *shadow = granule_of(a)->shadow;
        for (int byte = 0; shadow && byte < 2; byte++) {
            for (int kind = 0; kind < KINDS; kind++)
                free_cells(shadow->cells[byte][kind]);
            free_cells(shadow->written[byte]);
        }
    }
}

bool sim_is_stored(uintptr_t address)
{
    sim_granule_shadow *shadow = granule_of(address)->shadow;
    size_t at = address & (GRANULE - 1);
    for (int byte = 0; shadow && byte < 2; byte++) {
        const cells *r = shadow->cells[byte][WRITE];
        uint32_t epoch = r ? r->epoch[byte ? at : at / 4] : NO_EPOCH;
        if (epoch != NO_EPOCH && shadow->launch == sim_now.together &&
            !sim_turn_name(sim_epoch_block(epoch)))
            return true;
    }
    return false;
}

/** The shadow of a granule, cleared if it is of an earlier launch. */
static sim_granule_shadow *shadow_of(sim_granule *g)
{
    sim_granule_shadow *shadow = __atomic_load_n(&g->shadow, __ATOMIC_ACQUIRE);
    if (shadow && atomic_load_explicit(&shadow->launch, memory_order_acquire) ==
                      sim_now.together)
        return shadow;
    pthread_mutex_lock(&table_lock);
    shadow = g->shadow;
    if (!shadow) {
        shadow = sim_new(sizeof *shadow);
        __atomic_store_n(&g->shadow, shadow, __ATOMIC_RELEASE);
    }
    if (shadow->launch != sim_now.together) {
        for (int kind = 0; kind < KINDS; kind++) {
            clear_cells(shadow->cells[0][kind]);
            clear_cells(shadow->cells[1][kind]);
        }
        atomic_store_explicit(&shadow->launch, sim_now.together,
                              memory_order_release);
    }
    pthread_mutex_unlock(&table_lock);
    return shadow;
}

/** Cells of a granule's words or bytes, made when they are first needed. */
static cells *cells_of(_Atomic(cells *) *where, bool byte)
{
    size_t count = byte ? GRANULE : WORDS;
    cells *r = atomic_load_explicit(where, memory_order_acquire);
    if (r)
        return r;
    pthread_mutex_lock(&table_lock);
    r = atomic_load(where);
    if (!r) {
        r = sim_new(sizeof *r);
        r->epoch = sim_map(count * sizeof *r->epoch);
        r->site = sim_map(count * sizeof *r->site);
        r->count = count;
        atomic_store_explicit(where, r, memory_order_release);
    }
    pthread_mutex_unlock(&table_lock);
    return r;
}

/* ---- conflicts ----------------------------------------------------------- */

/** One lane's access to one word or byte. */
typedef struct {
    sim_worker *w;  /* NULL: host code copies */
    uint32_t epoch; /* sim_epoch() */
    uint32_t site;
    int kind;
    uintptr_t address;
} memory_access;

/** Blocks of one cluster wait for each other in shared memory, which says
 *  nothing about global memory: let them be in order. */
static bool in_one_cluster(uint64_t a, uint64_t b)
{
    for (int i = 0; i < 3; i++) {
        unsigned length = sim_now.grid[i];
        if (a % length / sim_now.cluster[i] != b % length / sim_now.cluster[i])
            return false;
        a /= length;
        b /= length;
    }
    return true;
}

static uint64_t number_of(const memory_access *a)
{
    return a->w ? block_of(a->w) : sim_now.first_block;
}

/** Who has done the other access of a race: "block (1,0,0) has".
 *  @param other   number of the block, unless it is SEVERAL
 *  @param launch  NULL: a block of this one */
static const char *who_has(uint32_t epoch, uint64_t other, const char *launch,
                           uint32_t site)
{
    if (epoch == SEVERAL)
        return "several other blocks have";
    if (launch) /* a copy has no line of its own */
        return sim_format(site ? "kernel %s has" : "%s has", launch);
    uint64_t x = sim_now.grid[0], y = sim_now.grid[1];
    uint64_t b = sim_turn_own(other);
    return sim_format("block (%llu,%llu,%llu) has", (unsigned long long)(b % x),
                      (unsigned long long)(b / x % y),
                      (unsigned long long)(b / x / y));
}

/** A load at @p load may find what was there before the store at @p store. */
static void report_stale(uintptr_t address, uint64_t block, uint32_t load,
                         uint32_t store)
{
    sim_finding(
        "read-only-load",
        (sim_place){.site = load, .other = store, .block = block},
        "read-only load of %s\nthe same launch has written it at %s\nthe cache "
        "of such loads, __ldg and textures, does not notice that",
        sim_name_global(address, 4), sim_position_from(store, load));
}

static void report_same_value(const memory_access *a)
{
    sim_finding(
        "same-word-note",
        (sim_place){.site = a->site, .block = sim_turn_own(number_of(a))},
        "write of %s\nblocks write the same value, in any order",
        sim_name_global(a->address, 4));
}

/** A cell has the epoch of an access of another block that conflicts with this
 *  one: report it, unless one happens before the other. */
static __attribute__((noinline, cold)) void
check_order(const memory_access *a, int kind, uint32_t epoch, uint32_t site)
{
    uint64_t own = number_of(a), other = 0;
    int order = ORDER_CONCURRENT;
    const char *launch = NULL;
    if (epoch == SEVERAL) {
        /* One does not know which, so if this one has waited for any, or any
         * for it, suppose that they were the ones. */
        if (sim_order_any(own) || sim_now.cluster_blocks > 1 ||
            sim_now.first_block)
            return;
    } else {
        order = sim_order_between(a->epoch, epoch);
        other = sim_epoch_block(epoch);
        if (order == ORDER_BEFORE) {
            if (kind == READ && a->w && sim_is_read_only(site) &&
                sim_happens_before(a->epoch, epoch))
                report_stale(a->address, sim_turn_own(other), site, a->site);
            return;
        }
        launch = sim_turn_name(other);
        if (launch ? sim_turn_is_over(other)
                   : in_one_cluster(sim_turn_own(own), sim_turn_own(other)))
            return;
        if (launch)
            order = IN_STREAMS;
    }
    if (a->kind == WRITE && kind == WRITE && sim_same_constant(site, a->site)) {
        report_same_value(a);
        return;
    }
    sim_place place = a->w ? (sim_place){.site = a->site,
                                         .other = site,
                                         .block = a->w->block_number}
                           : sim_caller();
    const char *kind_of_finding = findings[order].kind;
    const char *why = findings[order].why;
    uint32_t look = a->kind == READ ? a->site : kind == READ ? site : 0;
    if (order == ORDER_CONCURRENT && a->kind <= WRITE && kind <= WRITE) {
        const char *wrong = sim_statement_wrong(
            a->site, site, a->kind == WRITE && kind == WRITE, false);
        why = wrong ? sim_format("%s; %s", why, wrong) : why;
    } else if ((a->kind == ATOMIC || kind == ATOMIC) &&
               sim_is_tentative(look)) {
        kind_of_finding = "plain-look-note";
        why = sim_looks_only;
    }
    if (sim_found_before(kind_of_finding, place))
        return;
    void *const *frames = launch ? sim_turn_caller(other) : NULL;
    const char *where =
        site ? sim_format(" at %s", sim_position_from(site, a->site)) : "";
    if (!site && frames) {
        sim_place copy = sim_caller_noted(frames);
        where = sim_format(" at %s:%d", copy.file, copy.line);
    }
    if (launch && strstr(launch, "pageable"))
        why = sim_format("%s; from pageable memory it may go on when its call "
                         "has returned",
                         why);
    sim_finding(kind_of_finding, place, "%s of %s\nby %s; %s %s it%s\n%s",
                kinds[a->kind].name, sim_name_global(a->address, 4),
                a->w ? sim_block_text(a->w) : sim_turn_own_name(),
                who_has(epoch, other, launch, site), kinds[kind].past, where,
                why);
}

/** Is this an epoch of the same block, earlier or later? */
static bool is_own_epoch(const memory_access *a, uint32_t epoch)
{
    return epoch == a->epoch ||
           (a->w && epoch != NO_EPOCH && epoch != SEVERAL &&
            a->w->shadow->releases && sim_epoch_block(epoch) == block_of(a->w));
}

/** Compare with cells [first, first + n) of all kinds that conflict. */
static void check_cells(const memory_access *a, _Atomic(cells *) *all_kinds,
                        size_t first, size_t n)
{
    for (int kind = 0; kind < KINDS; kind++) {
        if (!kinds[a->kind].conflicts[kind])
            continue;
        const cells *r =
            atomic_load_explicit(&all_kinds[kind], memory_order_acquire);
        for (size_t i = first; r && i < first + n; i++) {
            uint32_t epoch =
                atomic_load_explicit(&r->epoch[i], memory_order_relaxed);
            if (epoch != NO_EPOCH && !is_own_epoch(a, epoch)) {
                check_order(a, kind, epoch, r->site[i]);
                return;
            }
        }
    }
}

/** Words that @p bytes touch. */
static size_t words_of(size_t at, size_t bytes)
{
    return (at + bytes + 3) / 4 - at / 4;
}

/** The same of the words and the bytes at [at, at + bytes) in a granule. */
static void check_conflicts(const memory_access *a, sim_granule_shadow *shadow,
                            size_t at, size_t bytes)
{
    check_cells(a, shadow->cells[0], at / 4, words_of(at, bytes));
    check_cells(a, shadow->cells[1], at, bytes);
}

/** Has any of @p n cells an epoch of others that conflicts? */
static bool any_of(const memory_access *a, _Atomic(cells *) *all_kinds,
                   size_t first, size_t n)
{
    uint32_t others = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        const cells *r = all_kinds[kind];
        if (!r || !kinds[a->kind].conflicts[kind])
            continue;
        const uint32_t *epoch =
            (const uint32_t *)(const void *)&r->epoch[first];
        for (size_t i = 0; i < n; i++)
            others |= (epoch[i] != NO_EPOCH) & (epoch[i] != a->epoch);
    }
    return others != 0;
}

static bool any_conflict(const memory_access *a, sim_granule_shadow *shadow,
                         size_t at, size_t bytes)
{
    return any_of(a, shadow->cells[0], at / 4, words_of(at, bytes)) ||
           any_of(a, shadow->cells[1], at, bytes);
}

/** Keep the epoch of the access in a cell; the lock is held. */
static void record(const memory_access *a, cells *r, size_t i)
{
    uint32_t epoch = atomic_load_explicit(&r->epoch[i], memory_order_relaxed);
    if (epoch != a->epoch)
        r->site[i] = a->site;
    /* Of two writers the later one stays: the conflict is reported, or they
     * are in order. */
    uint32_t now = epoch == NO_EPOCH || a->kind == WRITE || a->kind >= UPDATE ||
                           is_own_epoch(a, epoch)
                       ? a->epoch
                       : SEVERAL;
    atomic_store_explicit(&r->epoch[i], now, memory_order_relaxed);
}

/** Keep the epoch in @p n cells at once: nothing in them conflicts. */
static void record_all(const memory_access *a, cells *r, size_t first, size_t n)
{
    uint32_t *epoch = (uint32_t *)(void *)&r->epoch[first], others = 0;
    for (size_t i = 0; i < n; i++)
        others |= (epoch[i] != NO_EPOCH) & (epoch[i] != a->epoch);
    if (others) /* blocks that did the same, without conflict */
        for (size_t i = first; i < first + n; i++)
            record(a, r, i);
    else
        for (size_t i = 0; i < n; i++) {
            epoch[i] = a->epoch;
            r->site[first + i] = a->site;
        }
}

/** Have @p n cells this epoch, or SEVERAL? The usual case, so it is one pass
 *  without branches. */
static bool all_same_epoch(const memory_access *a, const cells *r, size_t first,
                           size_t n)
{
    /* Plain loads: a value that another thread changes meanwhile is either
     * known already or makes this answer false. */
    const uint32_t *epoch = (const uint32_t *)(const void *)&r->epoch[first];
    uint32_t unknown = 0;
    for (size_t i = 0; i < n; i++)
        unknown |= (epoch[i] != a->epoch) & (epoch[i] != SEVERAL);
    return !unknown;
}

/* ---- requests ------------------------------------------------------------ */

/** An access to @p bytes of one granule, word by word or byte by byte. The
 *  cells of other kinds, and of bytes or words, are looked at, too. */
static void check_range(memory_access *a, sim_granule_shadow *shadow, bool byte,
                        size_t bytes)
{
    size_t at = a->address & (GRANULE - 1), end = at + bytes;
    unsigned shift = byte ? 0 : 2; /* from bytes to cells */
    cells *r = cells_of(&shadow->cells[byte][a->kind], byte);
    if (all_same_epoch(a, r, at >> shift, bytes >> shift))
        return;
    while (at < end) {
        uintptr_t locked = a->address;
        size_t stop = ((at >> LOCK_SHIFT) + 1) << LOCK_SHIFT;
        stop = stop < end ? stop : end;
        lock_address(locked);
        if (!any_conflict(a, shadow, at, stop - at)) {
            record_all(a, r, at >> shift, (stop - at) >> shift);
            a->address += stop - at;
            at = stop;
        }
        for (size_t step = 1u << shift; at < stop; at += step) {
            if (!all_same_epoch(a, r, at >> shift, 1)) {
                check_conflicts(a, shadow, at, step);
                record(a, r, at >> shift);
            }
            a->address += step;
        }
        unlock_address(locked);
    }
}

/* ---- clocks -------------------------------------------------------------- */

/*
 * A hook numbers the releases of a block as they are written, but requests come
 * here later, and of several warps in any order. What is certain: an access
 * comes behind the releases of its block before the last barrier, and behind
 * those that its own lane has written since. So that many is its clock. If it
 * comes behind more than these, it is taken for older than it is: nothing is
 * invented.
 */

/** The clock of a thread of the block. */
static uint32_t clock_of(const sim_worker *w, unsigned thread)
{
    const sim_thread_releases *own = &w->shadow->thread_releases[thread];
    uint32_t clock =
        w->shadow->barrier_releases +
        (own->barrier_clock == w->barrier_clock ? own->releases : 0);
    return clock < MAX_CLOCK ? clock : MAX_CLOCK;
}

/** Is this the clock of all lanes of a mask? */
static bool have_same_clock(const sim_worker *w, unsigned warp, uint32_t mask,
                            uint32_t clock)
{
    if (w->shadow->releases_differ != w->barrier_clock)
        return true;
    FOR_EACH_LANE (l, mask)
        if (clock_of(w, warp * LANES + l) != clock)
            return false;
    return true;
}

/** The epoch of the worker's block at a clock. */
static uint32_t epoch_at(sim_worker *w, uint32_t clock)
{
    if (!w->shadow->epochs[clock])
        w->shadow->epochs[clock] = sim_epoch(block_of(w), clock);
    return w->shadow->epochs[clock];
}

/** Lanes have written a flag, a release. */
static void count_releases(sim_worker *w, unsigned warp, uint32_t mask)
{
    FOR_EACH_LANE (l, mask) {
        sim_thread_releases *own =
            &w->shadow->thread_releases[warp * LANES + l];
        own->releases =
            own->barrier_clock == w->barrier_clock ? own->releases + 1 : 1;
        own->barrier_clock = w->barrier_clock;
    }
    w->shadow->releases_differ = w->barrier_clock;
}

/** Check a request whose lanes have the same clock. */
static void check_request(sim_worker *w, const sim_request *request,
                          uint32_t epoch)
{
    uint64_t first = request->first;
    uint32_t mask = request->mask;
    unsigned bytes = access_bytes(first), op = access_op(first);
    memory_access a = {.w = w,
                       .epoch = epoch,
                       .site = request->site,
                       .kind = kind_of(op, access_flavour(first)),
                       .address = access_address(first)};
    if (request->pattern == PATTERN_SAME)
        mask &= -mask;
    if (request->pattern == PATTERN_CONSECUTIVE &&
        (a.address & (GRANULE - 1)) + LANES * bytes <= GRANULE) {
        check_range(&a, shadow_of(granule_of(a.address)), bytes < 4,
                    LANES * bytes);
        return;
    }
    uintptr_t granule = 0; /* of the lane before: most often the same */
    sim_granule_shadow *shadow = NULL;
    FOR_EACH_LANE (l, mask) {
        a.address = access_address(request->access[l]);
        if (a.address >> GRANULE_SHIFT != granule) {
            granule = a.address >> GRANULE_SHIFT;
            shadow = shadow_of(granule_of(a.address));
        }
        check_range(&a, shadow, bytes < 4, bytes);
    }
}

/** Lanes have read what may be flags. */
static void acquire(const sim_worker *w, const uint64_t access[LANES],
                    uint32_t mask)
{
    FOR_EACH_LANE (l, mask) {
        uintptr_t at = access_address(access[l]);
        uintptr_t end = at + access_bytes(access[l]);
        for (at &= ~(uintptr_t)3; at < end; at += 4)
            sim_order_acquire(block_of(w), at,
                              access_op(access[l]) == OP_ATOMIC);
    }
}

void sim_check_global(sim_worker *w, const sim_request *r)
{
    unsigned op = access_op(r->first), flavour = access_flavour(r->first);
    bool is_volatile = op != OP_ATOMIC && flavour & FLAVOUR_VOLATILE;
    bool atomic = op == OP_ATOMIC && !(flavour & FLAVOUR_BLOCK);
    uint32_t one = r->mask & -r->mask;
    if (atomic ? flavour & FLAVOUR_USED : is_volatile && op == OP_LOAD)
        acquire(w, r->access, r->pattern == PATTERN_SAME ? one : r->mask);
    uint32_t clock =
        clock_of(w, r->warp * LANES + (unsigned)__builtin_ctz(one));
    if (have_same_clock(w, r->warp, r->mask, clock))
        check_request(w, r, epoch_at(w, clock));
    else
        FOR_EACH_LANE (l, r->mask) {
            sim_request lane = {.access = r->access,
                                .first = r->access[l],
                                .mask = 1u << l,
                                .site = r->site};
            check_request(w, &lane,
                          epoch_at(w, clock_of(w, r->warp * LANES + l)));
        }
    if (atomic || (is_volatile && op == OP_STORE))
        count_releases(w, r->warp, r->mask);
}

/* ---- loads through the read-only cache ----------------------------------- */

static uint32_t first_serial; /* of the launch: a wait of the grid counts on */

void sim_check_launch(void)
{
    first_serial = sim_now.serial;
}

/** Where has this launch written an entry? 0: nowhere. */
static uint32_t written_at(sim_granule_shadow *shadow, bool byte, size_t i)
{
    const cells *r = atomic_load(&shadow->written[byte]);
    if (!r ||
        atomic_load_explicit(&r->epoch[i], memory_order_acquire) < first_serial)
        return 0;
    return r->site[i];
}

void sim_check_read_only(sim_worker *w, const sim_request *request)
{
    unsigned bytes = access_bytes(request->first);
    bool writes = access_op(request->first) != OP_LOAD, small = bytes < 4;
    if (!writes && !sim_is_read_only(request->site))
        return;
    FOR_EACH_LANE (l, request->mask) {
        uintptr_t a = access_address(request->access[l]), end = a + bytes;
        sim_granule *g = granule_of(a);
        if (g->written < first_serial)
            continue;
        sim_granule_shadow *shadow = shadow_of(g);
        cells *r = writes ? cells_of(&shadow->written[small], small) : NULL;
        for (; a < end; a += small ? 1 : 4) {
            size_t at = a & (GRANULE - 1);
            if (writes) {
                r->site[small ? at : at / 4] = request->site;
                atomic_store_explicit(&r->epoch[small ? at : at / 4],
                                      sim_now.serial, memory_order_release);
                continue;
            }
            uint32_t store = written_at(shadow, false, at / 4);
            for (size_t i = 0; i < (small ? 1 : 4) && !store; i++)
                store = written_at(shadow, true, at + i);
            if (store) {
                report_stale(a, w->block_number, request->site, store);
                break;
            }
        }
    }
}

void sim_check_moved(uintptr_t start, size_t bytes, bool write)
{
    memory_access a = {.epoch = sim_epoch(sim_now.first_block, 0),
                       .kind = write ? WRITE : READ};
    for (uintptr_t end = start + bytes, stop; start < end; start = stop) {
        bool byte = start % 4 || end - start < 4;
        stop = (start | (GRANULE - 1)) + 1;
        stop = byte ? start + 1 : stop < end ? stop : end & ~(uintptr_t)3;
        a.address = start;
        check_range(&a, shadow_of(granule_of(start)), byte, stop - start);
    }
}
