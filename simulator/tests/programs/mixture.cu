/**
 * @file mixture.cu
 * @brief Many blocks, every memory space, divergence: what must not depend on
 *        the number of OS threads or the version of the compiler.
 */

#include "cases.h"

__constant__ int weights[16];

__device__ int total;

/** Sum of the divisors of i that are at most 32. */
__global__ void divisors(const int *in, int *out, int n)
{
    __shared__ int cache[128];
    __shared__ int odd;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cache[threadIdx.x] = i < n ? in[i] : 0;
    if (threadIdx.x == 0)
        odd = 0;
    __syncthreads(); // the cache is complete
    int value = cache[threadIdx.x ^ 1], sum = 0;
    for (int d = 1; d <= value % 33; d++)
        if (value % d == 0)
            sum += d * weights[d % 16];
    if (sum % 2)
        atomicAdd(&odd, 1);
    __syncthreads(); // all have counted
    if (i < n)
        out[i] = sum + __shfl_xor_sync(0xffffffff, sum, 3);
    if (threadIdx.x == 0)
        atomicAdd(&total, odd);
}

template <int FACTOR>
__global__ void saxpy(const float4 *x, float4 *y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        float4 v = x[i], w = y[i];
        w.x = FACTOR * v.x + w.x;
        w.y = FACTOR * v.y + w.y;
        w.z = FACTOR * v.z + w.z;
        w.w = FACTOR * v.w + w.w;
        y[i] = w;
    }
}

CASE(mixture)
{
    const int n = 4096;
    int h[16], *in = room<int>(n), *out = room<int>(n);
    static int numbers[n];
    float4 *x = zeros<float4>(n), *y = zeros<float4>(n);
    for (int i = 0; i < 16; i++)
        h[i] = i;
    for (int i = 0; i < n; i++)
        numbers[i] = i * 7919 % 1000;
    CHECK_CUDA(cudaMemcpyToSymbol(weights, h, sizeof h));
    CHECK_CUDA(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyDefault));
    divisors<<<n / 128, 128>>>(in, out, n);
    saxpy<2><<<7, 96>>>(x, y, n);
    CHECK_CUDA(cudaDeviceSynchronize());
}
