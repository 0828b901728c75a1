#include "cases.h"
#include "sides.cuh"

#include <vector>

// feature: several sources: two .cu, one .c, headers of one's own

extern "C" cudaError_t download(float *host, const float *device, int n);

CASE(several_sources)
{
    float x[32], *d = room<float>(32);
    fill<<<1, 32>>>(d, 0.5f);                 // a kernel of sides.cuh
    add(d, 32, 1.0f);                         // a function of other.cu
    CHECK(download(x, d, 32) == cudaSuccess); // of download.c
    CHECK_EQUAL(x[31], 901.5f);
}

// feature: __CUDA_ARCH__: 900 in device code, undefined in host code, functions
// of both sides, templates and headers included

#ifdef __CUDA_ARCH__
#define SIDE 1
#else
#define SIDE 2
#endif

// Constructed once, by the host.
static int constructed;
struct counted {
    std::vector<int> v = std::vector<int>(3, ++constructed);
};
counted object;

typedef int (*function)();
__device__ function on_device = architecture;
function on_host = architecture;
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int total;
static const int side = SIDE; // each side has its own

// Nothing of it is left on the host's side, and one argument goes unused.
static __global__ void body_under_the_macro(int *x, int unused, int n)
{
    __shared__ int s[32];
#if __CUDA_ARCH__ >= 700
    s[threadIdx.x] = table[threadIdx.x % 4];
    __syncthreads();
    sided_shape own;
    const shape *p = &own;
    if (threadIdx.x < n)
        x[threadIdx.x] = s[31 - threadIdx.x] + p->corners() + on_device();
    if (threadIdx.x == 0)
        total = side;
#endif
}

// The host's side would write something else.
__global__ void left_out(int *x)
{
#ifndef __CUDA_ARCH__
    *x = -1;
#else
    *x = warpSize;
#endif
}

__host__ __device__ void sum(int *x)
{
#ifdef __CUDA_ARCH__
    atomicAdd(x, 1);
#else
    for (int i = 0; i < 64; i++)
        x[0]++;
#endif
}

__global__ void sum_of_threads(int *x)
{
    sum(x);
}

CASE(cuda_arch)
{
    int *x = room<int>(32), sides = 0, here = 0, offset = 5;
    fill<<<1, 32>>>(x, 1);
    launches++;
    CHECK(fetch(x) == 901 && fetch(x + 31) == 901);

    body_under_the_macro<<<1, 32>>>(x, 7, 31);
    CHECK(fetch(x) == 4 + 900 + 900 && fetch(x + 30) == 2 + 900 + 900);
    CHECK_EQUAL(fetch(x + 31), 901);
    CHECK_CUDA(cudaMemcpyFromSymbol(&sides, total, sizeof sides));
    CHECK(sides == 1 && side == 2);
    const int other[4] = {10, 20, 30, 40};
    CHECK_CUDA(cudaMemcpyToSymbol(table, other, sizeof other));
    body_under_the_macro<<<1, 32>>>(x, 7, 32);
    CHECK_EQUAL(fetch(x), 40 + 1800);

    left_out<<<1, 1>>>(x);
    CHECK_EQUAL(fetch(x), 32);
    CHECK_CUDA(cudaMemset(x, 0, sizeof *x));
    sum_of_threads<<<2, 64>>>(x);
    sum(&here);
    CHECK(fetch(x) == 128 && here == 64);
    apply<<<1, 32>>>(
        x, [=] __device__(int i) { return i + offset + architecture(); });
    CHECK_EQUAL(fetch(x + 31), 31 + 5 + 900);

    void *args[] = {&x};
    CHECK_CUDA(
        cudaLaunchKernel((void *)left_out, dim3(1), dim3(1), args, 0, 0));
    cudaFuncAttributes attributes;
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, body_under_the_macro));
    CHECK_EQUAL(attributes.maxThreadsPerBlock, 1024);

    sided_shape own;
    const shape *p = &own;
    CHECK(architecture() == -1 && on_host() == -1 && p->corners() == -1);
    CHECK(constructed == 1 && object.v[2] == 1);
    CHECK(other_is_right() && launches == 1 && launches_of_other() == 3);
}

// feature: a `__constant__` or `__device__` variable is its file's own, though
// another file has one of the same name
// counted only: g++ gives both files one, or none

#ifdef __clang__
__constant__ short most[] = {7};
__device__ int rounds;

__global__ void count(int *result)
{
    rounds++;
    result[0] = rounds;
    result[1] = most[0];
}

CASE(file_variables)
{
    int *x = room<int>(2);
    count<<<1, 1>>>(x);
    count<<<1, 1>>>(x);
    CHECK(fetch(x) == 2 && fetch(x + 1) == 7);
    CHECK(others_variables_are_right());
}
#endif
