#include "cases.h"

// A thread waits for a flag that nobody raises. The finding stands at the
// launch and says where each warp is.

__global__ void wait(volatile int *flag)
{
    while (*flag == 0) { // says: HERE
    }
}

// says: finished in SIM_TIMEOUT=2 s
LAUNCH(timeout, wait<<<1, 1>>>(zeros<int>(1))); // expect: timeout

// A loop without end that touches no memory at all.

__global__ void collatz(unsigned *out, unsigned start)
{
    unsigned n = start, steps = 0;
    while (n != 0) {                   // n goes 4, 2, 1, 4, 2, 1 ...
        n = n % 2 ? 3 * n + 1 : n / 2; // says: HERE
        steps++;
    }
    out[0] = steps;
}

// says: finished in SIM_TIMEOUT=2 s
LAUNCH(no_memory, collatz<<<1, 1>>>(room<unsigned>(1), 27)); // expect: timeout

// A loop without end that does nothing: C++ would let a compiler remove it.

__global__ void wait_forever()
{
    int i = 0;
    while (threadIdx.x == 3)
        i++;
}

LAUNCH(empty_loop, wait_forever<<<1, 32>>>()); // expect: timeout

// A kernel waits for the host, and the host for the kernel.

CASE(timeout_host)
{
    int *gate = pinned<int>(1);
    wait<<<1, 1>>>(gate); // expect: timeout
    cudaError_t error = cudaDeviceSynchronize();
    *gate = 1; // too late
    CHECK_EQUAL(error, cudaErrorLaunchTimeout);
}

// One warp waits for another in a loop that is nothing but warp operations.

__global__ void wait_for_flag(volatile int *flag, int *out)
{
    if (threadIdx.x < 32) {
        while (*flag == 0)
            __syncwarp();
        out[threadIdx.x] = 1;
    } else if (threadIdx.x == 32) {
        *flag = 1;
    }
}

CASE(spin_syncwarp)
{
    int *out = room<int>(32);
    wait_for_flag<<<1, 64>>>(zeros<int>(1), out);
    CHECK_EQUAL(fetch(out + 31), 1);
}

// All blocks wait for each other, in a launch that is not cooperative: right if
// a GPU holds all of them, on however few cores it is tried.

__global__ void meet(int *arrived)
{
    atomicAdd(arrived, 1);
    while (*(volatile int *)arrived < gridDim.x)
        __nanosleep(20);
}

CASE(more_blocks_than_cores)
{
    // says: blocks have begun and wait for others; an H200 holds 132 at once
    cudaFuncSetAttribute(meet, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         200000);
    meet<<<RIGHT ? 132 : 133, 1, 200000>>>(zeros<int>(1)); // expect: timeout
}

// Blocks that wait, each for the one behind it, and then read what it has
// stored. How often one looks, and where it is interrupted, is up to chance: so
// each begins to wait after another number of loads.

enum { BLOCKS = 16, T = 32 };

__global__ void wait_for_later(volatile int *flags, int *data)
{
    int b = blockIdx.x, t = threadIdx.x;
    data[b * T + t] = b;
    __syncthreads(); // all of the block have stored
    if (t == 0) {
        if (b < BLOCKS - 1) {
            for (int i = 0; i < b; i++)
                (void)flags[BLOCKS];
            while (flags[b + 1] == 0)
                __nanosleep(20);
        }
        __threadfence();
        flags[b] = 1;
    }
    __syncthreads(); // the next block has stored
    if (b < BLOCKS - 1)
        data[(BLOCKS + b) * T + t] = data[(b + 1) * T + t];
}

CASE(wait_for_later)
{
    int *flags = zeros<int>(BLOCKS + 1), *data = room<int>(2 * BLOCKS * T);
    void *args[] = {&flags, &data};
    cudaLaunchCooperativeKernel((const void *)wait_for_later, BLOCKS, T, args,
                                0, 0);
}
