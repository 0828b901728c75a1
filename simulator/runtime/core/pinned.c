/**
 * @file pinned.c
 * @brief Pinned memory that is being copied, or stored to by a kernel.
 *
 * A copy is done when it is enqueued, so a GPU's might have read what the host
 * has written since. Nobody sees the host's writes, but a checksum tells. Not
 * where others may have written: kernels, or the host after it has heard from
 * one without a call of ours.
 *
 * What a copy brings is there too early, and so is what a kernel stores. These
 * pages are closed: the host that touches one comes to crash.c; kernels and
 * copies open it. A kernel with flags may have told the host that it is done.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "inside.h"

/** A copy that the host has not waited for. */
typedef struct copy {
    struct copy *next;
    sim_rows rows;
    sim_rows_use use;
    uint64_t sum;        /* of what leaves */
    uintptr_t low, high; /* pages that are closed, of what arrives */
    uint32_t launch;     /* the latest one before the copy */
    void *caller[MOST_FRAMES];
} copy;

static copy *copies;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/** FNV-1a (Fowler, Noll, Vo), of words in place of bytes. */
static uint64_t sum_of(const sim_rows *rows)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t row = 0; row < rows->height; row++) {
        const char *x = rows->start + row * rows->pitch;
        for (size_t i = 0, bytes; i < rows->width; i += bytes) {
            uint64_t word = 0;
            bytes =
                rows->width - i < sizeof word ? rows->width - i : sizeof word;
            memcpy(&word, x + i, bytes);
            sum = (sum ^ word) * UINT64_C(0x100000001b3);
        }
    }
    return sum;
}

static uintptr_t end_of(const sim_rows *rows)
{
    return (uintptr_t)rows->start + rows->pitch * (rows->height - 1) +
           rows->width;
}

static bool touches(const copy *c, uintptr_t low, uintptr_t high)
{
    return end_of(&c->rows) > low && (uintptr_t)c->rows.start < high;
}

/** May kernels have written it, or told the host that they are done? */
static bool is_unsure(const copy *c)
{
    uintptr_t a = (uintptr_t)c->rows.start;
    bool unsure =
        sim_now.serial != c->launch &&
        (atomic_load(&sim_now.shares) || atomic_load(&sim_now.asks_host));
    for (; a < end_of(&c->rows) && !unsure; a = (a | (GRANULE - 1)) + 1)
        unsure = granule_of(a)->written > c->launch;
    return unsure;
}

/* ---- closed pages -------------------------------------------------------- */

/** Close the pages that hold nothing but the rows. */
static void close_pages(copy *c)
{
    const sim_rows *rows = &c->rows;
    uintptr_t inside = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
    uintptr_t start = (uintptr_t)rows->start, end = end_of(rows);
    sim_allocation b;
    if (rows->height > 1 && rows->pitch != rows->width)
        return;
    c->low = (start + inside) & ~inside;
    c->high = end & ~inside;
    if (sim_find(rows->start, &b) && b.start == start)
        c->low = start & ~inside; /* a buffer has pages of its own */
    if (sim_find(rows->start, &b) && b.start + b.size == end)
        c->high = (end + inside) & ~inside;
    if (c->low < c->high)
        mprotect((void *)c->low, c->high - c->low, PROT_NONE);
}

static void open_pages(copy *c)
{
    if (c->low < c->high)
        mprotect((void *)c->low, c->high - c->low, PROT_READ | PROT_WRITE);
    c->low = c->high = 0;
}

sim_touch sim_pinned_touched(uintptr_t address, sim_place *place)
{
    sim_touch touch = TOUCH_OTHER;
    pthread_mutex_lock(&lock);
    for (copy *c = copies; c && !touch; c = c->next)
        if (address >= c->low && address < c->high) {
            bool right = sim_memory_is_used() || is_unsure(c);
            touch = right                   ? TOUCH_RIGHT
                    : c->use == ROWS_STORED ? TOUCH_STORED
                                            : TOUCH_EARLY;
            open_pages(c);
            if (!right)
                *place = sim_caller_noted(c->caller);
        }
    pthread_mutex_unlock(&lock);
    return touch;
}

/* ---- copies -------------------------------------------------------------- */

/** Check and forget the copies from or to [low, high), of @p past alone if
 *  given. */
static void check(const sim_past *past, uintptr_t low, uintptr_t high)
{
    pthread_mutex_lock(&lock);
    for (copy **link = &copies, *c; (c = *link);) {
        if ((past && past->work[c->rows.stream] < c->rows.number) ||
            !touches(c, low, high)) {
            link = &c->next;
            continue;
        }
        *link = c->next;
        open_pages(c);
        if (c->use == ROWS_LEAVE && !is_unsure(c) && sum_of(&c->rows) != c->sum)
            sim_finding("changed-source", sim_caller_noted(c->caller),
                        "copy from pinned memory\nthe host has changed what is "
                        "copied before it has waited for the copy");
        free(c);
    }
    pthread_mutex_unlock(&lock);
}

void sim_pinned_check(const sim_past *past)
{
    check(past, 0, UINTPTR_MAX);
}

void sim_pinned_check_at(const char *to, size_t bytes)
{
    check(NULL, (uintptr_t)to, (uintptr_t)to + bytes);
}

static void check_all(void)
{
    sim_pinned_check(NULL);
}

static void watch_exit(void)
{
    atexit(check_all);
}

void sim_pinned_copy(const sim_rows *rows, sim_rows_use use)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!sim_settings.search || !sim_counting())
        return;
    pthread_once(&once, watch_exit);
    copy *c = sim_new(sizeof *c);
    *c = (copy){.rows = *rows, .use = use, .launch = sim_now.serial};
    sim_caller_note(c->caller);
    pthread_mutex_lock(&lock);
    uintptr_t low = (uintptr_t)rows->start, high = end_of(rows);
    for (copy *other = copies; other; other = other->next)
        if (touches(other, low, high))
            open_pages(other);
    if (use == ROWS_LEAVE)
        c->sum = sum_of(rows);
    else
        close_pages(c);
    c->next = copies;
    copies = c;
    pthread_mutex_unlock(&lock);
}

/** Has the latest launch stored in the granule of an address? */
static bool is_stored(uintptr_t address)
{
    return granule_of(address)->written == sim_now.serial;
}

void sim_pinned_launch(const sim_job *job, unsigned stream, uint32_t number)
{
    if (!sim_any_pinned || sim_now.looked)
        return;
    for (size_t at = 0; at + sizeof(void *) <= job->args_bytes;
         at += sizeof(void *)) {
        const void *p;
        sim_allocation b;
        memcpy(&p, job->args + at, sizeof p);
        if (!sim_find(p, &b) || b.kind != BUFFER_HOST)
            continue;
        uintptr_t low = b.start, high = b.start + b.size;
        while (low < high && !is_stored(low))
            low = (low | (GRANULE - 1)) + 1;
        while (low < high && !is_stored(high - 1))
            high = (high - 1) & ~(GRANULE - 1);
        size_t bytes = low < high ? high - low : 0;
        if (bytes)
            sim_pinned_copy(
                &(sim_rows){(char *)low, bytes, bytes, 1, stream, number},
                ROWS_STORED);
    }
}
