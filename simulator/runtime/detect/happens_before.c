/**
 * @file happens_before.c
 * @brief Happens-before between blocks, as far as a kernel makes it.
 *
 * Blocks of one launch are concurrent, unless one releases a flag and another
 * acquires it: the last block of a reduction, the look-back of a scan. A flag
 * is what atomics and volatile accesses touch. Each flag keeps the vector clock
 * of what was released with it; a block that reads the flag joins that to its
 * own; and what it writes to a flag later carries its own along. Fences belong
 * on both sides: of blocks that released without one, and of those behind
 * whose flags the reader has none yet, the order is not to be relied on.
 *
 * What a block does behind its release does not happen before who acquires it.
 * So the clock of a block is how many flags it has written. A vector clock has
 * for each block the number of the latest flag, and an epoch happens before if
 * its clock is smaller (grid_races.c knows the clock of an access). Behind
 * MAX_CLOCK flags nothing is told apart. What the acquiring block did before it
 * read counts as in order, too. Both may hide a race, never invent one.
 *
 * Blocks are started in order, so a vector clock is nearly always a few
 * intervals of blocks. One with too many becomes larger than it is, on the same
 * side of caution.
 */
#include "detect.h"

#define INTERVALS 12 /**< that a vector clock can hold */

/** Blocks of successive numbers whose clocks are equal. */
typedef struct {
    uint64_t first;
    uint64_t last;
    uint32_t clock; /* number of the latest release, from 1 */
} interval;

/** Disjoint intervals in ascending order; blocks in none: clock 0. */
typedef struct {
    int count;
    interval at[2 * INTERVALS + 2]; /* more than INTERVALS for a moment */
} vector_clock;

/** A block at one time; see sim_epoch(). */
typedef struct {
    uint64_t block;
    uint32_t clock;
} epoch;

/** A flag, or a block that has acquired one. */
typedef struct {
    uint64_t name;           /* address or block number */
    bool used;               /* this slot of the table */
    vector_clock before;     /* what happens before, fences or not */
    vector_clock no_release; /* of that: released without a fence */
    vector_clock acquired;   /* of a block: behind it came a fence */
    vector_clock drawn;      /* of a block: read by atomic operations */
    vector_clock met; /* of that: behind it came a barrier of the block */
} sync_state;

/** Open-addressing hash table. */
typedef struct {
    sync_state *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
} table;

static table flags, blocks;
static epoch *epochs; /* of numbers from LAST_EPOCH down */
static uint32_t epoch_count, epoch_capacity;
static vector_clock released; /* that anybody has acquired */
static atomic_bool empty = true;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- vector clocks ------------------------------------------------------- */

/** Does the epoch of @p block at @p clock happen before? */
static bool covers(const vector_clock *vc, uint64_t block, uint32_t clock)
{
    for (int i = 0; i < vc->count; i++)
        if (block >= vc->at[i].first && block <= vc->at[i].last)
            return vc->at[i].clock > clock;
    return false;
}

/** Append an interval, or make the last one longer. */
static void append(vector_clock *vc, uint64_t first, uint64_t last,
                   uint32_t clock)
{
    interval *before = &vc->at[vc->count - 1];
    if (vc->count && before->last + 1 == first && before->clock == clock)
        before->last = last;
    else
        vc->at[vc->count++] = (interval){first, last, clock};
}

/** Make room by joining the two intervals with the smallest gap. */
static void shrink(vector_clock *vc)
{
    int best = 0;
    for (int i = 1; i + 1 < vc->count; i++)
        if (vc->at[i + 1].first - vc->at[i].last <
            vc->at[best + 1].first - vc->at[best].last)
            best = i;
    interval *a = &vc->at[best], *b = a + 1;
    a->last = b->last;
    a->clock = b->clock > a->clock ? b->clock : a->clock;
    vc->count--;
    memmove(b, b + 1, (size_t)(vc->count - best - 1) * sizeof *b);
}

/** Blocks that are there get the later clock. */
static void join_interval(vector_clock *vc, interval more)
{
    vector_clock all = {0};
    bool left = true; /* something of more is not in all yet */
    for (int i = 0; i < vc->count; i++) {
        interval old = vc->at[i];
        if (left && more.first < old.first) {
            uint64_t last = more.last < old.first ? more.last : old.first - 1;
            append(&all, more.first, last, more.clock);
            left = more.last >= old.first;
            more.first = old.first;
        }
        if (left && more.first <= old.last) { /* and not before old.first */
            if (old.first < more.first)
                append(&all, old.first, more.first - 1, old.clock);
            uint64_t last = more.last < old.last ? more.last : old.last;
            append(&all, more.first, last,
                   more.clock > old.clock ? more.clock : old.clock);
            left = more.last > old.last;
            more.first = old.first = last + 1;
        }
        if (old.first <= old.last)
            append(&all, old.first, old.last, old.clock);
    }
    if (left)
        append(&all, more.first, more.last, more.clock);
    while (all.count > INTERVALS)
        shrink(&all);
    *vc = all;
}

/** Each clock is the later one of both. */
static void join(vector_clock *vc, const vector_clock *other)
{
    for (int i = 0; i < other->count; i++)
        join_interval(vc, other->at[i]);
}

/** Does all of @p part happen before @p whole: is no clock behind? */
static bool includes(const vector_clock *whole, const vector_clock *part)
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

/** The slot of @p name: its state, or the free one where it belongs. */
static sync_state *slot(const table *t, uint64_t name)
{
    size_t i = (size_t)(name * UINT64_C(0x9e3779b97f4a7c15) >> 20);
    while (t->slots[i & (t->capacity - 1)].used &&
           t->slots[i & (t->capacity - 1)].name != name)
        i++;
    return &t->slots[i & (t->capacity - 1)];
}

/** @return NULL: not there */
static sync_state *find(const table *t, uint64_t name)
{
    if (!t->capacity)
        return NULL;
    sync_state *e = slot(t, name);
    return e->used ? e : NULL;
}

static sync_state *find_or_add(table *t, uint64_t name)
{
    if (2 * t->count >= t->capacity) {
        table larger = {.capacity = t->capacity ? 2 * t->capacity : 64};
        larger.slots = sim_new(larger.capacity * sizeof(sync_state));
        for (size_t i = 0; i < t->capacity; i++)
            if (t->slots[i].used)
                *slot(&larger, t->slots[i].name) = t->slots[i];
        larger.count = t->count;
        free(t->slots);
        *t = larger;
    }
    sync_state *e = slot(t, name);
    if (!e->used) {
        e->used = true;
        e->name = name;
        t->count++;
    }
    return e;
}

static void clear(table *t)
{
    free(t->slots);
    *t = (table){0};
}

/* ---- releases and acquires ----------------------------------------------- */

void sim_order_reset(void)
{
    clear(&flags);
    clear(&blocks);
    released.count = 0;
    epoch_count = 0;
    empty = true;
}

void sim_order_release(uint64_t block, uint32_t number, uint64_t address,
                       bool fenced)
{
    uint32_t clock = number < MAX_CLOCK ? number : MAX_CLOCK + 1;
    interval latest = {block, block, clock};
    pthread_mutex_lock(&lock);
    sync_state *flag = find_or_add(&flags, address);
    join_interval(&flag->before, latest);
    if (!fenced)
        join_interval(&flag->no_release, latest);
    const sync_state *own = find(&blocks, block);
    if (own) {
        join(&flag->before, &own->before);
        join(&flag->no_release, &own->no_release);
    }
    empty = false;
    pthread_mutex_unlock(&lock);
}

void sim_order_acquire(uint64_t block, uint64_t address, bool ticket)
{
    if (atomic_load_explicit(&empty, memory_order_relaxed))
        return;
    pthread_mutex_lock(&lock);
    const sync_state *flag = find(&flags, address);
    if (flag && flag->before.count) {
        sync_state *own = find_or_add(&blocks, block);
        if (!includes(&own->before, &flag->before)) {
            join(&own->before, &flag->before);
            join(&released, &flag->before);
        }
        if (ticket && !includes(&own->drawn, &flag->before))
            join(&own->drawn, &flag->before);
        if (!includes(&own->no_release, &flag->no_release))
            join(&own->no_release, &flag->no_release);
    }
    pthread_mutex_unlock(&lock);
}

void sim_order_fence(uint64_t block, bool barrier)
{
    if (atomic_load_explicit(&empty, memory_order_relaxed))
        return;
    pthread_mutex_lock(&lock);
    sync_state *own = find(&blocks, block);
    if (own && barrier)
        join(&own->met, &own->drawn);
    else if (own && !includes(&own->acquired, &own->before))
        join(&own->acquired, &own->before);
    pthread_mutex_unlock(&lock);
}

/** Does @p other happen before what @p block does? The lock is held. */
static sim_order order_of(uint64_t block, epoch other)
{
    const sync_state *own = find(&blocks, block);
    if (!own || !covers(&own->before, other.block, other.clock))
        return ORDER_CONCURRENT;
    if (covers(&own->no_release, other.block, 0))
        return ORDER_NO_RELEASE;
    return covers(&own->acquired, other.block, other.clock) ? ORDER_BEFORE
           : covers(&own->met, other.block, other.clock)    ? ORDER_TICKET
                                                            : ORDER_NO_ACQUIRE;
}

/** What a number stands for; the lock is held. */
static epoch epoch_of(uint32_t number)
{
    if (number <= LAST_EPOCH - epoch_count)
        return (epoch){number - 1, 0};
    return epochs[LAST_EPOCH - number];
}

uint32_t sim_epoch(uint64_t block, uint32_t clock)
{
    if (!clock)
        return (uint32_t)(block % (LAST_EPOCH - MOST_EPOCHS)) + 1;
    pthread_mutex_lock(&lock);
    if (epoch_count == epoch_capacity && epoch_count < MOST_EPOCHS) {
        epoch_capacity = epoch_capacity ? 2 * epoch_capacity : 256;
        epochs = sim_grow(epochs, epoch_capacity * sizeof *epochs);
    }
    uint32_t number = 0;
    if (epoch_count < MOST_EPOCHS) {
        epochs[epoch_count] = (epoch){block, clock};
        number = LAST_EPOCH - epoch_count++;
    }
    pthread_mutex_unlock(&lock);
    return number ? number : sim_epoch(block, 0);
}

uint64_t sim_epoch_block(uint32_t number)
{
    pthread_mutex_lock(&lock);
    uint64_t block = epoch_of(number).block;
    pthread_mutex_unlock(&lock);
    return block;
}

sim_order sim_order_between(uint32_t x, uint32_t y)
{
    if (atomic_load_explicit(&empty, memory_order_relaxed))
        return ORDER_CONCURRENT;
    pthread_mutex_lock(&lock);
    epoch a = epoch_of(x), b = epoch_of(y);
    sim_order order = order_of(a.block, b);
    if (order != ORDER_BEFORE) {
        sim_order reverse = order_of(b.block, a);
        if (order == ORDER_CONCURRENT || reverse == ORDER_BEFORE)
            order = reverse;
    }
    pthread_mutex_unlock(&lock);
    return order;
}

bool sim_happens_before(uint32_t earlier, uint32_t later)
{
    pthread_mutex_lock(&lock);
    sim_order order = order_of(epoch_of(later).block, epoch_of(earlier));
    pthread_mutex_unlock(&lock);
    return order != ORDER_CONCURRENT;
}

bool sim_order_any(uint64_t block)
{
    if (atomic_load_explicit(&empty, memory_order_relaxed))
        return false;
    pthread_mutex_lock(&lock);
    bool any = find(&blocks, block) || covers(&released, block, 0);
    pthread_mutex_unlock(&lock);
    return any;
}
