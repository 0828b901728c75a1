/**
 * @file order.c
 * @brief Happens-before between blocks, as far as a kernel makes it.
 *
 * Blocks of one launch are not ordered, unless one writes a flag and another
 * reads it: the last block of a reduction, the look-back of a scan. A flag is
 * what atomics and volatile accesses touch. Each flag keeps the set of blocks
 * that have written to it; a block that reads the flag adds that set to its
 * own; and what it writes to a flag later carries its own set along. Fences
 * belong on both sides: of those that wrote without one, and of those behind
 * whose flags the reader has none yet, the order is not to be relied on.
 *
 * What a block does after it has written its flag is not in order with who
 * reads it. So a block has a clock: how many flags it has written. A set holds
 * with each block the number of the latest flag, and an access is in order if
 * it came before that one (check_global.c knows the clock of an access). Behind
 * MAX_CLOCK flags nothing is told apart. What the reading block did before it
 * read counts as in order, too. Both may hide a race, never invent one.
 *
 * Blocks are started in order, so these sets are nearly always a few
 * intervals. A set with too many becomes larger than it is, on the same side
 * of caution.
 */
#include "order.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../core/alloc.h"

#define INTERVALS 12 /**< that a set can hold */

/** Blocks of successive numbers that have written as many flags. */
typedef struct {
    uint64_t first;
    uint64_t last;
    uint32_t clock; /* number of the latest flag, from 1 */
} interval;

/** A set of blocks: disjoint intervals in ascending order. */
typedef struct {
    int count;
    interval at[2 * INTERVALS + 2]; /* more than INTERVALS only for a moment */
} set;

/** A block at one moment; see sim_order_name(). */
typedef struct {
    uint64_t block;
    uint32_t clock;
} moment;

/** A flag, or a block: what has been seen through it. */
typedef struct {
    uint64_t name; /* address or block number */
    bool used;     /* this slot of the table */
    set blocks;    /* all that were seen */
    set unfenced;  /* those of them that forgot the fence */
    set settled;   /* of a block: those behind whose flags it has fenced */
} entry;

/** Open-addressing hash table. */
typedef struct {
    entry *entries;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
} table;

static table flags, readers;
static moment *moments; /* of names from LAST_NAME down */
static uint32_t moment_count, moment_capacity;
static set seen; /* blocks that anybody has seen */
static atomic_bool empty = true;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- sets ---------------------------------------------------------------- */

/** Has @p block written a flag behind what it did at @p clock? */
static bool set_has(const set *s, uint64_t block, uint32_t clock)
{
    for (int i = 0; i < s->count; i++)
        if (block >= s->at[i].first && block <= s->at[i].last)
            return s->at[i].clock > clock;
    return false;
}

/** Append an interval, or make the last one longer. */
static void set_append(set *s, uint64_t first, uint64_t last, uint32_t clock)
{
    interval *before = &s->at[s->count - 1];
    if (s->count && before->last + 1 == first && before->clock == clock)
        before->last = last;
    else
        s->at[s->count++] = (interval){first, last, clock};
}

/** Make room by joining the two intervals with the smallest gap. */
static void set_shrink(set *s)
{
    int best = 0;
    for (int i = 1; i + 1 < s->count; i++)
        if (s->at[i + 1].first - s->at[i].last <
            s->at[best + 1].first - s->at[best].last)
            best = i;
    interval *a = &s->at[best], *b = a + 1;
    a->last = b->last;
    a->clock = b->clock > a->clock ? b->clock : a->clock;
    s->count--;
    memmove(b, b + 1, (size_t)(s->count - best - 1) * sizeof *b);
}

/** Add blocks; those that are there get the later clock. */
static void set_add(set *s, interval more)
{
    set all = {0};
    bool left = true; /* something of more is not in all yet */
    for (int i = 0; i < s->count; i++) {
        interval old = s->at[i];
        if (left && more.first < old.first) {
            uint64_t last = more.last < old.first ? more.last : old.first - 1;
            set_append(&all, more.first, last, more.clock);
            left = more.last >= old.first;
            more.first = old.first;
        }
        if (left && more.first <= old.last) { /* and not before old.first */
            if (old.first < more.first)
                set_append(&all, old.first, more.first - 1, old.clock);
            uint64_t last = more.last < old.last ? more.last : old.last;
            set_append(&all, more.first, last,
                       more.clock > old.clock ? more.clock : old.clock);
            left = more.last > old.last;
            more.first = old.first = last + 1;
        }
        if (old.first <= old.last)
            set_append(&all, old.first, old.last, old.clock);
    }
    if (left)
        set_append(&all, more.first, more.last, more.clock);
    while (all.count > INTERVALS)
        set_shrink(&all);
    *s = all;
}

static void set_add_all(set *s, const set *other)
{
    for (int i = 0; i < other->count; i++)
        set_add(s, other->at[i]);
}

/** Is every block of @p part in @p whole, with a clock not behind? */
static bool set_includes(const set *whole, const set *part)
{
    for (int i = 0; i < part->count; i++) {
        const interval *p = &part->at[i];
        bool inside = false;
        for (int k = 0; k < whole->count && !inside; k++)
            inside = whole->at[k].first <= p->first &&
                     whole->at[k].last >= p->last &&
                     whole->at[k].clock >= p->clock;
        if (!inside)
            return false;
    }
    return true;
}

/* ---- tables -------------------------------------------------------------- */

/** The slot of @p name: its entry, or the free one where it belongs. */
static entry *slot(const table *t, uint64_t name)
{
    size_t i = (size_t)(name * UINT64_C(0x9e3779b97f4a7c15) >> 20);
    while (t->entries[i & (t->capacity - 1)].used &&
           t->entries[i & (t->capacity - 1)].name != name)
        i++;
    return &t->entries[i & (t->capacity - 1)];
}

/** @return NULL: not there */
static entry *find(const table *t, uint64_t name)
{
    if (!t->capacity)
        return NULL;
    entry *e = slot(t, name);
    return e->used ? e : NULL;
}

static entry *find_or_add(table *t, uint64_t name)
{
    if (2 * t->count >= t->capacity) {
        table larger = {.capacity = t->capacity ? 2 * t->capacity : 64};
        larger.entries = sim_new(larger.capacity * sizeof(entry));
        for (size_t i = 0; i < t->capacity; i++)
            if (t->entries[i].used)
                *slot(&larger, t->entries[i].name) = t->entries[i];
        larger.count = t->count;
        free(t->entries);
        *t = larger;
    }
    entry *e = slot(t, name);
    if (!e->used) {
        e->used = true;
        e->name = name;
        t->count++;
    }
    return e;
}

static void clear(table *t)
{
    free(t->entries);
    *t = (table){0};
}

/* ---- flags --------------------------------------------------------------- */

void sim_order_reset(void)
{
    clear(&flags);
    clear(&readers);
    seen.count = 0;
    moment_count = 0;
    empty = true;
}

void sim_order_release(uint64_t block, uint32_t number, uint64_t address,
                       bool fenced)
{
    uint32_t clock = number < MAX_CLOCK ? number : MAX_CLOCK + 1;
    interval own_flag = {block, block, clock};
    pthread_mutex_lock(&lock);
    entry *flag = find_or_add(&flags, address);
    set_add(&flag->blocks, own_flag);
    if (!fenced)
        set_add(&flag->unfenced, own_flag);
    const entry *own = find(&readers, block);
    if (own) {
        set_add_all(&flag->blocks, &own->blocks);
        set_add_all(&flag->unfenced, &own->unfenced);
    }
    empty = false;
    pthread_mutex_unlock(&lock);
}

void sim_order_acquire(uint64_t block, uint64_t address)
{
    if (atomic_load_explicit(&empty, memory_order_relaxed))
        return;
    pthread_mutex_lock(&lock);
    const entry *flag = find(&flags, address);
    if (flag && flag->blocks.count) {
        entry *own = find_or_add(&readers, block);
        if (!set_includes(&own->blocks, &flag->blocks)) {
            set_add_all(&own->blocks, &flag->blocks);
            set_add_all(&seen, &flag->blocks);
        }
        if (!set_includes(&own->unfenced, &flag->unfenced))
            set_add_all(&own->unfenced, &flag->unfenced);
    }
    pthread_mutex_unlock(&lock);
}

void sim_order_fence(uint64_t block)
{
    if (atomic_load_explicit(&empty, memory_order_relaxed))
        return;
    pthread_mutex_lock(&lock);
    entry *own = find(&readers, block);
    if (own && !set_includes(&own->settled, &own->blocks))
        set_add_all(&own->settled, &own->blocks);
    pthread_mutex_unlock(&lock);
}

/** Has @p reader seen what @p other did? The lock is held. */
static sim_order has_seen(uint64_t reader, moment other)
{
    const entry *own = find(&readers, reader);
    if (!own || !set_has(&own->blocks, other.block, other.clock))
        return ORDER_NONE;
    if (set_has(&own->unfenced, other.block, 0))
        return ORDER_UNFENCED;
    return set_has(&own->settled, other.block, other.clock) ? ORDER_FENCED
                                                            : ORDER_EARLY;
}

/** What a name stands for; the lock is held. */
static moment moment_of(uint32_t name)
{
    if (name <= LAST_NAME - moment_count)
        return (moment){name - 1, 0};
    return moments[LAST_NAME - name];
}

uint32_t sim_order_name(uint64_t block, uint32_t clock)
{
    if (!clock)
        return (uint32_t)(block % (LAST_NAME - MOST_MOMENTS)) + 1;
    pthread_mutex_lock(&lock);
    if (moment_count == moment_capacity && moment_count < MOST_MOMENTS) {
        moment_capacity = moment_capacity ? 2 * moment_capacity : 256;
        moments = sim_grow(moments, moment_capacity * sizeof *moments);
    }
    uint32_t name = 0;
    if (moment_count < MOST_MOMENTS) {
        moments[moment_count] = (moment){block, clock};
        name = LAST_NAME - moment_count++;
    }
    pthread_mutex_unlock(&lock);
    return name ? name : sim_order_name(block, 0);
}

uint64_t sim_order_block(uint32_t name)
{
    pthread_mutex_lock(&lock);
    moment m = moment_of(name);
    pthread_mutex_unlock(&lock);
    return m.block;
}

sim_order sim_order_between(uint32_t x, uint32_t y)
{
    if (atomic_load_explicit(&empty, memory_order_relaxed))
        return ORDER_NONE;
    pthread_mutex_lock(&lock);
    moment a = moment_of(x), b = moment_of(y);
    sim_order order = has_seen(a.block, b);
    if (order != ORDER_FENCED) {
        sim_order reverse = has_seen(b.block, a);
        if (order == ORDER_NONE || reverse == ORDER_FENCED)
            order = reverse;
    }
    pthread_mutex_unlock(&lock);
    return order;
}

bool sim_order_seen(uint32_t reader, uint32_t other)
{
    pthread_mutex_lock(&lock);
    bool seen =
        has_seen(moment_of(reader).block, moment_of(other)) != ORDER_NONE;
    pthread_mutex_unlock(&lock);
    return seen;
}

bool sim_order_any(uint64_t block)
{
    if (atomic_load_explicit(&empty, memory_order_relaxed))
        return false;
    pthread_mutex_lock(&lock);
    bool any = find(&readers, block) || set_has(&seen, block, 0);
    pthread_mutex_unlock(&lock);
    return any;
}
