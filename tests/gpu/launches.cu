/**
 * @file launches.cu
 * @brief vector_add with one thread, one block and a thread for each sum.
 *
 * The kernel is vector_add's with a loop, so that few threads can compute all
 * sums. Beside it the copies that surround it, and a loop on the CPU. Median
 * of 11, by the clock of the CPU, which waits until the GPU is done; so a
 * kernel's time holds what a launch costs, some microseconds.
 *
 * Run: make test-gpu, or build/gpu/tests/launches
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "internal.h"

#define N 1000000 /**< sums, as in vector_add */
#define BLOCK 256 /**< threads in a block */
#define REPEATS 11

static float a[N], b[N], c[N]; // pageable, as in vector_add
static float *d_a, *d_b, *d_c;

/** Thread i computes the sums i, i + threads of the grid, and so on. */
__global__ void add_kernel(int n, const float *a, const float *b, float *c)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        c[i] = a[i] + b[i];
}

/** Milliseconds since some day. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

static void one_thread(void)
{
    add_kernel<<<1, 1>>>(N, d_a, d_b, d_c);
}

static void one_block(void)
{
    add_kernel<<<1, BLOCK>>>(N, d_a, d_b, d_c);
}

static void all_blocks(void)
{
    add_kernel<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(N, d_a, d_b, d_c);
}

static void there(void)
{
    CUDA_CHECK(cudaMemcpy(d_a, a, sizeof(a), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_b, b, sizeof(b), cudaMemcpyHostToDevice));
}

static void back(void)
{
    CUDA_CHECK(cudaMemcpy(c, d_c, sizeof(c), cudaMemcpyDeviceToHost));
}

static void on_cpu(void)
{
    for (int i = 0; i < N; i++)
        ((volatile float *)c)[i] = a[i] + b[i];
}

static int compare(const void *x, const void *y)
{
    double left = *(const double *)x, right = *(const double *)y;
    return (left > right) - (left < right);
}

/** Print the median time of a function. */
static void report(const char *name, void (*work)(void))
{
    double times[REPEATS];
    work(); // the first time is longer
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < REPEATS; i++) {
        double begin = now();
        work();
        CUDA_CHECK(cudaDeviceSynchronize());
        times[i] = now() - begin;
    }
    qsort(times, REPEATS, sizeof *times, compare);
    printf("%-32s %9.3f ms\n", name, times[REPEATS / 2]);
}

/** Compute all sums in one way. Return how many are wrong. */
static int verify(void (*work)(void))
{
    CUDA_CHECK(cudaMemset(d_c, 0xff, sizeof(c)));
    work();
    back();
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += c[i] != a[i] + b[i];
    return wrong;
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    CUDA_CHECK(cudaMalloc(&d_a, sizeof(a)));
    CUDA_CHECK(cudaMalloc(&d_b, sizeof(b)));
    CUDA_CHECK(cudaMalloc(&d_c, sizeof(c)));
    there();
    int wrong = verify(one_thread) + verify(one_block) + verify(all_blocks);
    report("one thread, <<<1, 1>>>", one_thread);
    report("one block, <<<1, 256>>>", one_block);
    report("a thread a sum, <<<3907, 256>>>", all_blocks);
    report("both inputs to the GPU", there);
    report("the result back", back);
    report("a loop on the CPU", on_cpu);
    if (wrong)
        printf("%d sums wrong\n", wrong);
    return wrong != 0;
}
