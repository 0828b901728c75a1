/**
 * @file library.cuh
 * @brief What copying the elements takes: the CUDA Toolkit has no softmax. GPU
 *        builds only.
 */

#if !SIMULATED

/** A copy of whole rows would write into the padding of the output. */
static const char *copy_open(void)
{
    return problem.pitch == problem.cols ? NULL : "rows of y have padding";
}

static void copy_enqueue(const void *problem)
{
    const softmax *s = (const softmax *)problem;
    floor_copy(s->x, s->y, (size_t)(s->rows * s->cols) * sizeof(float));
}

static const variant libraries[] = {
    {"copy", "copies x to y", copy_enqueue, copy_open, .floor = true},
};

#endif
