#include "cases.h"

// A thread waits for a flag that nobody raises. The finding stands at the
// launch and says where each warp is.

__global__ void wait(volatile int *flag)
{
    while (*flag == 0) { // says: HERE
    }
}

CASE(timeout)
{
    // says: finished in SIM_TIMEOUT=2 s
    wait<<<1, 1>>>(zeros<int>(1)); // expect: timeout
}

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

CASE(timeout_no_memory)
{
    // says: finished in SIM_TIMEOUT=2 s
    collatz<<<1, 1>>>(room<unsigned>(1), 27); // expect: timeout
}

// A loop without end that does nothing: C++ would let a compiler remove it.

__global__ void wait_forever()
{
    int i = 0;
    while (threadIdx.x == 3)
        i++;
}

CASE(timeout_empty_loop)
{
    wait_forever<<<1, 32>>>(); // expect: timeout
}

// A kernel waits for the host, and the host for the kernel.

__global__ void wait_for(volatile int *gate)
{
    while (!*gate)
        ;
}

CASE(timeout_host)
{
    int *gate;
    cudaMallocHost((void **)&gate, sizeof *gate);
    *gate = 0;
    wait_for<<<1, 1>>>(gate); // expect: timeout
    cudaError_t error = cudaDeviceSynchronize();
    *gate = 1; // too late
    CHECK_EQUAL(error, cudaErrorLaunchTimeout);
}

// Warps of one block talk through an atomic flag in shared memory: the waiting
// warp spins, and the simulator must let the other one run meanwhile.

__global__ void wait_for_the_other(int *out)
{
    __shared__ int value, ready;
    if (threadIdx.x == 0)
        value = ready = 0;
    __syncthreads(); // both are 0
    if (threadIdx.x == 0) {
        while (atomicAdd(&ready, 0) == 0) {
        }
        __threadfence_block(); // the flag before the value
        out[0] = atomicAdd(&value, 0);
    } else if (threadIdx.x == 32) {
        atomicExch(&value, 7);
        __threadfence_block(); // the value before the flag
        atomicExch(&ready, 1);
    }
}

CASE(spin_in_block)
{
    int *out = room<int>(1);
    wait_for_the_other<<<1, 64>>>(out);
    CHECK_EQUAL(fetch(out), 7);
}

// Blocks take turns through a lock made of atomicCAS and atomicExch.

__global__ void count(int *lock, volatile int *total)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence(); // the lock before the total
        *total = *total + 1;
        __threadfence(); // the total before the lock
        atomicExch(lock, 0);
    }
}

CASE(spin_lock)
{
    int *total = zeros<int>(1);
    count<<<64, 32>>>(zeros<int>(1), total);
    CHECK_EQUAL(fetch(total), 64);
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

// A 64-bit word holds a value and, above it, a flag; who waits polls the upper
// half only.

__global__ void hand_over(volatile long long *both, int *value, int *out)
{
    if (blockIdx.x == 0) {
        *value = 7;
        __threadfence(); // the value before the flag
        *both = 1ll << 32;
    } else {
        while (((volatile int *)both)[1] == 0) {
        }
        __threadfence(); // the flag before the value
        *out = *value;
    }
}

CASE(spin_half_flag)
{
    int *out = room<int>(1);
    hand_over<<<2, 1>>>(zeros<long long>(1), room<int>(1), out);
    CHECK_EQUAL(fetch(out), 7);
}

// __ldcv reads memory each time: it may wait for what another block writes.

__global__ void hand_over_flag(int *flag, int *value, int *out)
{
    if (blockIdx.x == 0) {
        *value = 7;
        __threadfence(); // the value before the flag
        atomicExch(flag, 1);
    } else {
        while (__ldcv(flag) == 0) {
        }
        __threadfence(); // the flag before the value
        *out = *value;
    }
}

CASE(ldcv)
{
    int *out = room<int>(1);
    hand_over_flag<<<2, 1>>>(zeros<int>(1), room<int>(1), out);
    CHECK_EQUAL(fetch(out), 7);
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
