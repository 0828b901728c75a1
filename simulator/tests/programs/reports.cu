// What test_report.py knows the counts of, and test_small_float.py's neighbours
// do not need: one case for each of its questions.

#include "cases.h"
#include <cuda_profiler_api.h>
#include <stdint.h>
#include <stdlib.h>

#include "sim.h"

/* ---- addresses ----------------------------------------------------------- */

#define FLOATS (1 << 16)

__device__ float table[FLOATS];

/** A row of the table, and of @p host, for each lane. */
__global__ void rows(float *out, const float *host, int pitch)
{
    int i = threadIdx.x * pitch;
    out[threadIdx.x] = table[i] + host[i];
}

// Tag wavefronts outside of cudaMalloc's memory: variables of the program and
// registered host memory, which lie elsewhere in every run.
CASE(addresses)
{
    float *out = room<float>(32), *host = (float *)calloc(FLOATS, sizeof *host);
    cudaHostRegister(host, FLOATS * sizeof *host, cudaHostRegisterDefault);
    cudaMemcpyToSymbol(table, host, FLOATS * sizeof *host);
    for (int pitch = 33; pitch < 2000; pitch += 37)
        rows<<<1, 32>>>(out, host, pitch);
    cudaHostUnregister(host);
    free(host);
}

/* ---- arrivals ------------------------------------------------------------ */

#define STORES 100 /**< more than fit the log of a lane */

__global__ void arrive_and_store(int *p)
{
    __shared__ uint64_t barrier;
    uint32_t at = (uint32_t)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(at));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at)
                     : "memory");
    for (int i = 0; i < STORES; i++)
        p[i * blockDim.x + threadIdx.x] = i;
}

// A lane that arrives at an mbarrier goes on beside the others of its warp:
// what they store then is one request.
CASE(arrivals)
{
    arrive_and_store<<<1, 64>>>(room<int>(STORES * 64));
}

/* ---- callers ------------------------------------------------------------- */

/** The line of all loads. */
__device__ float element(const float *x, int i)
{
    return x[i]; // load
}

/** Calls element() from two places, and through this one from a third. */
__device__ float twice(const float *x, int i)
{
    return 2 * element(x, i); // inner call
}

__global__ void three_calls(const float *a, const float *b, float *c,
                            int stride)
{
    __shared__ float tile[32];
    int i = threadIdx.x;
    tile[i] = element(a, i * stride);          // first call
    __syncthreads();                           // the tile is complete
    c[i] = twice(b, i) + element(tile, i ^ 1); // two calls
}

// One line, reached by several calls: an entry of lines[] for each.
CASE(callers)
{
    float *data[3];
    const char *names[] = {"A", "B", "C"};
    for (int i = 0; i < 3; i++) {
        data[i] = zeros<float>(1024);
        sim_name_array(data[i], names[i], sizeof(float), 1024, 0);
    }
    three_calls<<<1, 32>>>(data[0], data[1], data[2], 8);
}

/* ---- orders -------------------------------------------------------------- */

__device__ int next, seen[64], ready;

static __device__ void note(int who)
{
    seen[atomicAdd(&next, 1)] = who;
}

__global__ void warps()
{
    if (threadIdx.x % 32 == 5)
        note(blockIdx.x * 10 + threadIdx.x / 32);
}

__global__ void lanes()
{
    note(threadIdx.x);
}

static void show(int count)
{
    int host[64], none = 0;
    cudaMemcpyFromSymbol(host, seen, sizeof(host));
    cudaMemcpyToSymbol(next, &none, sizeof(none));
    for (int i = 0; i < count; i++)
        printf("%d%c", host[i], i < count - 1 ? ' ' : '\n');
}

// Who goes first: each warp of 8 blocks notes itself, then each lane of one.
CASE(orders)
{
    warps<<<8, 64>>>();
    show(16);
    lanes<<<1, 40>>>();
    show(40);
}

__global__ void wait_for_first()
{
    if (blockIdx.x == 0)
        atomicExch(&ready, 1);
    else
        while (atomicAdd(&ready, 0) == 0) // waits
            ;
}

// A block waits for one that began before it, as a rule.
CASE(waits)
{
    wait_for_first<<<2, 1>>>();
    CHECK_CUDA(cudaDeviceSynchronize());
}

/* ---- ranges -------------------------------------------------------------- */

/** One store a thread: one request a warp. */
__global__ void store(int *p)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

/** Print the requests that a program reads at this point. */
static void show_stores(const char *step)
{
    sim_count counts[64];
    int n = sim_counters(counts, 64);
    for (int i = 0; i < n; i++)
        if (!strcmp(counts[i].name, "global_store_requests"))
            printf("%s %g\n", step, counts[i].value);
}

// The profiler's ranges: what the counters sum, what SIM_REPORT notes.
CASE(ranges)
{
    int *data = room<int>(1 << 14);
    store<<<1, 32>>>(data);
    store<<<2, 32>>>(data);
    show_stores("all so far");
    cudaProfilerStart();
    show_stores("range 1 begins");
    store<<<4, 32>>>(data);
    store<<<8, 32>>>(data);
    cudaProfilerStart(); // a range is open: no effect, as on a GPU
    store<<<16, 32>>>(data);
    show_stores("range 1");
    cudaProfilerStop();
    store<<<32, 32>>>(data);
    show_stores("after it");
    cudaProfilerStart();
    store<<<64, 32>>>(data);
    cudaProfilerStop();
    show_stores("range 2");
}

/* ---- repeats ------------------------------------------------------------- */

__global__ void two_fma(float *x, bool race)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    x += blockIdx.x * 32;
    s[t] = x[t] * 2.0f + 1.0f;
    if (!race)
        __syncthreads(); // all are there
    x[t] = fmaf(s[31 - t], 2.0f, 1.0f);
}

// Launches of two shapes, again and again; the fourth one has a race.
CASE(repeats)
{
    float *x = zeros<float>(64);
    two_fma<<<1, 32>>>(x, false);
    two_fma<<<1, 32>>>(x, false);
    two_fma<<<2, 32>>>(x, false);
    two_fma<<<1, 32>>>(x, true);
    two_fma<<<2, 32>>>(x, false);
    cudaProfilerStart();
    two_fma<<<1, 32>>>(x, false);
    two_fma<<<1, 32>>>(x, false);
    cudaProfilerStop();
}
