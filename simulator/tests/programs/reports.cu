// What test_report.py asks about: launches whose counts, order and places it
// knows. One case for each of its questions.

#include "cases.h"
#include "ptx.h"
#include "sim.h"
#include <cuda/atomic>
#include <cuda_profiler_api.h>

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
    if (threadIdx.x == 0)
        MBARRIER_INIT(&barrier, 2);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        ARRIVE(&barrier);
    for (int i = 0; i < STORES; i++)
        p[i * blockDim.x + threadIdx.x] = i;
}

// A lane that arrives at an mbarrier goes on beside the others of its warp:
// what they store then is one request.
LAUNCH(arrivals, arrive_and_store<<<1, 64>>>(room<int>(STORES * 64)));

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

/* ---- floats -------------------------------------------------------------- */

template <bool PTX>
__global__ void fused(float *x)
{
    float product = x[0] * x[1], sum = product + x[2];
    if (PTX) {
        asm("mul.f32 %0, %1, %2;" : "=f"(product) : "f"(x[0]), "f"(x[1]));
        asm("add.f32 %0, %1, %2;" : "=f"(sum) : "f"(product), "f"(x[2]));
    }
    x[3] = sum;
}

template <bool PTX>
__global__ void apart(float *x)
{
    float sum = __fsub_rn(__fmul_rn(x[0], x[1]), x[2]), product;
    if (PTX) {
        asm("mul.rn.f32 %0, %1, %2;" : "=f"(product) : "f"(x[0]), "f"(x[1]));
        asm("sub.rn.f32 %0, %1, %2;" : "=f"(sum) : "f"(product), "f"(x[2]));
    }
    x[3] = sum;
}

// Sums and products of inline PTX count as C++'s; without .rn they are fused.
CASE(floats)
{
    float *x = zeros<float>(4);
    fused<false><<<1, 1>>>(x);
    fused<true><<<1, 1>>>(x);
    apart<false><<<1, 1>>>(x);
    apart<true><<<1, 1>>>(x);
}

/* ---- initial values ------------------------------------------------------ */

typedef struct {
    float4 v[3];
    float rest;
} piece;

__device__ void add_to(piece *p, const float *x)
{
    for (int k = 0; k < 3; k++)
        p->v[k].x += x[k];
}

/** Loads three words of x, and nothing else that is in global memory. */
__global__ void initial(const float *x, float *out)
{
    piece left, p = {{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, 13};
    add_to(&p, x);
    left = p;
    add_to(&left, x);
    out[threadIdx.x] = left.v[threadIdx.x % 3].x + left.rest;
}

// What a thread's own structure begins with is loaded from nowhere.
CASE(initial)
{
    float *x;
    cudaMalloc(&x, 1024);
    cudaMemset(x, 0, 1024);
    initial<<<1, 32>>>(x, x + 128);
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

// A block waits for one that began before it, as a rule. An H200 holds 528.
CASE(waits)
{
    wait_for_first<<<529, 1, 48 << 10>>>();
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
    extern __shared__ float s[];
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
    two_fma<<<1, 32, 128>>>(x, false);
    two_fma<<<1, 32, 128>>>(x, false);
    two_fma<<<2, 32, 128>>>(x, false);
    two_fma<<<1, 32, 128>>>(x, true);
    two_fma<<<2, 32, 128>>>(x, false);
    cudaProfilerStart();
    two_fma<<<1, 32, 128>>>(x, false);
    two_fma<<<1, 32, 128>>>(x, false);
    cudaProfilerStop();
}

/* ---- scopes -------------------------------------------------------------- */

template <int WAY>
__global__ void add_one()
{
    __shared__ unsigned s;
    s = 0;
    __syncthreads();
    if (WAY == 0)
        atomicAdd(&s, 1u);
    else if (WAY == 1)
        atomicAdd_block(&s, 1u);
    else
        cuda::atomic_ref<unsigned, cuda::thread_scope_block>(s).fetch_add(
            1, cuda::memory_order_relaxed);
}

// Of atomics the scope changes nothing that is counted; 1 is as cheap as ever.
CASE(scopes)
{
    add_one<0><<<1, 32>>>();
    add_one<1><<<1, 32>>>();
    add_one<2><<<1, 32>>>();
}

/* ---- who ----------------------------------------------------------------- */

__global__ void who(float *out)
{
    __shared__ float before[4], tile[4][8];
    int x = threadIdx.x;
    before[x % 4] = 0.0f;
    __syncthreads(); // first barrier
    if (x >= 4 && x < 8)
        tile[x % 4][x / 4] = 1.0f;
    __syncthreads(); // second barrier
    if (x >= 4 && x < 8)
        out[2 * x] = tile[x % 4][x / 4] + before[0];
}

// Which block, warp and lanes a line of the trace is about.
CASE(who)
{
    float *d_out;
    cudaMalloc(&d_out, 4096);
    who<<<3, 40>>>(d_out);
}
