/**
 * @file l2.cu
 * @brief Bytes that the L2 gives and takes in a second.
 *
 * All SMs load, or store, the same words again and again, past the L1: whole
 * lines, neighbouring lanes neighbouring words. They take half of the L2 at
 * most, and so stay there: its own width is what limits them.
 *
 * Run: make test-gpu, or build/gpu/tests/l2
 */

#include <stdio.h>

#include "internal.h"

#define THREADS 1024 /**< of a block; two blocks on each SM */
#define AT_ONCE 8    /**< accesses of a thread that are under way */
#define ROUNDS 32    /**< of so many, in one launch */
#define SAMPLES 9    /**< of which the median counts */

/**
 * Load float4 after float4; @p sum keeps nvcc from leaving that out.
 * @param fours how many of them there are, a power of two
 */
__global__ void load_all(float4 *x, int fours, float *sum)
{
    int threads = gridDim.x * THREADS;
    int i = blockIdx.x * THREADS + threadIdx.x;
    float total = 0.0f;
    for (int round = 0; round < ROUNDS; round++) {
        float4 four[AT_ONCE];
        for (int j = 0; j < AT_ONCE; j++, i += threads)
            four[j] = __ldcg(&x[i & (fours - 1)]);
        for (int j = 0; j < AT_ONCE; j++)
            total += four[j].x + four[j].y + four[j].z + four[j].w;
    }
    if (total != 0.0f) // never: all of x is 0
        *sum = total;
}

/** Store float4 after float4. */
__global__ void store_all(float4 *x, int fours, float *)
{
    int threads = gridDim.x * THREADS;
    int i = blockIdx.x * THREADS + threadIdx.x;
    for (int store = 0; store < ROUNDS * AT_ONCE; store++, i += threads)
        __stcg(&x[i & (fours - 1)], make_float4(0.0f, 0.0f, 0.0f, 0.0f));
}

/** Print the rate of one kernel (GB/s). If none has it, say so; return 1. */
static int show(const char *what, void (*kernel)(float4 *, int, float *),
                float4 *x, int fours, float *sum, int blocks)
{
    cudaEvent_t begin, end;
    float ms[SAMPLES];
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreate(&end));
    kernel<<<blocks, THREADS>>>(x, fours, sum); // brings x into the L2
    for (int s = 0; s < SAMPLES; s++) {
        CUDA_CHECK(cudaEventRecord(begin, cudaStreamPerThread));
        kernel<<<blocks, THREADS>>>(x, fours, sum);
        CUDA_CHECK(cudaEventRecord(end, cudaStreamPerThread));
        CUDA_CHECK(cudaEventSynchronize(end));
        CUDA_CHECK(cudaEventElapsedTime(&ms[s], begin, end));
    }
    float median_ms = timing_from_samples(ms, SAMPLES).median_ms;
    double bytes = (double)blocks * THREADS * ROUNDS * AT_ONCE * sizeof(float4);
    double rate = bytes / (median_ms * 1e6);
    printf("%-6s %6.0f GB/s\n", what, rate);
    if (rate > 10 && rate < 1e5)
        return 0;
    printf("%s: no L2 is so slow or so fast: 10 to 100000 GB/s\n", what);
    return 1;
}

int main(void)
{
    device_info device = device_open(0);
    float4 *x;
    float *sum;
    int fours = 1 << 14;
    while (4 * fours * sizeof *x <= device.l2_bytes)
        fours *= 2;
    CUDA_CHECK(cudaMalloc((void **)&x, fours * sizeof *x));
    CUDA_CHECK(cudaMalloc((void **)&sum, sizeof *sum));
    CUDA_CHECK(cudaMemset(x, 0, fours * sizeof *x));
    printf("%s: what the L2 gives and takes, of %zu of its %zu KiB\n",
           device.name, fours * sizeof *x >> 10, device.l2_bytes >> 10);
    int blocks = 2 * device.sm_count;
    int wrong = show("load", load_all, x, fours, sum, blocks);
    return show("store", store_all, x, fours, sum, blocks) + wrong;
}
