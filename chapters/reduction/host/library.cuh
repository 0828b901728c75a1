/**
 * @file library.cuh
 * @brief The same by CUB, which comes with the CUDA Toolkit, and what reading
 *        the elements takes, whatever becomes of them. GPU builds only.
 */

#if !SIMULATED

#if __has_include(<cub/device/device_reduce.cuh>)

#include <cub/device/device_reduce.cuh>

static void *cub_storage;
static size_t cub_bytes;

/** With storage NULL: ask how much it takes, and do nothing else. */
static void cub_call(const reduction *r, void *storage)
{
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

static void cub_enqueue(const void *problem)
{
    cub_call((const reduction *)problem, cub_storage);
}

/** Its storage is taken here, so that no time of it counts. */
static const char *cub_open(void)
{
    if (problem.n == 0)
        return "of no elements it makes another result";
    cub_call(&problem, NULL);
    CUDA_CHECK(cudaMalloc(&cub_storage, cub_bytes));
    return NULL;
}

static void cub_close(void)
{
    CUDA_CHECK(cudaFree(cub_storage));
}

#else

static const char *cub_open(void)
{
    return "was not there when this was built";
}
#define cub_enqueue NULL
#define cub_close NULL

#endif

static void read_enqueue(const void *problem)
{
    const reduction *r = (const reduction *)problem;
    floor_read(r->x, (size_t)r->n * sizeof(float));
}

static const variant libraries[] = {
    {"CUB", "cub::DeviceReduce", cub_enqueue, cub_open, cub_close},
    {"read", "reads x", read_enqueue, .floor = true},
};

#endif
