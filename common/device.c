/** @file device.c @see device.h, internal.h */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_profiler_api.h>

#define OLDEST 75 /**< compute capability that the chapters need */

/** The latest launch, for messages. */
static struct {
    const char *kernel; /**< NULL: none yet */
    const char *file;
    int line;
} latest;

/* ---- errors -------------------------------------------------------------- */

/** true: not a mistake of the program; this GPU or driver cannot run it. */
static bool unsupported(cudaError_t status)
{
    return status == cudaErrorNoDevice ||
           status == cudaErrorInsufficientDriver ||
           status == cudaErrorNoKernelImageForDevice;
}

int device_attribute(enum cudaDeviceAttr attribute)
{
    int device, value;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return value;
}

void device_check(cudaError_t status, const char *what, const char *file,
                  int line)
{
    if (status == cudaSuccess)
        return;
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, what,
            cudaGetErrorString(status));
    if (status == cudaErrorNoKernelImageForDevice)
        fprintf(stderr, "this program was built for another GPU; build it "
                        "anew, with arch=sm_NN for the one at hand\n");
    else if (latest.kernel)
        // Kernels fail later than they are launched: the call above need not
        // be the one to blame.
        fprintf(stderr, "the latest launch was %s, %s:%d\n", latest.kernel,
                latest.file, latest.line);
    exit(unsupported(status) ? EXIT_UNSUPPORTED : EXIT_WRONG);
}

/* ---- facts --------------------------------------------------------------- */

/** Select GPU @p ordinal, or exit and say which ones there are. */
static void select_gpu(int ordinal)
{
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        fprintf(stderr, "no GPU answers: %s; on=simulator runs without one\n",
                status ? cudaGetErrorString(status) : "none was found");
        exit(EXIT_UNSUPPORTED);
    }
    REQUIRE(ordinal < count, "--device %d: allowed are 0 to %d", ordinal,
            count - 1);
    CUDA_CHECK(cudaSetDevice(ordinal));
}

void device_need(const device_info *info, int least, int most)
{
    int has = info->compute_capability;
    if (has >= least && (has <= most || !most))
        return;
    int needed = has < least ? least : most;
    fprintf(stderr, "%s has compute capability %d.%d; needed is %d.%d%s\n",
            info->name, has / 10, has % 10, needed / 10, needed % 10,
            most ? "" : " or newer");
    exit(EXIT_UNSUPPORTED);
}

device_info device_open(int ordinal)
{
    device_info info = {.simulator = device_simulated()};
    select_gpu(ordinal);
    struct cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
    snprintf(info.name, sizeof(info.name), "%.63s", properties.name);
    info.compute_capability = properties.major * 10 + properties.minor;
    device_need(&info, OLDEST, 0);

    CUDA_CHECK(cudaMemGetInfo(&info.free_bytes, &info.total_bytes));
    CUDA_CHECK(cudaRuntimeGetVersion(&info.toolkit));
    device_read_limits(&info, ordinal);
    return info;
}

unsigned device_blocks(int64_t items, int64_t per_block)
{
    int64_t blocks = items > 0 ? (items - 1) / per_block + 1 : 1;
    REQUIRE(blocks <= INT32_MAX,
            "%lld elements: this kernel takes at most %lld", (long long)items,
            (long long)INT32_MAX * per_block);
    return (unsigned)blocks;
}

/* ---- launches ------------------------------------------------------------ */

/** The run between device_run_begin() and device_run_end(). */
static struct {
    bool open;
    launch_info launches[MAX_LAUNCHES];
    int count;
    int unlisted; /**< launches for which the table had no room */
} counted;

void device_run_begin(void)
{
    counted.open = true;
    counted.count = counted.unlisted = 0;
    CUDA_CHECK(cudaProfilerStart());
}

void device_run_end(void)
{
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    CUDA_CHECK(cudaProfilerStop());
    counted.open = false;
    if (counted.unlisted > 0)
        fprintf(stderr,
                "the list of launches ends at %d different ones: %d launches "
                "more are counted, not listed\n",
                MAX_LAUNCHES, counted.unlisted);
}

int device_launches(launch_info *launches)
{
    memcpy(launches, counted.launches,
           (size_t)counted.count * sizeof(*launches));
    return counted.count;
}

static bool same(const unsigned *a, dim3 b)
{
    return a[0] == b.x && a[1] == b.y && a[2] == b.z;
}

/** A launch that is in the table of the run already, or NULL. */
static launch_info *find_launch(const void *kernel, dim3 grid, dim3 block,
                                size_t dynamic)
{
    for (int i = 0; i < counted.count; i++) {
        launch_info *l = &counted.launches[i];
        if (l->code == kernel && same(l->grid, grid) && same(l->block, block) &&
            l->dynamic == dynamic)
            return l;
    }
    return NULL;
}

/** Ask what the launch takes of an SM. */
static void look_up(launch_info *l)
{
    struct cudaFuncAttributes attributes;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, l->code));
    int threads = (int)(l->block[0] * l->block[1] * l->block[2]);
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &l->blocks_per_sm, l->code, threads, l->dynamic));
    int ordinal, most; // threads on an SM
    CUDA_CHECK(cudaGetDevice(&ordinal));
    CUDA_CHECK(cudaDeviceGetAttribute(
        &most, cudaDevAttrMaxThreadsPerMultiProcessor, ordinal));
    l->registers = attributes.numRegs;
    l->shared = attributes.sharedSizeBytes + l->dynamic;
    l->occupancy =
        (double)l->blocks_per_sm * ceil_div(threads, 32) / (most / 32);
}

/** A kernel's name without the parentheses of CHECK_LAUNCH; never freed. */
static const char *bare(const char *name)
{
    char *copy = *name == '(' ? strdup(name + 1) : NULL;
    if (!copy)
        return name;
    copy[strlen(copy) - 1] = '\0';
    return copy;
}

/** Add a launch to the table of the run. */
static void note_launch(const void *kernel, const char *name, dim3 grid,
                        dim3 block, size_t dynamic)
{
    launch_info *l = find_launch(kernel, grid, block, dynamic);
    if (!l && counted.count < MAX_LAUNCHES) {
        l = &counted.launches[counted.count++];
        *l = (launch_info){.kernel = bare(name),
                           .code = kernel,
                           .grid = {grid.x, grid.y, grid.z},
                           .block = {block.x, block.y, block.z},
                           .dynamic = dynamic};
        look_up(l);
    }
    if (l)
        l->times++;
    else
        counted.unlisted++;
}

void device_launched(const void *kernel, const char *name, dim3 grid,
                     dim3 block, size_t shared_bytes, const char *file,
                     int line)
{
    cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) {
        char what[256];
        snprintf(what, sizeof(what),
                 "%.63s, grid (%u, %u, %u), block (%u, %u, %u), "
                 "%zu bytes of dynamic shared memory",
                 name, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                 shared_bytes);
        latest.kernel = NULL; // no second line: the place is known
        device_check(status, what, file, line);
    }
    latest.kernel = name;
    latest.file = file;
    latest.line = line;
    if (counted.open) // else the questions would be timed with the launches
        note_launch(kernel, name, grid, block, shared_bytes);
}
