#include "cases.h"

// The atomicMax of floats, as CUDA's guide makes an atomicAdd of doubles: what
// the first, plain read brings may be old, and then the exchange fails. A stack
// looks whether it is worth it, and then asks. A volatile read says so.

#if RIGHT
typedef volatile int look;
#else
typedef int look;
#endif

__device__ void raise_to(float *most, float x)
{
    int old = *(look *)most, seen; // expect: plain-look-note
    do {
        seen = old;
        old = atomicCAS((int *)most, seen,
                        __float_as_int(fmaxf(x, __int_as_float(seen))));
    } while (old != seen);
}

__global__ void maximum(const float *x, float *most, int *left)
{
    __shared__ float own;
    if (threadIdx.x == 0)
        own = -INFINITY;
    __syncthreads();
    raise_to(&own, x[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        raise_to(most, own);
    if (*(look *)left >= 0) // expect: plain-look-note
        if (atomicSub(left, 1) > 0)
            atomicAdd(&left[1], 1);
}

LAUNCH(exchange_checks,
       maximum<<<4, 96>>>(zeros<float>(384), zeros<float>(1), zeros<int>(2)));

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
        add(&lock[threadIdx.x % 8], &sum[threadIdx.x % 8], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        add(&lock[8], &sum[8], own);
}

CASE(lock_of_each_thread)
{
    int *sum = zeros<int>(64);
    sums<<<4, 64>>>(sum, sum + 32);
    CHECK(fetch(sum + 1) == 64 && fetch(sum + 8) == 512);
}

// Without a fence behind taking the lock.

__global__ void no_acquire(int *sum)
{
    __shared__ int lock;
    if (threadIdx.x == 0)
        lock = 0;
    __syncthreads();
    while (atomicExch(&lock, 1) != 0)
        ;
    if (RIGHT)
        __threadfence_block();
    *sum += 1; // expect: missing-fence
    __threadfence_block();
    atomicExch(&lock, 0);
}

LAUNCH(lock_without_fence, no_acquire<<<1, 32>>>(zeros<int>(1)));
