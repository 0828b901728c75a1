/**
 * @file l2.cu
 * @brief Bytes that the L2 gives and takes in a second.
 *
 * All SMs load, or store, the same 16 MiB again and again, past the L1: whole
 * lines, neighbouring lanes neighbouring words. The data stay in the L2, so
 * its own width is what limits them.
 *
 * Run: make test-gpu, or build/gpu/tests/l2
 */

#include <stdio.h>
#include <stdlib.h>

#include "device.h"

#define FOURS (1 << 20) /**< float4 of the 16 MiB */
#define THREADS 1024    /**< of a block; two blocks on each SM */
#define AT_ONCE 8       /**< accesses of a thread that are under way */
#define ROUNDS 32       /**< of so many, in one launch */
#define SAMPLES 9       /**< of which the median counts */

/** Load float4 after float4; @p sum keeps nvcc from leaving that out. */
__global__ void load_all(float4 *x, float *sum)
{
    int threads = gridDim.x * THREADS;
    int i = blockIdx.x * THREADS + threadIdx.x;
    float total = 0.0f;
    for (int round = 0; round < ROUNDS; round++) {
        float4 four[AT_ONCE];
        for (int j = 0; j < AT_ONCE; j++, i += threads)
            four[j] = __ldcg(&x[i % FOURS]);
        for (int j = 0; j < AT_ONCE; j++)
            total += four[j].x + four[j].y + four[j].z + four[j].w;
    }
    if (total != 0.0f) // never: all of x is 0
        *sum = total;
}

/** Store float4 after float4. */
__global__ void store_all(float4 *x, float *)
{
    int threads = gridDim.x * THREADS;
    int i = blockIdx.x * THREADS + threadIdx.x;
    for (int store = 0; store < ROUNDS * AT_ONCE; store++, i += threads)
        __stcg(&x[i % FOURS], make_float4(0.0f, 0.0f, 0.0f, 0.0f));
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/** Print the rate of one kernel (GB/s). Returns 1 if it cannot be true. */
static int show(const char *what, void (*kernel)(float4 *, float *), float4 *x,
                float *sum, int blocks)
{
    cudaEvent_t begin, end;
    float ms[SAMPLES];
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreate(&end));
    kernel<<<blocks, THREADS>>>(x, sum); // brings x into the L2
    for (int s = 0; s < SAMPLES; s++) {
        CUDA_CHECK(cudaEventRecord(begin, cudaStreamPerThread));
        kernel<<<blocks, THREADS>>>(x, sum);
        CUDA_CHECK(cudaEventRecord(end, cudaStreamPerThread));
        CUDA_CHECK(cudaEventSynchronize(end));
        CUDA_CHECK(cudaEventElapsedTime(&ms[s], begin, end));
    }
    qsort(ms, SAMPLES, sizeof *ms, by_size);
    double bytes = (double)blocks * THREADS * ROUNDS * AT_ONCE * sizeof(float4);
    double rate = bytes / (ms[SAMPLES / 2] * 1e6);
    printf("%-6s %6.0f GB/s\n", what, rate);
    return !(rate > 10 && rate < 1e5);
}

int main(void)
{
    device_info device = device_open(0);
    float4 *x;
    float *sum;
    CUDA_CHECK(cudaMalloc((void **)&x, FOURS * sizeof *x));
    CUDA_CHECK(cudaMalloc((void **)&sum, sizeof *sum));
    CUDA_CHECK(cudaMemset(x, 0, FOURS * sizeof *x));
    printf("%s: what the L2 gives and takes, of 16 MiB that it holds\n",
           device.name);
    int wrong = show("load", load_all, x, sum, 2 * device.sm_count);
    return show("store", store_all, x, sum, 2 * device.sm_count) + wrong;
}
