/**
 * @file order.c
 * @brief Happens-before between blocks, as far as a kernel makes it.
 *
 * Blocks of one launch are not ordered, unless one writes a flag and another
 * reads it: the last block of a reduction, the look-back of a scan. A flag is
 * what atomics and volatile accesses touch. Each flag keeps the set of blocks
 * that have written to it; a block that reads the flag adds that set to its
 * own; and what it writes to a flag later carries its own set along.
 *
 * The order is that of whole blocks: nothing is said about what a block does
 * after it has written its flag. That may hide a race, never invent one.
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

#include "alloc.h"

#define INTERVALS 12 /**< that a set can hold */

/** A set of block numbers: disjoint intervals in ascending order. */
typedef struct {
    int count;
    struct {
        uint64_t first;
        uint64_t last;
    } at[INTERVALS];
} set;

/** A flag, or a block: what has been seen through it. */
typedef struct {
    uint64_t name; /* address or block number */
    bool used;     /* this slot of the table */
    set blocks;    /* all that were seen */
    set unfenced;  /* those of them that forgot the fence */
} entry;

/** Open-addressing hash table. */
typedef struct {
    entry *entries;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
} table;

static table flags, readers;
static set seen; /* blocks that anybody has seen */
static atomic_bool empty = true;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- sets ---------------------------------------------------------------- */

static bool set_has(const set *s, uint64_t block)
{
    for (int i = 0; i < s->count; i++)
        if (block >= s->at[i].first && block <= s->at[i].last)
            return true;
    return false;
}

/** Join interval @p i with the next one. */
static void set_join(set *s, int i)
{
    if (s->at[i + 1].last > s->at[i].last)
        s->at[i].last = s->at[i + 1].last;
    s->count--;
    memmove(&s->at[i + 1], &s->at[i + 2],
            (size_t)(s->count - i - 1) * sizeof s->at[0]);
}

/** Make room by closing the smallest gap. */
static void set_shrink(set *s)
{
    int best = 0;
    for (int i = 1; i + 1 < s->count; i++)
        if (s->at[i + 1].first - s->at[i].last <
            s->at[best + 1].first - s->at[best].last)
            best = i;
    set_join(s, best);
}

static void set_add(set *s, uint64_t first, uint64_t last)
{
    if (s->count == INTERVALS)
        set_shrink(s);
    int i = 0;
    while (i < s->count && s->at[i].first <= first)
        i++;
    memmove(&s->at[i + 1], &s->at[i], (size_t)(s->count - i) * sizeof s->at[0]);
    s->at[i].first = first;
    s->at[i].last = last;
    s->count++;
    if (i > 0)
        i--;
    while (i + 1 < s->count)
        if (s->at[i + 1].first <= s->at[i].last + 1)
            set_join(s, i);
        else
            i++;
}

static void set_add_all(set *s, const set *other)
{
    for (int i = 0; i < other->count; i++)
        set_add(s, other->at[i].first, other->at[i].last);
}

/** Is every block of @p part in @p whole? */
static bool set_includes(const set *whole, const set *part)
{
    for (int i = 0; i < part->count; i++) {
        bool inside = false;
        for (int k = 0; k < whole->count && !inside; k++)
            inside = whole->at[k].first <= part->at[i].first &&
                     whole->at[k].last >= part->at[i].last;
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
    empty = true;
}

void sim_order_release(uint64_t block, uint64_t address, bool fenced)
{
    pthread_mutex_lock(&lock);
    entry *flag = find_or_add(&flags, address);
    set_add(&flag->blocks, block, block);
    if (!fenced)
        set_add(&flag->unfenced, block, block);
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

/** Has @p reader seen @p other? The lock is held. */
static sim_order has_seen(uint64_t reader, uint64_t other)
{
    const entry *own = find(&readers, reader);
    if (!own || !set_has(&own->blocks, other))
        return ORDER_NONE;
    return set_has(&own->unfenced, other) ? ORDER_UNFENCED : ORDER_FENCED;
}

sim_order sim_order_between(uint64_t a, uint64_t b)
{
    if (atomic_load_explicit(&empty, memory_order_relaxed))
        return ORDER_NONE;
    pthread_mutex_lock(&lock);
    sim_order order = has_seen(a, b);
    if (order != ORDER_FENCED) {
        sim_order reverse = has_seen(b, a);
        if (order == ORDER_NONE || reverse == ORDER_FENCED)
            order = reverse;
    }
    pthread_mutex_unlock(&lock);
    return order;
}

bool sim_order_any(uint64_t block)
{
    if (atomic_load_explicit(&empty, memory_order_relaxed))
        return false;
    pthread_mutex_lock(&lock);
    bool any = find(&readers, block) || set_has(&seen, block);
    pthread_mutex_unlock(&lock);
    return any;
}
