#include "cases.h"

// The atomicMax of floats, as CUDA's guide makes an atomicAdd of doubles: what
// the first, plain read brings may be old, and then the exchange fails. A read
// through volatile says so.

__device__ void raise_to(float *most, float x)
{
#if RIGHT
    int old = *(volatile int *)most, seen;
#else
    int old = *(int *)most, seen; // expect: plain-look-note
#endif
    do {
        seen = old;
        old = atomicCAS((int *)most, seen,
                        __float_as_int(fmaxf(x, __int_as_float(seen))));
    } while (old != seen);
}

__global__ void maximum(const float *x, float *most)
{
    __shared__ float own;
    if (threadIdx.x == 0)
        own = -INFINITY;
    __syncthreads();
    raise_to(&own, x[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        raise_to(most, own);
}

LAUNCH(exchange_checks, maximum<<<4, 96>>>(zeros<float>(384), zeros<float>(1)));

// A stack that looks whether it is worth it, and then asks.

__device__ int left;

__global__ void take(int *got)
{
    int mine = -1;
#if RIGHT
    int some = *(volatile int *)&left;
#else
    int some = left;              // expect: plain-look-note
#endif
    if (some > 0) {
        int was = atomicSub(&left, 1);
        if (was > 0)
            mine = was;
    }
    got[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

CASE(asks_again)
{
    int some = 100;
    cudaMemcpyToSymbol(left, &some, sizeof some);
    take<<<4, 64>>>(room<int>(256));
}

// Who uses the number that was read needs it to be right.

__global__ void numbers(int *next, int *out)
{
    atomicAdd(next, 1); // expect-one: global-race
    int n = *next;      // expect-one: global-race
    if (n < 1000)
        out[threadIdx.x] = n;
}

LAUNCH(number_is_used, numbers<<<1, 64>>>(zeros<int>(1), room<int>(64)));

// Each thread takes a lock, one for each bin, in global and in shared memory.

#define BINS 8

__device__ void add(int *lock, volatile int *sum, int x)
{
    for (bool done = false; !done;)
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *sum = *sum + x;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
}

__global__ void sums(int *sum, int *lock)
{
    __shared__ int own, own_lock;
    if (threadIdx.x == 0)
        own = own_lock = 0;
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        add(&own_lock, &own, 1);
        add(&lock[threadIdx.x % BINS], &sum[threadIdx.x % BINS], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        add(&lock[BINS], &sum[BINS], own);
}

CASE(lock_of_each_thread)
{
    int *sum = zeros<int>(64);
    sums<<<4, 64>>>(sum, sum + 32);
    CHECK(fetch(sum + 1) == 64 && fetch(sum + BINS) == 512);
}

// Without a fence behind taking the lock, or before letting it go.

__global__ void no_acquire(int *sum)
{
    __shared__ int own, lock;
    if (threadIdx.x == 0)
        own = lock = 0;
    __syncthreads();
    while (atomicExch(&lock, 1) != 0)
        ;
#if RIGHT
    __threadfence_block();
#endif
    own++; // expect: missing-fence
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncthreads();
    if (threadIdx.x == 0)
        *sum = own;
}

LAUNCH(lock_without_acquire, no_acquire<<<1, 32>>>(room<int>(1)));

__global__ void no_release(int *sum, int *lock)
{
    while (atomicCAS(lock, 0, threadIdx.x + 1) != 0)
        ;
    __threadfence();
    *sum += threadIdx.x; // expect: missing-fence
#if RIGHT
    __threadfence();
#endif
    atomicExch(lock, 0); // says: the lock is let go at line
}

LAUNCH(lock_without_release,
       no_release<<<1, 32>>>(zeros<int>(1), zeros<int>(1)));
