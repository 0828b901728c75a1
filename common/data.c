/**
 * @file data.c
 * @brief Memory and its contents: allocation, inputs, poison.
 */
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "parallel.h"

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

void memory_require(byte_count host, byte_count device, const device_info *info)
{
    if (info->simulator) {
        host += device;
        device = 0;
    }
    double host_free = host_free_bytes();
    REQUIRE((double)host <= host_free,
            "this size needs %.1f GiB of host memory; %.1f GiB are free",
            (double)host / GIB, host_free / GIB);
    REQUIRE((double)device <= (double)info->free_bytes || device == 0,
            "this size needs %.1f GiB of GPU memory; %.1f GiB are free",
            (double)device / GIB, (double)info->free_bytes / GIB);
}

void *host_alloc(size_t bytes)
{
    void *x = malloc(bytes);
    REQUIRE(x, "%.1f GiB of host memory: not to be had; %.1f GiB are free",
            (double)bytes / GIB, host_free_bytes() / GIB);
    return x;
}

/* ---- device memory between guard zones ----------------------------------- */

#define GUARD_WORDS 16384 /**< on each side: 64 KiB */
#define MAX_BUFFERS 64    /**< from device_alloc() at the same time */

/** One buffer of device_alloc(). */
typedef struct {
    char *d_x;    /**< what the caller got; NULL: a free entry */
    size_t bytes; /**< a multiple of 4, so that the guard is aligned */
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

void *device_alloc(size_t bytes)
{
    static uint32_t pattern[GUARD_WORDS];
    guard_pattern(pattern);
    buffer *b = find_buffer(NULL);
    // Where the simulator checks every access it names the line; a guard
    // inside the allocation would hide from it that an access went astray.
    b->guard = device_checks_accesses() ? 0 : sizeof(pattern);
    b->bytes = (bytes + 3) / 4 * 4;

    size_t free_bytes, total;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
    void *base;
    cudaError_t status = cudaMalloc(&base, b->bytes + 2 * b->guard);
    REQUIRE(status != cudaErrorMemoryAllocation,
            "%.1f GiB of GPU memory: not to be had; %.1f GiB are free",
            (double)bytes / GIB, (double)free_bytes / GIB);
    CUDA_CHECK(status);

    b->d_x = (char *)base + b->guard;
    CUDA_CHECK(cudaMemset(b->d_x, 0xff, b->bytes));
    CUDA_CHECK(cudaMemcpy(b->d_x - b->guard, pattern, b->guard,
                          cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(b->d_x + b->bytes, pattern, b->guard,
                          cudaMemcpyHostToDevice));
    return b->d_x;
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
    CUDA_CHECK(cudaFree(b->d_x - b->guard));
    b->d_x = NULL;
}

/* ---- inputs -------------------------------------------------------------- */

/**
 * 64 random bits that depend on seed and position alone, so that threads need
 * no order: the finaliser of splitmix64 (Steele, Lea, Flood 2014) applied to
 * its counter.
 */
static uint64_t random_bits(uint64_t seed, uint64_t i)
{
    uint64_t x = i * UINT64_C(0x9e3779b97f4a7c15);
    x += (seed + 1) * UINT64_C(0xd1b54a32d192ed03);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/** A fill, as the threads that share it see it. */
typedef struct fill {
    float *x;
    int rows;
    int cols;
    int ld;
    uint64_t seed;
    /** Element (i, j), made of 64 random bits. */
    float (*value)(const struct fill *f, int i, int j, uint64_t bits);
} fill;

static void fill_rows(void *context, int begin, int end)
{
    const fill *f = context;
    for (int i = begin; i < end; i++) {
        float *row = f->x + (int64_t)i * f->ld;
        for (int j = 0; j < f->cols; j++) {
            uint64_t position = (uint64_t)i * (uint64_t)f->cols + (uint64_t)j;
            row[j] = f->value(f, i, j, random_bits(f->seed, position));
        }
        for (int j = f->cols; j < f->ld; j++)
            row[j] = 0.0f;
    }
}

/** Multiples of 2^-24 in [-1, 1): the top 25 bits, less 2^24. */
static float random_value(const fill *f, int i, int j, uint64_t bits)
{
    (void)f, (void)i, (void)j;
    return (float)((int)(bits >> 39) - (1 << 24)) * 0x1p-24f;
}

void fill_random(float *x, int rows, int cols, int ld, uint64_t seed)
{
    fill f = {x, rows, cols, ld, seed, random_value};
    parallel_rows(rows, fill_rows, &f);
}

/** The top bit as a sign. */
static float signed_value(float magnitude, uint64_t bits)
{
    return bits >> 63 ? -magnitude : magnitude;
}

/** Odd multiples of 2^-12, of magnitude 1/2 to 1: 12 significant bits. */
static float fine_value(const fill *f, int i, int j, uint64_t bits)
{
    (void)f, (void)i, (void)j;
    int odd = 2 * (int)(bits & 1023) + 1;
    return signed_value((float)(2048 + odd) * 0x1p-12f, bits);
}

void fill_grid(float *x, int rows, int cols, int ld, uint64_t seed)
{
    fill f = {x, rows, cols, ld, seed, fine_value};
    parallel_rows(rows, fill_rows, &f);
}

/**
 * Element of the left (@p side 0) or right factor in term @p k of @p K.
 *
 * Large terms come every `stride` terms, counted from the last one. That is an
 * odd number, so that they fall on every place of a tile.
 */
static float factor_value(int side, int k, int K, uint64_t bits)
{
    int stride = ceil_div(K, GRID_LARGE_TERMS) | 1;
    int from_end = K - 1 - k;
    if (from_end % stride == 0)
        return from_end / stride % 2 == side ? fine_value(NULL, 0, 0, bits)
                                             : signed_value(1.0f, bits);
    bool small = k % ceil_div(K, GRID_SMALL_TERMS) == 0;
    return small ? signed_value(0x1p-6f, bits) : 0.0f;
}

static float left_value(const fill *f, int i, int j, uint64_t bits)
{
    (void)i;
    return factor_value(0, j, f->cols, bits);
}

static float right_value(const fill *f, int i, int j, uint64_t bits)
{
    (void)j;
    return factor_value(1, i, f->rows, bits);
}

void fill_grid_left(float *x, int rows, int cols, int ld, uint64_t seed)
{
    fill f = {x, rows, cols, ld, seed, left_value};
    parallel_rows(rows, fill_rows, &f);
}

void fill_grid_right(float *x, int rows, int cols, int ld, uint64_t seed)
{
    fill f = {x, rows, cols, ld, seed, right_value};
    parallel_rows(rows, fill_rows, &f);
}

void fill_padding(float *x, int rows, int cols, int ld)
{
    uint32_t word = GUARD_WORD;
    for (int i = 0; i < rows; i++) {
        for (int j = cols; j < ld; j++)
            memcpy(x + (int64_t)i * ld + j, &word, sizeof(word));
    }
}
