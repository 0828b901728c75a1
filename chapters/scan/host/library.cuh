/**
 * @file library.cuh
 * @brief The same by CUB, which comes with the CUDA Toolkit, and what copying
 *        the elements takes: no scan moves fewer bytes. GPU builds only.
 */

#if !SIMULATED

/** NULL, or why there is nothing to time. */
static const char *no_elements(void)
{
    return problem.n > 0 ? NULL : "of no elements there is nothing to time";
}

#if __has_include(<cub/device/device_scan.cuh>)

// gcc 12 takes a member of CUB for uninitialised.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <cub/device/device_scan.cuh>
#pragma GCC diagnostic pop

#include "cub.cuh"

/** What CUB combines two elements with, as combine() does. */
struct cub_maximum {
    __host__ __device__ float operator()(float a, float b) const
    {
        return fmaxf(a, b);
    }
};

static void cub_call(const void *problem, void *storage)
{
    const scan *s = (const scan *)problem;
    cudaStream_t stream = cudaStreamPerThread;
    cudaError_t status;
    if (s->op == SUM && s->kind == INCLUSIVE)
        status = cub::DeviceScan::InclusiveSum(storage, cub_bytes, s->x, s->y,
                                               s->n, stream);
    else if (s->op == SUM)
        status = cub::DeviceScan::ExclusiveSum(storage, cub_bytes, s->x, s->y,
                                               s->n, stream);
    else if (s->kind == INCLUSIVE)
        status = cub::DeviceScan::InclusiveScan(storage, cub_bytes, s->x, s->y,
                                                cub_maximum{}, s->n, stream);
    else
        status = cub::DeviceScan::ExclusiveScan(storage, cub_bytes, s->x, s->y,
                                                cub_maximum{}, -INFINITY, s->n,
                                                stream);
    CUDA_CHECK(status);
}

static const char *cub_open(void)
{
    if (problem.n == 0)
        return no_elements();
    cub_allocate(&problem);
    return NULL;
}

#endif

static void copy_enqueue(const void *problem)
{
    const scan *s = (const scan *)problem;
    floor_copy(s->x, s->y, (size_t)s->n * sizeof(float));
}

static const variant libraries[] = {
#ifdef CUB_CUH
    {"CUB", "cub::DeviceScan", cub_enqueue, cub_open, cub_close},
#else
    {"CUB"},
#endif
    {"copy", "copies x to y", copy_enqueue, no_elements, .floor = true},
};

#endif
