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

#include "cub.cuh"

static int *cub_borders; // [LETTER_BINS + 1], on the device

static void cub_call(const void *problem, void *storage)
{
    const histogram *h = (const histogram *)problem;
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

static const char *cub_open(void)
{
    const int borders[LETTER_BINS + 1] = {'a', 'e', 'i', 'm',
                                          'q', 'u', 'y', 'z' + 1};
    CUDA_CHECK(cudaMalloc(&cub_borders, sizeof(borders)));
    CUDA_CHECK(cudaMemcpy(cub_borders, borders, sizeof(borders),
                          cudaMemcpyHostToDevice));
    cub_allocate(&problem);
    return NULL;
}

static void cub_close_all(void)
{
    cub_close();
    CUDA_CHECK(cudaFree(cub_borders));
}

#endif

static void read_enqueue(const void *problem)
{
    const histogram *h = (const histogram *)problem;
    floor_read(h->x, (size_t)h->n);
}

static const variant libraries[] = {
#ifdef CUB_CUH
    {"CUB", "cub::DeviceHistogram", cub_enqueue, cub_open, cub_close_all},
#else
    {"CUB"},
#endif
    {"read", "reads x", read_enqueue, .floor = true},
};

#endif
