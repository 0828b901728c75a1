/**
 * @file alloc.c
 * @brief Memory for the simulator itself, or one line and the end.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "inside.h"

/** Address space that takes memory only where it is touched. */
static void *map(size_t bytes, int protection)
{
    void *memory = mmap(NULL, bytes, protection,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        fprintf(stderr,
                "simulator: cannot reserve %zu KiB of address space; is it "
                "limited (ulimit -v)?\n",
                bytes / KIB);
        exit(STATUS_FAILED);
    }
    return memory;
}

void *sim_map(size_t bytes)
{
    void *memory = map(bytes, PROT_READ | PROT_WRITE);
    madvise(memory, bytes, MADV_DONTDUMP); /* who crashes need not wait */
    return memory;
}

void *sim_reserve(size_t bytes)
{
    return map(bytes, PROT_NONE);
}

/** @return @p memory, which is not NULL */
static void *demand(void *memory, size_t bytes)
{
    if (!memory) {
        fprintf(stderr, "simulator: out of memory (%zu bytes)\n", bytes);
        exit(STATUS_FAILED);
    }
    return memory;
}

void *sim_new(size_t bytes)
{
    return demand(calloc(1, bytes), bytes);
}

void *sim_grow(void *old, size_t bytes)
{
    return demand(realloc(old, bytes), bytes);
}
