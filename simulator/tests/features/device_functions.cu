#include "cases.h"

// feature: __device__ functions: __noinline__, __forceinline__, recursion,
// overloads, __host__ __device__

__device__ __noinline__ int square(int x)
{
    return x * x;
}

__device__ __forceinline__ float square(float x)
{
    return x * x;
}

__device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__host__ __device__ int both_sides(int x)
{
    return 3 * x + 1;
}

__device__ void swap_values(int &a, int &b)
{
    int old = a;
    a = b;
    b = old;
}

__device__ int twice(int x)
{
    return 2 * x;
}

typedef int (*function)(int);

__global__ void call(int *out, float *f)
{
    int t = threadIdx.x;
    int a = square(t), b = fibonacci(t % 10);
    swap_values(a, b);
    out[t] = a;
    out[32 + t] = b;
    f[t] = square(t + 0.5f);
    function chosen = t % 2 ? both_sides : twice;
    out[64 + t] = chosen(t);
}

CASE(device_functions)
{
    int *out = shared_zeros<int>(96);
    float *f = shared_zeros<float>(32);
    call<<<1, 32>>>(out, f);
    CHECK_CUDA(cudaDeviceSynchronize());
    const int numbers[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
    for (int t = 0; t < 32; t++) {
        CHECK_EQUAL(out[t], numbers[t % 10]);
        CHECK_EQUAL(out[32 + t], t * t);
        CHECK_EQUAL(f[t], (t + 0.5f) * (t + 0.5f));
        CHECK_EQUAL(out[64 + t], t % 2 ? both_sides(t) : 2 * t);
    }
}
