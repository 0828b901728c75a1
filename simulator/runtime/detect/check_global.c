/**
 * @file check_global.c
 * @brief Races between the blocks of one launch through global memory, and
 * between launches and copies that may overlap: turn.h gives their blocks
 * numbers as if they were one launch's.
 *
 * Blocks run in any order. So if two blocks touch one word, at least one of
 * them writes and not both do it by atomics, the result depends on luck,
 * unless one block has waited for the other (order.c).
 *
 * For each word there are records of each way to access it (plain reads, plain
 * writes, atomics ...): nobody, one block, or several. An access that its block
 * has already recorded is done after one comparison, without a lock and without
 * looking at the other records: whoever comes later and conflicts changes a
 * record of his own, and looks then. Changes take a lock that belongs to the
 * address, so of two conflicting blocks the second one always sees the first.
 *
 * Volatile accesses are how blocks talk to each other, so a volatile store
 * counts as atomic, and a volatile load conflicts with plain writes only. But
 * `(*p)++` on volatile memory is a load and a store, and another block may come
 * between them: an update, which conflicts with all but volatile loads.
 *
 * Accesses of 1 and 2 bytes have records per byte. They look at those of the
 * words, too, and the other way round.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "../../include/cuda_runtime_api.h"
#include "../core/alloc.h"
#include "../core/caller.h"
#include "../core/findings.h"
#include "../core/names.h"
#include "../core/sites.h"
#include "../core/text.h"
#include "../core/turn.h"
#include "check.h"
#include "order.h"

#define GRANULE ((size_t)1 << GRANULE_SHIFT)
#define WORDS (GRANULE / 4) /**< of a granule */
#define NOBODY 0u           /**< no block; see sim_order_name() */
#define SEVERAL 0xffffffffu /**< more than one block */
#define LOCKS 4096          /**< a power of two */
#define LOCK_SHIFT 9        /**< bytes that share a lock: 512 */

/** Ways to access a word. POLLS are volatile loads; what is LOCAL is atomic for
 *  its own block only. */
enum { READS, POLLS, WRITES, ATOMICS, UPDATES, LOCAL, WAYS };

/** Which pairs of ways conflict between two blocks. */
static const bool conflict[WAYS][WAYS] = {
    [READS] =
        {[WRITES] = true, [ATOMICS] = true, [UPDATES] = true, [LOCAL] = true},
    [POLLS] = {[WRITES] = true},
    [WRITES] = {true, true, true, true, true, true},
    [ATOMICS] =
        {[READS] = true, [WRITES] = true, [UPDATES] = true, [LOCAL] = true},
    [UPDATES] = {true, false, true, true, true, true},
    [LOCAL] = {true, false, true, true, true, true}};

/** In which way does a request access memory? */
static int way_of(unsigned op, unsigned flavour)
{
    bool is_volatile = op != OP_ATOMIC && flavour & FLAVOUR_VOLATILE;
    if (op == OP_LOAD)
        return is_volatile ? POLLS : READS;
    if (op == OP_STORE && !is_volatile)
        return WRITES;
    if (op == OP_ATOMIC && flavour & FLAVOUR_BLOCK)
        return LOCAL;
    return op == OP_STORE && flavour & FLAVOUR_UPDATE ? UPDATES : ATOMICS;
}

/** Who has done it, and where: one array each, so that 32 successive words
 *  are compared at once. */
typedef struct {
    _Atomic uint32_t *who;
    uint32_t *site;
    size_t count; /* entries of each */
} record;

/** The shadow of a granule. */
struct sim_race {
    _Atomic uint32_t launch;      /**< that the records belong to */
    _Atomic(record *) word[WAYS]; /**< NULL: nobody did */
    _Atomic(record *) byte[WAYS]; /**< NULL: nobody did */
    /* Of words and bytes: the latest launch that wrote, and where. */
    _Atomic(record *) written[2];
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

/* ---- records ------------------------------------------------------------- */

static void forget(record *r)
{
    if (r)
        memset(r->who, 0, r->count * sizeof *r->who);
}

/** Give the memory of a record back; nobody has done anything then. */
static void give_back(const record *r)
{
    if (!r)
        return;
    madvise(r->who, r->count * sizeof *r->who, MADV_DONTNEED);
    madvise(r->site, r->count * sizeof *r->site, MADV_DONTNEED);
}

void sim_check_freed(uintptr_t start, size_t bytes)
{
    for (uintptr_t a = start & ~(GRANULE - 1); a < start + bytes;
         a += GRANULE) {
        const sim_race *race = granule_of(a)->race;
        for (int way = 0; race && way < WAYS; way++) {
            give_back(race->word[way]);
            give_back(race->byte[way]);
        }
        for (int byte = 0; race && byte < 2; byte++)
            give_back(race->written[byte]);
    }
}

/** The shadow of a granule, cleared if it is of an earlier launch. */
static sim_race *race_of(sim_granule *g)
{
    sim_race *race = __atomic_load_n(&g->race, __ATOMIC_ACQUIRE);
    if (race && atomic_load_explicit(&race->launch, memory_order_acquire) ==
                    sim_now.together)
        return race;
    pthread_mutex_lock(&table_lock);
    race = g->race;
    if (!race) {
        race = sim_new(sizeof *race);
        __atomic_store_n(&g->race, race, __ATOMIC_RELEASE);
    }
    if (race->launch != sim_now.together) {
        for (int way = 0; way < WAYS; way++) {
            forget(race->word[way]);
            forget(race->byte[way]);
        }
        atomic_store_explicit(&race->launch, sim_now.together,
                              memory_order_release);
    }
    pthread_mutex_unlock(&table_lock);
    return race;
}

/** One record of a granule, made when it is first needed. */
static record *record_of(_Atomic(record *) *where, size_t count)
{
    record *r = atomic_load_explicit(where, memory_order_acquire);
    if (r)
        return r;
    pthread_mutex_lock(&table_lock);
    r = atomic_load(where);
    if (!r) {
        r = sim_new(sizeof *r);
        r->who = sim_map(count * sizeof *r->who);
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
    sim_worker *w; /* NULL: host code copies */
    uint32_t me;   /* sim_order_name() */
    uint32_t site;
    int way;
    uintptr_t address;
} visit;

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

static uint64_t number_of(const visit *v)
{
    return v->w ? block_of(v->w) : sim_now.first_block;
}

/** What has done the other access of a race, for people.
 *  @param launch  NULL: a block of this one */
static const char *who_else(uint32_t who, uint64_t theirs, const char *launch,
                            uint32_t site)
{
    if (who == SEVERAL)
        return "several other blocks";
    if (launch) /* a copy has no line of its own */
        return site ? sim_format("kernel %s", launch) : launch;
    uint64_t x = sim_now.grid[0], y = sim_now.grid[1];
    uint64_t b = sim_turn_own(theirs);
    return sim_format("block (%llu,%llu,%llu)", (unsigned long long)(b % x),
                      (unsigned long long)(b / x % y),
                      (unsigned long long)(b / x / y));
}

/** A load at @p load may find what was there before the store at @p store. */
static void report_stale(uintptr_t address, uint64_t block, uint32_t load,
                         uint32_t store)
{
    sim_finding("read-only-load",
                (sim_place){.site = load, .other = store, .block = block},
                sim_format("read-only load of %s\nthe same launch has written "
                           "it at %s\nthe cache of such loads, __ldg and "
                           "textures, does not notice that",
                           sim_name_global(address, 4),
                           sim_position_from(store, load)));
}

static __attribute__((noinline, cold)) void report(const visit *v, int way,
                                                   uint32_t who, uint32_t site)
{
    static const char *const verbs[] = {
        "read",   "read",
        "write",  "atomic operation",
        "update", "atomic operation of the block's scope"};
    static const char *const past[] = {"read",    "read",    "written",
                                       "changed", "updated", "changed"};
    uint64_t mine = number_of(v);
    uint64_t theirs = who == SEVERAL ? 0 : sim_order_block(who);
    sim_order order =
        who == SEVERAL ? ORDER_NONE : sim_order_between(v->me, who);
    if (order == ORDER_FENCED && way == READS && v->w &&
        sim_is_read_only(site) && sim_order_seen(who, v->me))
        report_stale(v->address, sim_turn_own(theirs), site, v->site);
    if (order == ORDER_FENCED)
        return;
    /* Of several blocks one does not know which, so if this one has waited
     * for any, or any for it, suppose that they were the ones. */
    if (who == SEVERAL && (sim_order_any(mine) || sim_now.cluster_blocks > 1 ||
                           sim_now.first_block))
        return;
    const char *launch = who == SEVERAL ? NULL : sim_turn_name(theirs);
    if (launch ? sim_turn_is_over(theirs)
               : who != SEVERAL &&
                     in_one_cluster(sim_turn_own(mine), sim_turn_own(theirs)))
        return;
    if (v->way == WRITES && way == WRITES && sim_same_constant(site, v->site)) {
        sim_finding("same-word-note",
                    (sim_place){.site = v->site, .block = sim_turn_own(mine)},
                    sim_format("write of %s\nblocks write the same value, in "
                               "any order",
                               sim_name_global(v->address, 4)));
        return;
    }
    sim_place place = v->w ? (sim_place){.site = v->site,
                                         .other = site,
                                         .block = v->w->block_number}
                           : sim_caller();
    static const char *const why[] = {
        [ORDER_NONE] = "blocks of one launch run in any order",
        [ORDER_UNFENCED] = "a flag orders the two, but no __threadfence comes "
                           "before the flag is set",
        [ORDER_EARLY] = "a flag orders the two, but no __threadfence comes "
                        "behind reading the flag"};
    const char *kind = launch                ? "stream-race"
                       : order == ORDER_NONE ? "global-race"
                                             : "missing-fence";
    if (sim_found_before(kind, place))
        return;
    const char *other = who_else(who, theirs, launch, site);
    sim_finding(kind, place,
                sim_format("%s of %s\nby %s; %s %s %s it%s%s\n%s",
                           verbs[v->way], sim_name_global(v->address, 4),
                           v->w ? sim_block_text(v->w) : sim_turn_own_name(),
                           other, who == SEVERAL ? "have" : "has", past[way],
                           site ? " at " : "",
                           site ? sim_position_from(site, v->site) : "",
                           launch ? "the two are in streams that do not wait "
                                    "for each other"
                                  : why[order]));
}

/** Is this an earlier or later moment of the visitor's own block? */
static bool is_own(const visit *v, uint32_t who)
{
    return who == v->me ||
           (v->w && who != NOBODY && who != SEVERAL && v->w->shadow->releases &&
            sim_order_block(who) == block_of(v->w));
}

/** Compare with what others have recorded in entries [first, first + n). */
static void look(const visit *v, _Atomic(record *) *records, size_t first,
                 size_t n)
{
    for (int way = 0; way < WAYS; way++) {
        if (!conflict[v->way][way])
            continue;
        const record *r =
            atomic_load_explicit(&records[way], memory_order_acquire);
        for (size_t i = first; r && i < first + n; i++) {
            uint32_t who =
                atomic_load_explicit(&r->who[i], memory_order_relaxed);
            if (who != NOBODY && !is_own(v, who)) {
                report(v, way, who, r->site[i]);
                return;
            }
        }
    }
}

/** Note the access in a record; the lock is held. */
static void note(const visit *v, record *r, size_t i)
{
    uint32_t who = atomic_load_explicit(&r->who[i], memory_order_relaxed);
    if (who != v->me)
        r->site[i] = v->site;
    /* Of two writers the later one stays: the conflict is reported, or they
     * are in order. */
    uint32_t now =
        who == NOBODY || v->way == WRITES || v->way >= UPDATES || is_own(v, who)
            ? v->me
            : SEVERAL;
    atomic_store_explicit(&r->who[i], now, memory_order_relaxed);
}

static bool is_known(const visit *v, const record *r, size_t i)
{
    uint32_t who = atomic_load_explicit(&r->who[i], memory_order_relaxed);
    return who == v->me || who == SEVERAL;
}

/** One entry of a record, of a word or of a byte. The other kind's entries for
 *  the same memory are looked at, too. */
static inline void visit_entry(const visit *v, sim_race *race, record *r,
                               bool byte)
{
    size_t at = v->address & (GRANULE - 1), i = byte ? at : at / 4;
    if (is_known(v, r, i))
        return;
    lock_address(v->address);
    look(v, race->word, at / 4, 1);
    look(v, race->byte, byte ? at : at / 4 * 4, byte ? 1 : 4);
    note(v, r, i);
    unlock_address(v->address);
}

/* ---- requests ------------------------------------------------------------ */

/** Are @p count successive words all recorded for this block, or for several?
 *  The usual case, so it is one pass without branches. */
static bool all_known(const visit *v, sim_race *race, size_t count)
{
    const record *r =
        atomic_load_explicit(&race->word[v->way], memory_order_acquire);
    size_t first = (v->address & (GRANULE - 1)) / 4;
    if (!r || first + count > WORDS)
        return false;
    /* Plain loads: a value that another thread changes meanwhile is either
     * known already or makes this answer false. */
    const uint32_t *who = (const uint32_t *)(const void *)&r->who[first];
    uint32_t unknown = 0;
    for (size_t i = 0; i < count; i++)
        unknown |= (who[i] != v->me) & (who[i] != SEVERAL);
    return !unknown;
}

/** Note the access in @p n entries at once: nothing in them conflicts. */
static void note_all(const visit *v, record *r, size_t first, size_t n)
{
    uint32_t *who = (uint32_t *)(void *)&r->who[first], others = 0;
    for (size_t i = 0; i < n; i++)
        others |= (who[i] != NOBODY) & (who[i] != v->me);
    if (others) /* blocks that did the same, without conflict */
        for (size_t i = first; i < first + n; i++)
            note(v, r, i);
    else
        for (size_t i = 0; i < n; i++) {
            who[i] = v->me;
            r->site[first + i] = v->site;
        }
}

/** Have others done anything in entries that conflicts with this access? */
static bool touched(const visit *v, _Atomic(record *) *records, size_t first,
                    size_t n)
{
    uint32_t others = 0;
    for (int way = 0; way < WAYS; way++) {
        const record *r = records[way];
        if (!r || !conflict[v->way][way])
            continue;
        const uint32_t *who = (const uint32_t *)(const void *)&r->who[first];
        for (size_t i = 0; i < n; i++)
            others |= (who[i] != NOBODY) & (who[i] != v->me);
    }
    return others != 0;
}

/** A row of so many bytes, in chars or shorts, if all of it is as usual: known
 *  already, or touched by nobody else. @return false: look at each */
static bool visit_byte_row(const visit *v, sim_race *race, size_t bytes)
{
    record *r = record_of(&race->byte[v->way], GRANULE);
    size_t first = v->address & (GRANULE - 1);
    const uint32_t *who = (const uint32_t *)(const void *)&r->who[first];
    uint32_t unknown = 0;
    for (size_t i = 0; i < bytes; i++)
        unknown |= (who[i] != v->me) & (who[i] != SEVERAL);
    if (!unknown)
        return true;
    if ((v->address + bytes - 1) >> LOCK_SHIFT != v->address >> LOCK_SHIFT)
        return false; /* two locks */
    lock_address(v->address);
    bool alone = !touched(v, race->byte, first, bytes) &&
                 !touched(v, race->word, first / 4,
                          (first + bytes - 1) / 4 - first / 4 + 1);
    if (alone)
        note_all(v, r, first, bytes);
    unlock_address(v->address);
    return alone;
}

/** A whole row of words at once, under one lock where they share it. */
static void visit_row(visit *v, sim_race *race, size_t count)
{
    record *r = record_of(&race->word[v->way], WORDS);
    uintptr_t end = v->address + 4 * count;
    while (v->address < end) {
        uintptr_t locked = v->address;
        uintptr_t stop = ((locked >> LOCK_SHIFT) + 1) << LOCK_SHIFT;
        if (stop > end)
            stop = end;
        size_t first = (locked & (GRANULE - 1)) / 4, n = (stop - locked) / 4;
        lock_address(locked);
        bool bytes = false;
        for (int way = 0; way < WAYS; way++)
            bytes |= race->byte[way] != NULL;
        if (!bytes && !touched(v, race->word, first, n)) {
            note_all(v, r, first, n);
            v->address = stop;
        }
        for (; v->address < stop; v->address += 4) {
            size_t word = (v->address & (GRANULE - 1)) / 4;
            if (is_known(v, r, word))
                continue;
            look(v, race->word, word, 1);
            look(v, race->byte, 4 * word, 4);
            note(v, r, word);
        }
        unlock_address(locked);
    }
}

/* ---- clocks -------------------------------------------------------------- */

/*
 * A hook numbers the flags of a block as they are written, but requests come
 * here later, and of several warps in any order. What is certain: an access
 * comes behind the flags of its block before the last barrier, and behind those
 * that its own lane has written since. So that many is its clock. If it comes
 * behind more than these, it is taken for older than it is: nothing is
 * invented.
 */

/** The clock of a thread of the block. */
static uint32_t clock_of(const sim_worker *w, unsigned thread)
{
    const sim_thread_clock *own = &w->shadow->clocks[thread];
    uint32_t clock =
        w->shadow->released + (own->epoch == w->epoch ? own->releases : 0);
    return clock < MAX_CLOCK ? clock : MAX_CLOCK;
}

/** Is this the clock of all lanes of a mask? */
static bool have_same_clock(const sim_worker *w, unsigned warp, uint32_t mask,
                            uint32_t clock)
{
    if (w->shadow->apart != w->epoch)
        return true;
    FOR_EACH_LANE (l, mask)
        if (clock_of(w, warp * LANES + l) != clock)
            return false;
    return true;
}

/** The name of the worker's block at a clock. */
static uint32_t name_at(sim_worker *w, uint32_t clock)
{
    if (!w->shadow->names[clock])
        w->shadow->names[clock] = sim_order_name(block_of(w), clock);
    return w->shadow->names[clock];
}

/** Lanes have written a flag. */
static void advance(sim_worker *w, unsigned warp, uint32_t mask)
{
    FOR_EACH_LANE (l, mask) {
        sim_thread_clock *own = &w->shadow->clocks[warp * LANES + l];
        own->releases = own->epoch == w->epoch ? own->releases + 1 : 1;
        own->epoch = w->epoch;
    }
    w->shadow->apart = w->epoch;
}

/** Check a request whose lanes have the same clock. */
static void check_request(sim_worker *w, const sim_request *request,
                          uint32_t me)
{
    uint64_t first = request->first;
    uint32_t mask = request->mask;
    sim_pattern pattern = request->pattern;
    unsigned bytes = access_bytes(first), op = access_op(first);
    unsigned flavour = access_flavour(first);
    visit v = {.w = w,
               .me = me,
               .site = request->site,
               .way = way_of(op, flavour),
               .address = access_address(first)};
    if (pattern == PATTERN_SAME)
        mask &= -mask;
    if (pattern == PATTERN_CONSECUTIVE && bytes >= 4 &&
        (v.address & (GRANULE - 1)) + LANES * bytes <= GRANULE) {
        sim_race *race = race_of(granule_of(v.address));
        if (!all_known(&v, race, LANES * bytes / 4))
            visit_row(&v, race, LANES * bytes / 4);
        return;
    }
    if (pattern == PATTERN_CONSECUTIVE && bytes < 4 &&
        (v.address & (GRANULE - 1)) + LANES * bytes <= GRANULE &&
        visit_byte_row(&v, race_of(granule_of(v.address)), LANES * bytes))
        return;
    uintptr_t granule = 0; /* of the lane before: most often the same */
    sim_race *race = NULL;
    record *r = NULL;
    FOR_EACH_LANE (l, mask) {
        v.address = access_address(request->access[l]);
        if (v.address >> GRANULE_SHIFT != granule) {
            granule = v.address >> GRANULE_SHIFT;
            race = race_of(granule_of(v.address));
            r = bytes < 4 ? record_of(&race->byte[v.way], GRANULE)
                          : record_of(&race->word[v.way], WORDS);
        }
        uintptr_t end = v.address + bytes;
        if (bytes < 4)
            for (; v.address < end; v.address++)
                visit_entry(&v, race, r, true);
        else
            for (; v.address < end; v.address += 4)
                visit_entry(&v, race, r, false);
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
            sim_order_acquire(block_of(w), at);
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
        check_request(w, r, name_at(w, clock));
    else
        FOR_EACH_LANE (l, r->mask) {
            sim_request lane = {.access = r->access,
                                .first = r->access[l],
                                .mask = 1u << l,
                                .site = r->site};
            check_request(w, &lane,
                          name_at(w, clock_of(w, r->warp * LANES + l)));
        }
    if (atomic || (is_volatile && op == OP_STORE))
        advance(w, r->warp, r->mask);
}

/* ---- loads through the read-only cache ------------------------------------
 */

static uint32_t first_serial; /* of the launch: a wait of the grid counts on */

void sim_check_launch(void)
{
    first_serial = sim_now.serial;
}

/** Where has this launch written an entry? 0: nowhere. */
static uint32_t written_at(sim_race *race, bool byte, size_t i)
{
    const record *r = atomic_load(&race->written[byte]);
    if (!r ||
        atomic_load_explicit(&r->who[i], memory_order_acquire) < first_serial)
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
        sim_race *race = race_of(g);
        record *r =
            writes ? record_of(&race->written[small], small ? GRANULE : WORDS)
                   : NULL;
        for (; a < end; a += small ? 1 : 4) {
            size_t at = a & (GRANULE - 1);
            if (writes) {
                r->site[small ? at : at / 4] = request->site;
                atomic_store_explicit(&r->who[small ? at : at / 4],
                                      sim_now.serial, memory_order_release);
                continue;
            }
            uint32_t store = written_at(race, false, at / 4);
            for (size_t i = 0; i < (small ? 1 : 4) && !store; i++)
                store = written_at(race, true, at + i);
            if (store) {
                report_stale(a, w->block_number, request->site, store);
                break;
            }
        }
    }
}

void sim_check_moved(uintptr_t start, size_t bytes, bool write)
{
    visit v = {.me = sim_order_name(sim_now.first_block, 0),
               .way = write ? WRITES : READS};
    for (uintptr_t end = start + bytes; start < end; start = v.address) {
        sim_race *race = race_of(granule_of(start));
        uintptr_t stop = (start | (GRANULE - 1)) + 1;
        stop = stop < end ? stop : end;
        v.address = start;
        if (start % 4 || stop - start < 4) {
            visit_entry(&v, race, record_of(&race->byte[v.way], GRANULE), true);
            v.address++;
        } else {
            visit_row(&v, race, (stop - start) / 4);
        }
    }
}
