/** @file memory.c @see device.h, internal.h */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- how much memory there is -------------------------------------------- */

#define GIB ((double)(1 << 30))

/** A number in a file of the kernel; @p otherwise if there is none. */
static double read_number(const char *path, const char *format,
                          double otherwise)
{
    char line[256];
    double value = otherwise;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file)) {
        if (sscanf(line, format, &value) == 1)
            break;
    }
    if (file)
        fclose(file);
    return value;
}

/** Host memory that can be had without swapping, in a container as well. */
static double host_free_bytes(void)
{
    double all =
        (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double available =
        read_number("/proc/meminfo", "MemAvailable: %lf", all / 1024) * 1024;
    double limit = read_number("/sys/fs/cgroup/memory.max", "%lf", 1e30);
    double used = read_number("/sys/fs/cgroup/memory.current", "%lf", 0);
    return limit - used < available ? limit - used : available;
}

void memory_require(double host, double device, const device_info *info)
{
    if (info->simulator) {
        host += device;
        device = 0;
    }
    double host_free = host_free_bytes();
    REQUIRE(host <= host_free,
            "this size needs %.1f GiB of host memory; %.1f GiB are free",
            host / GIB, host_free / GIB);
    REQUIRE(device <= (double)info->free_bytes || device == 0,
            "this size needs %.1f GiB of GPU memory; %.1f of %.1f GiB are free",
            device / GIB, (double)info->free_bytes / GIB,
            (double)info->total_bytes / GIB);
}

void *host_alloc(size_t bytes)
{
    void *x = malloc(bytes > 0 ? bytes : 1); // of 0 bytes NULL is allowed
    REQUIRE(x, "%.1f GiB of host memory: not to be had; %.1f GiB are free",
            (double)bytes / GIB, host_free_bytes() / GIB);
    return x;
}

void *host_reserve(size_t bytes)
{
    void *x = mmap(NULL, bytes > 0 ? bytes : 1, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(x != MAP_FAILED, "%.1f GiB of host memory: no such addresses",
            (double)bytes / GIB);
    return x;
}

void host_release(void *x, size_t bytes)
{
    if (x)
        munmap(x, bytes > 0 ? bytes : 1);
}

void *host_copy(const void *x, size_t bytes)
{
    return memcpy(host_alloc(bytes), x, bytes);
}

void *host_alloc_pinned(size_t bytes)
{
    void *x = NULL;
    REQUIRE(cudaMallocHost(&x, bytes > 0 ? bytes : 1) == cudaSuccess,
            "%.1f GiB of pinned memory: not to be had; %.1f GiB are free",
            (double)bytes / GIB, host_free_bytes() / GIB);
    return x;
}

void host_free_pinned(void *x)
{
    CUDA_CHECK(cudaFreeHost(x));
}

/* ---- device memory between guard zones ----------------------------------- */

#define GUARD_WORDS 16384 /**< on each side: 64 KiB */
#define MAX_BUFFERS 64    /**< from device_alloc() at the same time */

/** One buffer of device_alloc(). */
typedef struct {
    char *d_x;    /**< what the caller got; NULL: a free entry */
    void *base;   /**< what cudaMalloc() gave */
    size_t bytes; /**< what the caller asked for */
    size_t guard; /**< bytes on each side */
} buffer;

static buffer buffers[MAX_BUFFERS];

static buffer *find_buffer(const void *d_x)
{
    for (int i = 0; i < MAX_BUFFERS; i++) {
        if (buffers[i].d_x == d_x)
            return &buffers[i];
    }
    fprintf(stderr, "%p is not from device_alloc()\n", d_x);
    exit(EXIT_WRONG);
}

static void guard_pattern(uint32_t *words)
{
    for (int i = 0; i < GUARD_WORDS; i++)
        words[i] = GUARD_WORD;
}

/**
 * Bytes from the beginning of an allocation to what the caller gets.
 *
 * cudaMalloc() puts buffers of 1 MiB and more at multiples of 2 MiB, and the
 * caches look at these bits of an address: they shall stay the same.
 */
static size_t offset_of(const buffer *b)
{
    const size_t large = (size_t)1 << 20;
    return b->guard && b->bytes >= large ? 2 * large : b->guard;
}

/** cudaMalloc(), or exit with both numbers. */
static void *take(size_t bytes, size_t asked)
{
    size_t free_bytes, total;
    void *base;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
    cudaError_t status = cudaMalloc(&base, bytes);
    REQUIRE(status != cudaErrorMemoryAllocation,
            "%.1f GiB of GPU memory: not to be had; %.1f GiB are free",
            (double)asked / GIB, (double)free_bytes / GIB);
    CUDA_CHECK(status);
    return base;
}

void device_guard_restore(const void *d_x)
{
    static uint32_t pattern[GUARD_WORDS];
    const buffer *b = find_buffer(d_x);
    guard_pattern(pattern);
    CUDA_CHECK(cudaMemcpy(b->d_x - b->guard, pattern, b->guard,
                          cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(b->d_x + b->bytes, pattern, b->guard,
                          cudaMemcpyHostToDevice));
}

void *device_reserve(size_t bytes)
{
    buffer *b = find_buffer(NULL);
    // Where the simulator checks every access it names the line; a guard
    // inside the allocation would hide from it that an access went astray.
    b->guard = device_checks_accesses() ? 0 : 4 * GUARD_WORDS;
    b->bytes = bytes;
    size_t least = bytes > 0 ? bytes : 1; // of 0 bytes CUDA gives NULL
    b->base = take(offset_of(b) + least + b->guard, bytes);
    b->d_x = (char *)b->base + offset_of(b);
    device_guard_restore(b->d_x);
    return b->d_x;
}

void *device_alloc(size_t bytes)
{
    void *d_x = device_reserve(bytes);
    CUDA_CHECK(cudaMemset(d_x, 0xff, bytes));
    return d_x;
}

static bool guard_kept(const char *d_guard, size_t bytes)
{
    static uint32_t pattern[GUARD_WORDS];
    static uint32_t got[GUARD_WORDS];
    guard_pattern(pattern);
    CUDA_CHECK(cudaMemcpy(got, d_guard, bytes, cudaMemcpyDeviceToHost));
    return memcmp(got, pattern, bytes) == 0;
}

const char *device_guard_broken(const void *d_x)
{
    const buffer *b = find_buffer(d_x);
    if (!guard_kept(b->d_x - b->guard, b->guard))
        return "before";
    if (!guard_kept(b->d_x + b->bytes, b->guard))
        return "behind";
    return NULL;
}

void device_free(void *d_x)
{
    if (!d_x)
        return;
    buffer *b = find_buffer(d_x);
    CUDA_CHECK(cudaFree(b->base));
    b->d_x = NULL;
}
