#include <algorithm>
#include <cmath>
#include <utility>

#include "cases.h"

// feature: constexpr functions of the host, where nvcc lets kernels call them

/** Of both sides: nvcc warns, and takes it. */
__host__ __device__ int at_least_three(int x)
{
    return std::max(x, 3);
}

struct pair {
    int first, second;
};

/** std::move(), lists in braces and functions of <cmath> are both sides'. */
__global__ void k(int *out)
{
    pair p = {1, 2};
    pair q = std::move(p);
    int sum = 0;
    for (int x : {10, 20, 30})
        sum += x;
    out[0] = at_least_three(q.second);
    out[1] = sum;
    out[2] = std::isnan(sum * 0.5f);
}

CASE(constexpr_functions)
{
    int *out = shared_zeros<int>(3);
    k<<<1, 1>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[0], 3);
    CHECK_EQUAL(out[1], 60);
    CHECK_EQUAL(out[2], 0);
}
