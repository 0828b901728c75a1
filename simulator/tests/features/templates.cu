#include "cases.h"

// feature: templates: kernels with types, numbers, functions; deduced arguments

template <int N, class T>
__global__ void powers(const T *in, T *out)
{
    T product = 1;
#pragma unroll
    for (int i = 0; i < N; i++)
        product *= in[threadIdx.x];
    out[threadIdx.x] = product;
}

template <class T>
__global__ void copy(const T *in, T *out, int n)
{
    if (threadIdx.x < n)
        out[threadIdx.x] = in[threadIdx.x];
}

struct plus {
    template <class T>
    __device__ T operator()(T a, T b) const
    {
        return a + b;
    }
};

template <class Operation, class T>
__global__ void combine(Operation operation, const T *in, T *out)
{
    out[threadIdx.x] = operation(in[threadIdx.x], in[threadIdx.x]);
}

template <int WIDTH, bool REVERSED = false>
__device__ int index_of(int t)
{
    if constexpr (REVERSED)
        return WIDTH - 1 - t;
    else
        return t;
}

__global__ void reversed(const int *in, int *out)
{
    out[threadIdx.x] = in[index_of<32, true>(threadIdx.x)];
}

CASE(templates)
{
    int *in = shared_zeros<int>(32), *out = shared_zeros<int>(32);
    double *d = shared_zeros<double>(32), *e = shared_zeros<double>(32);
    for (int i = 0; i < 32; i++)
        d[i] = in[i] = i;
    powers<3><<<1, 32>>>(in, out); // T is deduced
    powers<2, double><<<1, 32>>>(d, e);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(out[5] == 125 && e[5] == 25.0);
    copy<<<1, 32>>>(in, out, 20);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(out[19] == 19 && out[20] == 8000);
    combine<<<1, 32>>>(plus(), in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[31], 62);
    reversed<<<1, 32>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[0], 31);
}
