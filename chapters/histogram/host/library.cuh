/**
 * @file library.cuh
 * @brief The same by CUB, which comes with the CUDA Toolkit, and what reading
 *        the bytes takes, whatever becomes of them. GPU builds only.
 *
 * CUB's bins of equal width, HistogramEven, cannot be our letters: seven bins
 * of four, from 'a' on, would count { and | with y and z. HistogramRange gets
 * the borders one by one and counts the same as we do.
 */

#if !SIMULATED

#if __has_include(<cub/device/device_histogram.cuh>)

#include <cub/device/device_histogram.cuh>

static void *cub_storage;
static size_t cub_bytes;
static int *cub_borders; // [LETTER_BINS + 1], on the device

/** With storage NULL: ask how much it takes, and do nothing else. */
static void cub_call(const histogram *h, void *storage)
{
    cudaStream_t stream = cudaStreamPerThread;
    if (h->bins == BYTES)
        CUDA_CHECK(cub::DeviceHistogram::HistogramEven(
            storage, cub_bytes, h->x, h->counts, BYTE_BINS + 1, 0, BYTE_BINS,
            h->n, stream));
    else
        CUDA_CHECK(cub::DeviceHistogram::HistogramRange(
            storage, cub_bytes, h->x, h->counts, LETTER_BINS + 1,
            (const int *)cub_borders, h->n, stream));
}

static void cub_enqueue(const void *problem)
{
    cub_call((const histogram *)problem, cub_storage);
}

/** Its storage is taken here, so that no time of it counts. */
static const char *cub_open(void)
{
    const int borders[LETTER_BINS + 1] = {'a', 'e', 'i', 'm',
                                          'q', 'u', 'y', 'z' + 1};
    CUDA_CHECK(cudaMalloc(&cub_borders, sizeof(borders)));
    CUDA_CHECK(cudaMemcpy(cub_borders, borders, sizeof(borders),
                          cudaMemcpyHostToDevice));
    cub_call(&problem, NULL);
    CUDA_CHECK(cudaMalloc(&cub_storage, cub_bytes));
    return NULL;
}

static void cub_close(void)
{
    CUDA_CHECK(cudaFree(cub_storage));
    CUDA_CHECK(cudaFree(cub_borders));
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
    const histogram *h = (const histogram *)problem;
    floor_read(h->x, (size_t)h->n);
}

static const variant libraries[] = {
    {"CUB", "cub::DeviceHistogram", cub_enqueue, cub_open, cub_close},
    {"read", "reads x", read_enqueue, .floor = true},
};

#endif
