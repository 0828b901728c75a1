/**
 * @file register_banks.cu
 * @brief What register_banks.py patches and runs: a loop of FFMA, timed.
 *
 * Without arguments nothing is run. Each argument is a cubin of this file
 * whose FFMA have been replaced; a line with the cycles of one round of its
 * loop and one warp is printed for each, with 4 warps on each scheduler.
 */

#include <cuda.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define WARPS 4 /**< on each of the 4 schedulers of an SM */
#define THREADS (WARPS * 4 * 32)
#define ROUNDS 400 /**< of the loop */
#define FFMA 256   /**< in the loop */

/**
 * A loop of FFMA among 64 registers.
 *
 * @param x        64 * THREADS numbers
 * @param clocks   of each warp: when it began, when it was done; a scheduler
 *                 may run one warp far ahead of the others
 * @param rounds   of the loop
 *
 * Launch: block (THREADS), grid (1).
 */
extern "C" __global__ void __launch_bounds__(THREADS)
    probe(float *x, long long *clocks, int rounds)
{
    __shared__ float shared[THREADS]; // for patched loads: not used here
    float r[64];
    shared[threadIdx.x] = x[threadIdx.x];
#pragma unroll
    for (int i = 0; i < 64; i++)
        r[i] = x[threadIdx.x + i * THREADS];
    __syncthreads(); // all begin together

    long long start = clock64();
#pragma unroll 1
    for (int k = 0; k < rounds; k++) {
#pragma unroll
        for (int j = 0; j < FFMA; j++)
            asm volatile("fma.rn.f32 %0, %1, %2, %0;"
                         : "+f"(r[j % 32])
                         : "f"(r[32 + j % 32]), "f"(r[32 + (j + 7) % 32]));
    }
    long long end = clock64();
    __syncthreads(); // the stores below are not in anybody's time

    float sum = shared[THREADS - 1 - threadIdx.x];
#pragma unroll
    for (int i = 0; i < 64; i++)
        sum += r[i];
    x[threadIdx.x] = sum; // so that nothing above is left out
    clocks[threadIdx.x / 32 * 2] = start;
    clocks[threadIdx.x / 32 * 2 + 1] = end;
}

/** End with 1 if a call of the driver failed. */
static void check(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "register_banks: %s: error %d\n", what, (int)result);
    exit(1);
}

/** Return the cycles from the first warp's begin to the last one's end. */
static long long span(CUdeviceptr clocks)
{
    long long times[THREADS / 32][2], first = LLONG_MAX, last = 0;
    check(cuMemcpyDtoH(times, clocks, sizeof times), "the clocks");
    for (int i = 0; i < THREADS / 32; i++) {
        first = times[i][0] < first ? times[i][0] : first;
        last = times[i][1] > last ? times[i][1] : last;
    }
    return last - first;
}

/** Return the cycles of a round of a cubin's loop: the least of five runs. */
static double time_loop(const char *path, CUdeviceptr x, CUdeviceptr clocks)
{
    CUmodule module;
    CUfunction probe;
    check(cuModuleLoad(&module, path), path);
    check(cuModuleGetFunction(&probe, module, "probe"), path);
    long long best = -1;
    for (int i = 0; i < 5; i++) {
        int rounds = ROUNDS;
        void *arguments[] = {&x, &clocks, &rounds};
        check(cuLaunchKernel(probe, 1, 1, 1, THREADS, 1, 1, 0, NULL, arguments,
                             NULL),
              path);
        long long now = span(clocks);
        best = best < 0 || now < best ? now : best;
    }
    check(cuModuleUnload(module), path);
    return (double)best / ROUNDS / WARPS;
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUdeviceptr x, clocks;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "a context");
    check(cuCtxSetCurrent(context), "a context");
    size_t bytes = 64 * THREADS * sizeof(float);
    check(cuMemAlloc(&x, bytes), "memory");
    check(cuMemsetD8(x, 0, bytes), "memory");
    check(cuMemAlloc(&clocks, THREADS / 32 * 2 * sizeof(long long)), "memory");
    for (int i = 1; i < argc; i++)
        printf("%.1f\n", time_loop(argv[i], x, clocks));
    return 0;
}
