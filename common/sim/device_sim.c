/**
 * @file device_sim.c
 * @brief The half of device.h that the simulator answers.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include "sim.h"

bool device_simulated(void)
{
    return true;
}

void device_read_limits(device_info *info, int ordinal)
{
    (void)info, (void)ordinal; // of a simulated GPU they mean nothing
    sim_memory_by_use();       // and its memory is the host's: memory_require()
}

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
    const char *search = getenv("SIM_SEARCH");
    return sim_counting() && !(search && strcmp(search, "0") == 0);
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
