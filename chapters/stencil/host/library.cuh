/**
 * @file library.cuh
 * @brief What copying the cells takes: no stencil can do with fewer bytes. GPU
 *        builds only.
 *
 * No library of the CUDA Toolkit has a stencil of its own.
 */

#if !SIMULATED

/** To `other`, since the padding of `out` must keep its bits. */
static void copy_enqueue(const void *problem)
{
    const stencil *s = (const stencil *)problem;
    size_t bytes =
        (size_t)s->b.nx * (size_t)s->b.ny * (size_t)s->b.nz * sizeof(float);
    for (int step = 0; step < s->steps; step++)
        floor_copy(s->in, s->other, bytes);
}

static const variant libraries[] = {
    {"copy", "copies the cells", copy_enqueue, .floor = true},
};

#endif
