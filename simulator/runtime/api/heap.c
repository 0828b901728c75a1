/**
 * @file heap.c
 * @brief malloc, free, new and delete in kernels: the heap of the device.
 *
 * The linker sends these calls of a program here (simcc: --wrap). A thread of
 * a kernel gets device memory, of which there is as much as
 * cudaLimitMallocHeapSize says; the host gets what it always gets.
 */
#include "api.h"

static const char name[] =
    "heap of the device";   /* for findings, and to know it */
static _Atomic size_t used; /* bytes of the heap */

/** Device memory for the running thread; NULL: the heap is full. */
static void *device_malloc(size_t bytes)
{
    size_t limit = 0;
    cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
    bytes = bytes ? bytes : 1;
    void *p = NULL;
    if (bytes <= limit && atomic_fetch_add(&used, bytes) <= limit - bytes)
        p = sim_allocate(bytes, BUFFER_DEVICE, name, 1);
    if (!p)
        atomic_fetch_sub(&used, bytes);
    return p;
}

static void device_free(void *p)
{
    sim_worker *w = sim_self;
    sim_allocation b;
    if (!p)
        return;
    if (sim_find(p, &b) && b.start == (uintptr_t)p && b.file == name &&
        sim_release(p, false)) {
        atomic_fetch_sub(&used, b.size);
        return;
    }
    sim_finding("invalid-free", (sim_place){.block = w->block_number},
                "a kernel frees what it has not allocated\n%s, by %s",
                sim_where_global((uintptr_t)p, 1), sim_here(w));
    sim_end_launch(w, cudaErrorLaunchFailure);
}

/* ---- the calls, by the names that the linker gives them ------------------ */

#define ALLOCATE(name)                                                         \
    void *__real_##name(size_t bytes);                                         \
    void *__wrap_##name(size_t bytes);                                         \
    void *__wrap_##name(size_t bytes)                                          \
    {                                                                          \
        return sim_self->lane ? device_malloc(bytes) : __real_##name(bytes);   \
    }
#define RELEASE(name, parameters, ...)                                         \
    void __real_##name parameters;                                             \
    void __wrap_##name parameters;                                             \
    void __wrap_##name parameters                                              \
    {                                                                          \
        if (sim_self->lane && in_arena((uintptr_t)p))                          \
            device_free(p);                                                    \
        else /* of the host, or of the runtime, whose calls come here, too */  \
            __real_##name(__VA_ARGS__);                                        \
    }

ALLOCATE(malloc)
ALLOCATE(_Znwm) /* new */
ALLOCATE(_Znam) /* new[] */
RELEASE(free, (void *p), p)
RELEASE(_ZdlPv, (void *p), p)                       /* delete */
RELEASE(_ZdaPv, (void *p), p)                       /* delete[] */
RELEASE(_ZdlPvm, (void *p, size_t bytes), p, bytes) /* the same with */
RELEASE(_ZdaPvm, (void *p, size_t bytes), p, bytes) /* the size */
