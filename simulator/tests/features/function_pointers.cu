#include "cases.h"

// feature: pointers to __device__ functions: as parameters, in variables

typedef float (*change)(float);
typedef int (*compare)(const int *, int);

__device__ float twice(float x)
{
    return 2.0f * x;
}

__device__ float plus_one(float x)
{
    return x + 1.0f;
}

__device__ int count_below(const int *values, int limit)
{
    int count = 0;
    for (int i = 0; i < 32; i++)
        count += values[i] < limit;
    return count;
}

__device__ change changes[2] = {twice, plus_one};
__device__ compare chosen = count_below;

__global__ void change_all(float *x, change f)
{
    x[threadIdx.x] = f(x[threadIdx.x]);
}

__global__ void rank(int *ranks, const int *values, compare f)
{
    ranks[threadIdx.x] = f(values, values[threadIdx.x]);
}

CASE(function_pointers)
{
    float *x = shared_zeros<float>(32);
    int *values = shared_zeros<int>(32), *ranks = shared_zeros<int>(32);
    for (int t = 0; t < 32; t++) {
        x[t] = t;
        values[t] = 31 - t;
    }
    for (int i = 0; i < 2; i++) {
        change f;
        CHECK_CUDA(cudaMemcpyFromSymbol(&f, changes, sizeof f, i * sizeof f));
        change_all<<<1, 32>>>(x, f);
    }
    compare f;
    CHECK_CUDA(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
    rank<<<1, 32>>>(ranks, values, f);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++) {
        CHECK_EQUAL(x[t], 2.0f * t + 1.0f);
        CHECK_EQUAL(ranks[t], 31 - t);
    }
}
