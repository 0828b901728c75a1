/** @file parallel.c @see variants.h */
#include "internal.h"

#include <pthread.h>
#include <unistd.h>

#define MAX_THREADS 64

/** What one thread does. */
typedef struct {
    items_fn work;
    void *context;
    int64_t begin;
    int64_t end;
} share;

static void *run_share(void *argument)
{
    const share *s = argument;
    s->work(s->context, s->begin, s->end);
    return NULL;
}

/** One for each core, and none without an item. */
static int thread_count(int64_t items)
{
    int64_t cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t most = items < MAX_THREADS ? items : MAX_THREADS;
    int64_t count = cores < most ? cores : most;
    return count < 1 ? 1 : (int)count;
}

void parallel_for(int64_t count, items_fn work, void *context)
{
    int threads_wanted = thread_count(count);
    int64_t part = count / threads_wanted;
    int64_t rest = count % threads_wanted; // the first ones get one more
    share shares[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    int64_t begin = 0;
    if (count == 0)
        return;
    for (int i = 0; i < threads_wanted; i++) {
        int64_t end = begin + part + (i < rest);
        shares[i] = (share){work, context, begin, end};
        begin = end;
    }
    // The caller takes share 0, and whatever finds no thread.
    int started = 0;
    while (started < threads_wanted - 1 &&
           pthread_create(&threads[started], NULL, run_share,
                          &shares[started + 1]) == 0)
        started++;
    run_share(&shares[0]);
    for (int i = started + 1; i < threads_wanted; i++)
        run_share(&shares[i]);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}
