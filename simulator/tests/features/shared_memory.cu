#include "cases.h"

// feature: static shared memory: arrays, several dimensions, structs, scalars

struct pair {
    int first;
    float second;
};

__global__ void transpose()
{
    __shared__ int tile[16][16 + 1];
    __shared__ alignas(32) pair pairs[4];
    __shared__ alignas(alignof(double)) int total;
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = y * 16 + x;
    if (y == 0 && x < 4 && (size_t)pairs % 32 == 0)
        pairs[x] = {x, x * 0.5f};
    if (x == 0 && y == 0)
        total = 0;
    __syncthreads(); // all are written
    CHECK_EQUAL(tile[x][y], x * 16 + y);
    if (y == 1 && x < 4)
        atomicAdd(&total, pairs[x].first + (int)(2 * pairs[x].second));
    __syncthreads(); // the total is complete
    CHECK_EQUAL(total, 12);
}

__device__ int *hidden_array()
{
    __shared__ int s[32]; // of a device function
    return s;
}

__global__ void through_a_function()
{
    int *s = hidden_array();
    s[threadIdx.x] = threadIdx.x;
    __syncthreads(); // the array is complete
    CHECK_EQUAL(hidden_array()[31 - threadIdx.x], 31 - threadIdx.x);
}

CASE(shared_memory_static)
{
    transpose<<<1, dim3(16, 16)>>>();
    through_a_function<<<1, 32>>>();
}

// feature: dynamic shared memory, aligned, in parts, at file scope, more than
// 48 KiB on request

__global__ void reverse()
{
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads(); // the array is complete
    CHECK_EQUAL(s[blockDim.x - 1 - threadIdx.x], 63 - threadIdx.x);
}

__global__ void parts()
{
    extern __shared__ __align__(16) unsigned char memory[];
    float4 *vectors = (float4 *)memory;
    float *floats = (float *)(vectors + 32);
    int t = threadIdx.x;
    vectors[t] = make_float4(t, 0, 0, t);
    floats[t] = 0.5f;
    __syncthreads(); // both parts are complete
    CHECK_EQUAL(vectors[31 - t].w + floats[31 - t], 31.5 - t);
}

template <class T>
__global__ void generic()
{
    extern __shared__ char bytes[];
    T *s = (T *)bytes;
    s[threadIdx.x] = (T)threadIdx.x;
    __syncthreads(); // the array is complete
    CHECK_EQUAL(s[(threadIdx.x + 1) % blockDim.x], (threadIdx.x + 1) % 32);
}

__global__ void large(int words)
{
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        s[i] = i;
    __syncthreads(); // the array is complete
    CHECK_EQUAL(s[words - 1], words - 1);
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

__global__ void whole_file()
{
    inner::put(threadIdx.x);
    __syncthreads(); // the array is complete
    Window window = {0};
    CHECK_EQUAL(window.at(31 - threadIdx.x), 2 * (31 - threadIdx.x));
    CHECK_EQUAL(sizeof(Window), sizeof(int));
}

static int not_the_array()
{
    int file_scope = 5; // the host may use the name for something else
    return file_scope;
}

CASE(shared_memory_dynamic)
{
    reverse<<<1, 64, 64 * sizeof(int)>>>();
    parts<<<1, 32, 32 * (sizeof(float4) + sizeof(float))>>>();
    generic<double><<<1, 32, 32 * sizeof(double)>>>();
    CHECK_EQUAL(not_the_array(), 5);
    whole_file<<<1, 32, 32 * sizeof(float)>>>();
    const int bytes = 64 * 1024;
    CHECK_CUDA(cudaFuncSetAttribute(
        large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    large<<<1, 64, bytes>>>(bytes / 4);
}

// feature: dynamic shared memory in rows: extern __shared__ float tile[][33]

__global__ void transpose_rows()
{
    extern __shared__ float tile[][33];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = 8 * y + x;
    __syncthreads();
    CHECK_EQUAL(tile[x][y], 8 * x + y);
}

LAUNCH(shared_memory_rows,
       transpose_rows<<<1, dim3(8, 8), 8 * 33 * sizeof(float)>>>());
