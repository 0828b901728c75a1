/**
 * @file source.c
 * @see source.h
 *
 * A copy is done when it is enqueued, so a GPU's might have read what the host
 * has written since. Nobody sees the host's writes, but a checksum tells. Not
 * where others may have written: kernels, or the host after it has heard from
 * one without a call of ours.
 */
#include "source.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../core/alloc.h"
#include "../core/caller.h"
#include "../core/events.h"
#include "../core/findings.h"
#include "../core/memory.h"
#include "../core/settings.h"

/** A copy that the host has not waited for. */
typedef struct source {
    struct source *next;
    const char *from;
    size_t pitch, width, height;
    uint64_t sum;
    unsigned stream;
    uint32_t number;
    uint32_t launch; /* the latest one before the copy */
    void *caller[MOST_FRAMES];
} source;

static source *sources;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/** FNV-1a (Fowler, Noll, Vo), of words in place of bytes. */
static uint64_t sum_of(const source *s)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t row = 0; row < s->height; row++) {
        const char *x = s->from + row * s->pitch;
        for (size_t i = 0, bytes; i < s->width; i += bytes) {
            uint64_t word = 0;
            bytes = s->width - i < sizeof word ? s->width - i : sizeof word;
            memcpy(&word, x + i, bytes);
            sum = (sum ^ word) * UINT64_C(0x100000001b3);
        }
    }
    return sum;
}

static uintptr_t end_of(const source *s)
{
    return (uintptr_t)s->from + s->pitch * (s->height - 1) + s->width;
}

/** May kernels have written it, or told the host that they are done? */
static bool is_unsure(const source *s)
{
    uintptr_t a = (uintptr_t)s->from;
    bool unsure =
        sim_now.serial != s->launch &&
        (atomic_load(&sim_now.shares) || atomic_load(&sim_now.asks_host));
    for (; a < end_of(s) && !unsure;
         a = (a | (((uintptr_t)1 << GRANULE_SHIFT) - 1)) + 1)
        unsure = granule_of(a)->written > s->launch;
    return unsure;
}

/** Check and forget the copies from [low, high), of @p past alone if given. */
static void check(const sim_past *past, uintptr_t low, uintptr_t high)
{
    pthread_mutex_lock(&lock);
    for (source **link = &sources, *s; (s = *link);) {
        if ((past && past->work[s->stream] < s->number) || end_of(s) <= low ||
            (uintptr_t)s->from >= high) {
            link = &s->next;
            continue;
        }
        *link = s->next;
        if (!is_unsure(s) && sum_of(s) != s->sum)
            sim_finding("changed-source", sim_caller_noted(s->caller),
                        "copy from pinned memory\nthe host has changed what is "
                        "copied before it has waited for the copy");
        free(s);
    }
    pthread_mutex_unlock(&lock);
}

void sim_source_check(const sim_past *past)
{
    check(past, 0, UINTPTR_MAX);
}

void sim_source_check_at(const char *to, size_t bytes)
{
    check(NULL, (uintptr_t)to, (uintptr_t)to + bytes);
}

static void check_all(void)
{
    sim_source_check(NULL);
}

static void watch_exit(void)
{
    atexit(check_all);
}

void sim_source_note(const char *from, size_t pitch, size_t width,
                     size_t height, unsigned stream, uint32_t number)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!sim_settings.search || !sim_counting())
        return;
    pthread_once(&once, watch_exit);
    source *s = sim_new(sizeof *s);
    *s = (source){.from = from,
                  .pitch = pitch,
                  .width = width,
                  .height = height,
                  .stream = stream,
                  .number = number,
                  .launch = sim_now.serial};
    s->sum = sum_of(s);
    sim_caller_note(s->caller);
    pthread_mutex_lock(&lock);
    s->next = sources;
    sources = s;
    pthread_mutex_unlock(&lock);
}
