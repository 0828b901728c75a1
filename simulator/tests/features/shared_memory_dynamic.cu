#include "cases.h"

// feature: dynamic shared memory, aligned, in parts, at file scope, more than
// 48 KiB on request

__global__ void reverse(int *out)
{
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads(); // the array is complete
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void parts(float *out)
{
    extern __shared__ __align__(16) unsigned char memory[];
    float4 *vectors = (float4 *)memory;
    float *floats = (float *)(vectors + 32);
    int t = threadIdx.x;
    vectors[t] = make_float4(t, 0, 0, t);
    floats[t] = 0.5f;
    __syncthreads(); // both parts are complete
    out[t] = vectors[31 - t].w + floats[31 - t];
}

template <class T>
__global__ void generic(T *out)
{
    extern __shared__ char bytes[];
    T *s = (T *)bytes;
    s[threadIdx.x] = (T)threadIdx.x;
    __syncthreads(); // the array is complete
    out[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}

__global__ void large(int *out, int words)
{
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        s[i] = i;
    __syncthreads(); // the array is complete
    if (threadIdx.x == 0)
        out[0] = s[words - 1];
}

// At file scope it is the same memory for every function that names it.
extern __shared__ float file_scope[];

struct Window {
    int from; // a struct with a method does not get the array as a member
    __device__ float at(int i) const
    {
        return file_scope[from + i];
    }
};

namespace inner
{
__device__ void put(int i)
{
    file_scope[i] = 2.0f * i;
}
} // namespace inner

__global__ void whole_file(float *out)
{
    inner::put(threadIdx.x);
    __syncthreads(); // the array is complete
    Window window = {0};
    out[threadIdx.x] = window.at(31 - threadIdx.x) + sizeof(Window);
}

static int not_the_array()
{
    int file_scope = 5; // the host may use the name for something else
    return file_scope;
}

CASE(shared_memory_dynamic)
{
    int *out = shared_zeros<int>(64);
    float *f = shared_zeros<float>(32);
    double *d = shared_zeros<double>(32);
    reverse<<<1, 64, 64 * sizeof(int)>>>(out);
    parts<<<1, 32, 32 * (sizeof(float4) + sizeof(float))>>>(f);
    generic<double><<<1, 32, 32 * sizeof(double)>>>(d);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(not_the_array(), 5);
    float *sums = shared_zeros<float>(32);
    whole_file<<<1, 32, 32 * sizeof(float)>>>(sums);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++)
        CHECK_EQUAL(sums[t], 2.0f * (31 - t) + sizeof(int));
    for (int t = 0; t < 64; t++)
        CHECK_EQUAL(out[t], 63 - t);
    for (int t = 0; t < 32; t++) {
        CHECK_EQUAL(f[t], 31.5 - t);
        CHECK_EQUAL(d[t], (t + 1) % 32);
    }
    const int bytes = 64 * 1024;
    CHECK_CUDA(cudaFuncSetAttribute(
        large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    large<<<1, 64, bytes>>>(out, bytes / 4);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[0], bytes / 4 - 1);
}
