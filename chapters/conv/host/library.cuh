/**
 * @file library.cuh
 * @brief The same by NPP, which comes with the CUDA Toolkit, and what copying
 *        the picture takes. GPU builds only.
 *
 * Outside of the picture NPP takes the pixel at the edge, not 0: results that
 * are nearer to an edge than the radius are another filter's, and are not
 * compared. And NPP turns a filter by 180 degrees, so it gets a turned one.
 */

#if !SIMULATED

#ifdef WITH_NPP

#include <nppi_filtering_functions.h>

static NppStreamContext npp_context;

static void npp_enqueue(const void *problem)
{
    const conv *c = (const conv *)problem;
    NppiSize size = {(int)c->width, (int)c->height};
    NppiSize filter_size = {2 * c->radius + 1, 2 * c->radius + 1};
    NppiPoint zero = {0, 0};
    NppiPoint middle = {c->radius, c->radius};
    int step = c->pitch * (int)sizeof(float);
    NppStatus status = nppiFilterBorder_32f_C1R_Ctx(
        c->x, step, size, zero, c->y, step, size, c->turned, filter_size,
        middle, NPP_BORDER_REPLICATE, npp_context);
    REQUIRE(status == NPP_SUCCESS, "NPP: status %d", (int)status);
}

/** What NPP wants to know of the device and the stream. */
static const char *npp_open(void)
{
    NppStreamContext n = {};
    cudaDeviceProp about;
    if (problem.width < 2 * MOST_RADIUS || problem.height < 2 * MOST_RADIUS)
        return "of so small a picture nothing can be compared";
    if ((int64_t)problem.pitch * 4 > INT32_MAX)
        return "rows are too long for it";
    // Short runs are timed as a graph, and such a call cannot become part of
    // one: cudaErrorStreamCaptureInvalidated (CUDA 13.0).
    if (problem.radius <= 2 && problem.width % 4 != 0)
        return "3x3 and 5x5 in a graph want a width that is a multiple of 4";
    CUDA_CHECK(cudaGetDevice(&n.nCudaDeviceId));
    CUDA_CHECK(cudaGetDeviceProperties(&about, n.nCudaDeviceId));
    CUDA_CHECK(cudaStreamGetFlags(cudaStreamPerThread, &n.nStreamFlags));
    n.hStream = cudaStreamPerThread;
    n.nMultiProcessorCount = about.multiProcessorCount;
    n.nMaxThreadsPerMultiProcessor = about.maxThreadsPerMultiProcessor;
    n.nMaxThreadsPerBlock = about.maxThreadsPerBlock;
    n.nSharedMemPerBlock = about.sharedMemPerBlock;
    n.nCudaDevAttrComputeCapabilityMajor = about.major;
    n.nCudaDevAttrComputeCapabilityMinor = about.minor;
    npp_context = n;
    return NULL;
}

/** Nearer to an edge than the radius its result is another one. */
static void npp_undefined(const void *problem, const array *, const band *b,
                          double *bound)
{
    const conv *c = (const conv *)problem;
    for (int64_t i = 0; i < b->rows * b->cols; i++) {
        int64_t row = b->row + i / b->cols, col = b->col + i % b->cols;
        if (row < c->radius || row >= c->height - c->radius ||
            col < c->radius || col >= c->width - c->radius)
            bound[i] = DBL_MAX;
    }
}

#endif

static void copy_enqueue(const void *problem)
{
    const conv *c = (const conv *)problem;
    floor_copy(c->x, c->y,
               (size_t)c->pitch * (size_t)c->height * sizeof(float));
}

/** A copy of whole rows would write into the padding of the output. */
static const char *copy_open(void)
{
    return problem.pitch == problem.width ? NULL : "rows of y have padding";
}

static const variant libraries[] = {
#ifdef WITH_NPP
    {.name = "NPP",
     .idea = "nppiFilterBorder_32f_C1R",
     .enqueue = npp_enqueue,
     .open = npp_open,
     .undefined = npp_undefined},
#else
    {"NPP"},
#endif
    {"copy", "copies x to y", copy_enqueue, copy_open, .floor = true},
};

#endif
