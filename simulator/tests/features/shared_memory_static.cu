#include "cases.h"

// feature: static shared memory: arrays, several dimensions, structs, scalars

struct pair {
    int first;
    float second;
};

__global__ void transpose(const int *in, int *out)
{
    __shared__ int tile[16][16 + 1];
    __shared__ alignas(32) pair pairs[4];
    __shared__ alignas(alignof(double)) int total;
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 16 + x];
    if (y == 0 && x < 4 && (size_t)pairs % 32 == 0)
        pairs[x] = {x, x * 0.5f};
    if (x == 0 && y == 0)
        total = 0;
    __syncthreads(); // all are written
    out[y * 16 + x] = tile[x][y];
    if (y == 1 && x < 4)
        atomicAdd(&total, pairs[x].first + (int)(2 * pairs[x].second));
    __syncthreads(); // the total is complete
    if (x == 0 && y == 0)
        out[256] = total;
}

__device__ int *hidden_array()
{
    __shared__ int s[32]; // of a device function
    return s;
}

__global__ void through_a_function(int *out)
{
    int *s = hidden_array();
    s[threadIdx.x] = threadIdx.x;
    __syncthreads(); // the array is complete
    out[threadIdx.x] = hidden_array()[31 - threadIdx.x];
}

CASE(shared_memory_static)
{
    int *in = shared_zeros<int>(256), *out = shared_zeros<int>(257);
    for (int i = 0; i < 256; i++)
        in[i] = i;
    transpose<<<1, dim3(16, 16)>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 256; i++)
        CHECK_EQUAL(out[i], i % 16 * 16 + i / 16);
    CHECK_EQUAL(out[256], 12);
    through_a_function<<<1, 32>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++)
        CHECK_EQUAL(out[t], 31 - t);
}
