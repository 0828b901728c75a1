/**
 * @file library.cuh
 * @brief The same by CUB, which comes with the CUDA Toolkit, and what reading
 *        the elements takes, whatever becomes of them. GPU builds only.
 */

#if !SIMULATED

#if __has_include(<cub/device/device_reduce.cuh>)

#include <cub/device/device_reduce.cuh>

#include "cub.cuh"

static void cub_call(const void *problem, void *storage)
{
    const reduction *r = (const reduction *)problem;
    cudaStream_t stream = cudaStreamPerThread;
    if (r->op == SUM)
        CUDA_CHECK(cub::DeviceReduce::Sum(storage, cub_bytes, r->x, r->result,
                                          r->n, stream));
    else if (r->op == MIN)
        CUDA_CHECK(cub::DeviceReduce::Min(storage, cub_bytes, r->x, r->result,
                                          r->n, stream));
    else
        CUDA_CHECK(cub::DeviceReduce::Max(storage, cub_bytes, r->x, r->result,
                                          r->n, stream));
}

static const char *cub_open(void)
{
    if (problem.n == 0)
        return "of no elements it makes another result";
    cub_allocate(&problem);
    return NULL;
}

#endif

static void read_enqueue(const void *problem)
{
    const reduction *r = (const reduction *)problem;
    floor_read(r->x, (size_t)r->n * sizeof(float));
}

static const variant libraries[] = {
#ifdef CUB_CUH
    {"CUB", "cub::DeviceReduce", cub_enqueue, cub_open, cub_close},
#else
    {"CUB"},
#endif
    {"read", "reads x", read_enqueue, .floor = true},
};

#endif
