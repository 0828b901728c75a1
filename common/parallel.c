/**
 * @file parallel.c
 * @brief Rows of a matrix, shared out to the threads of the CPU.
 */
#include "parallel.h"

#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#define MAX_THREADS 64

/** What one thread does. */
typedef struct {
    rows_fn work;
    void *context;
    int begin;
    int end;
} share;

static void *run_share(void *argument)
{
    const share *s = argument;
    s->work(s->context, s->begin, s->end);
    return NULL;
}

void parallel_rows(int rows, rows_fn work, void *context)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int count = cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (int)cores;
    share shares[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    int started = 0;
    for (int i = 0; i < count; i++) {
        shares[i] = (share){work, context, (int)((int64_t)rows * i / count),
                            (int)((int64_t)rows * (i + 1) / count)};
    }
    // The caller takes share 0, and whatever finds no thread.
    while (started < count - 1 &&
           pthread_create(&threads[started], NULL, run_share,
                          &shares[started + 1]) == 0)
        started++;
    run_share(&shares[0]);
    for (int i = started + 1; i < count; i++)
        run_share(&shares[i]);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}
