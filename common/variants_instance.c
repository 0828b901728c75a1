/** @file variants_instance.c @see internal.h */
#include "internal.h"

#include <math.h>
#include <stdlib.h>

/** Elements of the largest band, and bytes of the largest on the device. */
static void largest_band(const experiment *e, const array *arrays,
                         double *elements, double *bytes)
{
    *elements = *bytes = 0;
    for (int i = 0; i < e->array_count; i++) {
        const array *a = &arrays[i];
        band b = {0};
        if (!array_next_band(a, BAND, &b))
            continue;
        *elements = fmax(*elements, (double)b.rows * (double)b.cols);
        *bytes = fmax(*bytes, (double)array_span(a, &b) *
                                  (double)element_bytes(a->type));
    }
}

void variants_require_memory(const experiment *e)
{
    const struct variants_state *s = e->state;
    double host = 0, device = 0, elements, span;
    for (int i = 0; i < e->array_count; i++) {
        const array *a = &e->arrays[i];
        bool twice = a->role == ARRAY_IN_OUT && !s->device.simulator;
        host += array_on_host(a) ? array_filled_bytes(a) : 0;
        // The simulator has no memory for what nobody fills.
        device += s->device.simulator ? array_filled_bytes(a)
                                      : array_bytes(a) * (twice ? 2 : 1);
    }
    largest_band(e, e->arrays, &elements, &span);
    double reference = elements * 2 * sizeof(double);
    host += reference + fmax(span, (double)ARRAY_CHUNK);
    // The timer takes twice the L2 for its flush and as much for copies of
    // the arrays, a library a workspace.
    if (!s->device.simulator)
        device += 4.0 * (double)s->device.l2_bytes + (double)(64 << 20);
    if (e->want_gpu)
        device += reference;
    memory_require(host, device, &s->device);
}

/** Memory to verify in, enough for every band of every array. */
static void open_bands(const experiment *e, instance *in)
{
    double elements, span;
    largest_band(e, in->arrays, &elements, &span);
    size_t bytes = (size_t)elements * sizeof(double);
    in->got = host_alloc_pinned((size_t)fmax(span, (double)ARRAY_CHUNK));
    in->want = host_alloc_pinned(bytes);
    in->bound = host_alloc_pinned(bytes);
    if (e->want_gpu) {
        in->d_want = device_alloc(bytes);
        in->d_bound = device_alloc(bytes);
    }
}

void variants_open_arrays(const experiment *e, instance *in)
{
    for (int i = 0; i < e->array_count; i++) {
        array_allocate(&in->arrays[i]);
        array_bind(&in->arrays[i], in->plain, in->arrays[i].device);
    }
    in->problem = host_copy(in->plain, e->problem_bytes);
}

void variants_open_instance(const experiment *e, instance *in)
{
    variants_open_arrays(e, in);
    open_bands(e, in);
}

instance variants_small(const experiment *e, void (*make)(void *problem))
{
    instance in = {
        .plain = host_copy(e->problem, e->problem_bytes),
        .arrays = host_copy(e->arrays, (size_t)e->array_count * sizeof(array))};
    make(in.plain);
    e->shape(in.plain, in.arrays);
    return in;
}

void variants_close_instance(const experiment *e, instance *in)
{
    for (int i = 0; i < e->array_count; i++)
        array_free(&in->arrays[i]);
    device_free(in->d_want);
    device_free(in->d_bound);
    host_free_pinned(in->got);
    host_free_pinned(in->want);
    host_free_pinned(in->bound);
    free(in->problem);
}
