/**
 * @file device_gpu.c
 * @brief The half of device.h that a GPU answers.
 */
#include "internal.h"

#include <stdio.h>

bool device_simulated(void)
{
    return false;
}

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

/**
 * Version of the driver, "580.159.04", as the kernel module says it.
 *
 * Where there is none to ask (WSL): the newest CUDA that it supports, "13.0".
 */
static void driver_version(char *text, size_t size)
{
    int cuda = 0;
    cudaDriverGetVersion(&cuda);
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

void device_read_limits(device_info *info, int ordinal)
{
    driver_version(info->driver, sizeof(info->driver));
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
