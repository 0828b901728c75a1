/** @file device.c @see device.h */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_profiler_api.h>

#include "options.h"

#if SIMULATED
#include "sim.h"
#endif

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

static int attribute(enum cudaDeviceAttr which, int ordinal)
{
    int value = 0; // stays 0 where a driver does not know the attribute
    if (cudaDeviceGetAttribute(&value, which, ordinal) != cudaSuccess)
        cudaGetLastError(); // forget it: CHECK_LAUNCH looks at the same place
    return value;
}

/**
 * Multiply-adds in float32 that an SM starts per cycle: 64 in sm_75 and
 * sm_80, 128 in all others from sm_86 on (CUDA C++ Programming Guide,
 * throughput of native arithmetic instructions).
 */
static int fma_per_cycle(int compute_capability)
{
    return compute_capability <= 80 ? 64 : 128;
}

bool device_simulated(void)
{
    return SIMULATED;
}

/**
 * Version of the driver, "580.159.04", as the kernel module says it.
 *
 * Where there is none to ask (WSL): the newest CUDA that it supports, "13.0".
 */
static void driver_version(char *text, size_t size)
{
    int cuda;
    CUDA_CHECK(cudaDriverGetVersion(&cuda));
    snprintf(text, size, "%d.%d", cuda / 1000, cuda % 1000 / 10);
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (!file)
        return;
    char word[32];
    int major, minor;
    while (fscanf(file, "%31s", word) == 1) {
        if (sscanf(word, "%d.%d", &major, &minor) == 2) {
            snprintf(text, size, "%.31s", word);
            break;
        }
    }
    fclose(file);
}

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

/** Clocks, and what the GPU can do on paper. */
static void read_limits(device_info *info, int ordinal)
{
    // Attributes: CUDA 13 has removed the clocks from cudaDeviceProp.
    info->sm_count = attribute(cudaDevAttrMultiProcessorCount, ordinal);
    info->l2_bytes = (size_t)attribute(cudaDevAttrL2CacheSize, ordinal);
    info->sm_mhz = attribute(cudaDevAttrClockRate, ordinal) / 1000;
    info->memory_mhz = attribute(cudaDevAttrMemoryClockRate, ordinal) / 1000;
    int bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal);
    // Two transfers a cycle; two operations a multiply-add.
    info->peak_gbs = 2.0 * info->memory_mhz * 1e6 * bus_bits / 8 / 1e9;
    info->peak_gflops = 2.0 * fma_per_cycle(info->compute_capability) *
                        info->sm_count * info->sm_mhz * 1e6 / 1e9;
}

device_info device_open(int ordinal)
{
    device_info info = {.simulator = SIMULATED};
    select_gpu(ordinal);
    struct cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
    snprintf(info.name, sizeof(info.name), "%.63s", properties.name);
    info.compute_capability = properties.major * 10 + properties.minor;
    if (info.compute_capability < OLDEST) {
        fprintf(stderr, "%s has compute capability %d.%d; needed is %d.%d\n",
                info.name, properties.major, properties.minor, OLDEST / 10,
                OLDEST % 10);
        exit(EXIT_UNSUPPORTED);
    }

    size_t total;
    CUDA_CHECK(cudaMemGetInfo(&info.free_bytes, &total));
    CUDA_CHECK(cudaRuntimeGetVersion(&info.toolkit));
    if (!SIMULATED) { // clocks and bandwidth of a simulated GPU mean nothing
        driver_version(info.driver, sizeof(info.driver));
        read_limits(&info, ordinal);
    }
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
    int ordinal;
    CUDA_CHECK(cudaGetDevice(&ordinal));
    int warps = attribute(cudaDevAttrMaxThreadsPerMultiProcessor, ordinal) / 32;
    l->registers = attributes.numRegs;
    l->shared = attributes.sharedSizeBytes + l->dynamic;
    l->occupancy =
        warps ? (double)l->blocks_per_sm * ceil_div(threads, 32) / warps : 0.0;
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

/* ---- what only the simulator knows --------------------------------------- */

#if SIMULATED

int device_counters(counter *counters)
{
    sim_count counts[MAX_COUNTERS];
    int count = sim_counters(counts, MAX_COUNTERS);
    for (int i = 0; i < count; i++)
        counters[i] = (counter){counts[i].name, counts[i].value};
    return count;
}

int device_finding_count(void)
{
    return sim_finding_count();
}

bool device_checks_accesses(void)
{
    const char *check = getenv("SIM_CHECK");
    return sim_counting() && !(check && strcmp(check, "0") == 0);
}

const char *device_finding(int i)
{
    return sim_finding_text(i);
}

void device_on_progress(void (*callback)(double elapsed, double fraction))
{
    sim_on_progress(callback);
}

void device_name_array(const void *d_x, const char *name, size_t bytes,
                       int64_t cols, int64_t ld)
{
    sim_name_array(d_x, name, bytes, cols, ld);
}

#else

int device_counters(counter *counters)
{
    (void)counters;
    return 0;
}

int device_finding_count(void)
{
    return 0;
}

bool device_checks_accesses(void)
{
    return false;
}

const char *device_finding(int i)
{
    (void)i;
    return "";
}

void device_on_progress(void (*callback)(double elapsed, double fraction))
{
    (void)callback;
}

void device_name_array(const void *d_x, const char *name, size_t bytes,
                       int64_t cols, int64_t ld)
{
    (void)d_x, (void)name, (void)bytes, (void)cols, (void)ld;
}

#endif
