/**
 * @file ranges.cu
 * @brief The profiler's ranges: what the counters sum, what SIM_REPORT notes.
 *
 * Prints global_store_requests after each step; test_report.py knows them.
 */
#include <cuda_profiler_api.h>
#include <stdio.h>
#include <string.h>

#include "sim.h"

/** One store a thread: one request a warp. */
__global__ void store(int *p)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

static int *data;

static void launch(int warps)
{
    store<<<warps, 32>>>(data);
}

/** Print the requests that a program reads at this point. */
static void show(const char *step)
{
    sim_count counts[64];
    int n = sim_counters(counts, 64);
    for (int i = 0; i < n; i++)
        if (!strcmp(counts[i].name, "global_store_requests"))
            printf("%s %g\n", step, counts[i].value);
}

int main(void)
{
    cudaMalloc((void **)&data, 1 << 16);
    launch(1);
    launch(2);
    show("all so far");
    cudaProfilerStart();
    show("range 1 begins");
    launch(4);
    launch(8);
    cudaProfilerStart(); // a range is open: no effect, as on a GPU
    launch(16);
    show("range 1");
    cudaProfilerStop();
    launch(32);
    show("after it");
    cudaProfilerStart();
    launch(64);
    cudaProfilerStop();
    show("range 2");
    return 0;
}
