#include "cases.h"
#include <stdlib.h>
#include <unistd.h>

// The guard says <= where < is meant: one thread writes past the end.

__global__ void fill_guarded(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n + !RIGHT)
        x[i] = i; // expect: out-of-bounds-global
}

LAUNCH(guard, fill_guarded<<<4, 256>>>(room<int>(1000), 1000));

// The left neighbour of the first element lies before the buffer.

__global__ void left(const int *x, int *y)
{
    int i = threadIdx.x;
    y[i] = x[i - 1]; // expect: out-of-bounds-global
}

LAUNCH(read, left<<<1, 32>>>(zeros<int>(32), room<int>(32)));

// A histogram with one bin too few.

__global__ void histogram(int *bins)
{
    atomicAdd(&bins[threadIdx.x % 17], 1); // expect: out-of-bounds-global
}

LAUNCH(atomic, histogram<<<1, 32>>>(zeros<int>(16)));

// The buffer was given back before the kernel wrote to it.

__global__ void fill_freed(int *x)
{
    x[threadIdx.x] = 1; // expect: out-of-bounds-global
}

CASE(use_after_free)
{
    int *x = room<int>(32);
    cudaFree(x);
    fill_freed<<<1, 32>>>(x);
}

// The graph has freed its memory when the kernel behind it reads it.

__global__ void add(int *data)
{
    data[threadIdx.x] += 1; // expect: out-of-bounds-global
}

CASE(use_after_free_graph)
{
    int *data;
    cudaStream_t stream = new_stream();
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&data, 32 * sizeof(int), stream);
    cudaMemsetAsync(data, 0, 32 * sizeof(int), stream);
    cudaFreeAsync(data, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    add<<<1, 32, 0, stream>>>(data);
}

// A kernel frees its memory twice.

__global__ void twice(int *x)
{
    int *p = (int *)malloc(4);
    *p = 1;
    *x = *p;
    free(p);
    free(p);
}

LAUNCH(invalid_free, twice<<<1, 1>>>(room<int>(1))); // expect: invalid-free

// A float4 must begin at a multiple of 16 bytes.

__global__ void copy(const float *in, float4 *out)
{
    const float *p = in + (RIGHT ? 4 : 1) + 4 * threadIdx.x;
    out[threadIdx.x] = *(const float4 *)p; // expect: misaligned
}

CASE(misaligned)
{
    copy<<<1, 32>>>(zeros<float>(160), room<float4>(32));
    CHECK_EQUAL(cudaDeviceSynchronize(),
                RIGHT ? cudaSuccess : cudaErrorMisalignedAddress);
}

// The same in shared memory: the second array begins at byte 36.

__global__ void carve(float4 *out)
{
    extern __shared__ char memory[];
    float4 *second = (float4 *)(memory + 36);
    second[threadIdx.x] = make_float4(1, 2, 3, 4); // expect: misaligned
    out[threadIdx.x] = make_float4(0, 0, 0, 0);
}

CASE(misaligned_shared)
{
    carve<<<1, 8, 36 + 8 * sizeof(float4)>>>(room<float4>(8));
    CHECK_EQUAL(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
}

// A null pointer is no device pointer.

__global__ void read(const int *x, int *out)
{
    out[threadIdx.x] = x[threadIdx.x]; // expect: host-pointer
}

CASE(null)
{
    read<<<1, 32>>>(nullptr, room<int>(32));
    CHECK_EQUAL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

// The array was never copied to the GPU: the kernel gets a host address.

__device__ int on_device[32];

__global__ void fill(int *x)
{
    on_device[threadIdx.x] = 1;
    x[threadIdx.x] = 1; // expect: host-pointer
}

static void fill_host_memory(int *x)
{
    fill<<<1, 32>>>(x);
    CHECK_EQUAL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    CHECK_EQUAL(x[0], 0);
}

CASE(host_heap)
{
    fill_host_memory((int *)calloc(32, sizeof(int)));
}

CASE(host_stack)
{
    int x[32] = {0};
    fill_host_memory(x);
}

CASE(host_variable)
{
    static int without_device[32];
    fill_host_memory(without_device);
}

// What the simulator knows of a buffer goes with it: a program that allocates
// and frees again and again does not grow.

static long resident_kib()
{
    long all, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(fscanf(file, "%ld %ld", &all, &resident) == 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

__global__ void fill_all(float *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

static void allocate_and_free(int times, int n)
{
    for (int i = 0; i < times; i++) {
        float *x = room<float>(n);
        if (n > 1024)
            fill_all<<<n / 256, 256>>>(x);
        cudaFree(x);
    }
}

CASE(freed_memory_is_given_back)
{
    allocate_and_free(2, 1 << 18);
    long before = resident_kib();
    allocate_and_free(2000, 256);
    allocate_and_free(16, 1 << 18);
    CHECK(resident_kib() - before < 4096);
}

// The host may use the managed array that no kernel was given.

__global__ void twice_each(int *x)
{
    x[threadIdx.x] *= 2;
}

CASE(other_managed)
{
    int *x = shared_zeros<int>(4096), *y = shared_zeros<int>(4096);
    twice_each<<<1, 32>>>(y);
    x[5] = 6;
#if !RIGHT
    y[5] += x[5]; // expect: host-dereference
#endif
}
