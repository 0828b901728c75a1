#include "cases.h"
#include <cuda/barrier>

// The halves of a block wait at two different barriers.

__global__ void halves(int *out)
{
    if (threadIdx.x < 40) {
        __syncthreads(); // expect-one: barrier-divergence
        out[threadIdx.x] = 1;
    } else {
        __syncthreads(); // expect-one: barrier-divergence
        out[threadIdx.x] = 2;
    }
}

LAUNCH(two_barriers, halves<<<1, 64>>>(room<int>(64)));

// The warps go round a loop with a barrier a different number of times; the
// barrier after the loop meets the one inside it.

__global__ void loops(int *out)
{
    int rounds = 1 + threadIdx.x / 32, sum = 0;
    for (int i = 0; i < rounds; i++) {
        sum += i;
        __syncthreads(); // expect-one: barrier-divergence
    }
    __syncthreads(); // expect-one: barrier-divergence
    out[threadIdx.x] = sum;
}

LAUNCH(loops, loops<<<1, 64>>>(room<int>(64)));

// All threads of a block take the same branch, so all meet at one barrier.

__global__ void blocks(int *out)
{
    if (blockIdx.x == 0) {
        __syncthreads(); // all of block 0
        out[threadIdx.x] = 1;
    } else {
        __syncthreads(); // all of block 1
        out[64 + threadIdx.x] = 2;
    }
}

LAUNCH(block_by_block, blocks<<<2, 64>>>(room<int>(128)));

// Some threads return before the barrier. Since Volta the hardware waits only
// for the others, but the manual asks that all threads come.

__global__ void shift(const int *in, int *out, int n)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    tile[t] = in[t];
    __syncthreads(); // expect: early-exit-note
    out[t] = tile[n - 1 - t];
}

LAUNCH(early_exit, shift<<<1, 64>>>(zeros<int>(64), room<int>(64), 50));

// Threads pass a barrier by that is in a branch, or in a loop that the others
// go round once more. Who returns in a loop passes nothing by.

__global__ void passed_by(int *x)
{
    int t = threadIdx.x;
    if (t < 40 || RIGHT)
        __syncthreads(); // expect: barrier-divergence
    x[t] = t;            // says: 24 of 64 threads have passed it by
}

LAUNCH(in_a_branch, passed_by<<<1, 64>>>(room<int>(64)));

__global__ void rounds(int *x)
{
    for (int i = 0; i < (threadIdx.x < 40 || RIGHT ? 3 : 2); i++)
        __syncthreads(); // expect: barrier-divergence
    x[threadIdx.x] = 1;
}

LAUNCH(in_a_loop, rounds<<<1, 64>>>(room<int>(64)));

__global__ void until_done(int *x)
{
    for (int i = 0;; i++) {
        __syncthreads(); // expect: early-exit-note
        x[threadIdx.x] = i;
        if (i == threadIdx.x / 32)
            return;
    }
}

LAUNCH(until_done, until_done<<<1, 64>>>(room<int>(64)));

// No barrier between the thread that initialises and those that arrive.

__global__ void meet_uninitialised(int *data)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    if (threadIdx.x == 0)
        init(&all, blockDim.x);
#if RIGHT
    __syncthreads(); // the barrier is initialised
#endif
    all.arrive_and_wait(); // expect: shared-race
    data[threadIdx.x] = 1;
}

LAUNCH(object_init, meet_uninitialised<<<1, 64>>>(room<int>(64)));

// The barrier expects half of the arrivals.

__global__ void meet_too_often(int *data)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    if (threadIdx.x == 0)
        init(&all, RIGHT ? 2 * blockDim.x : blockDim.x + 1);
    __syncthreads();            // the barrier is initialised
    auto token = all.arrive(2); // expect: barrier-overrun
    all.wait(std::move(token));
    data[threadIdx.x] = 1;
}

LAUNCH(object_overrun, meet_too_often<<<1, 64>>>(room<int>(64)));

// The barrier expects one thread more than there are.

__global__ void meet(int *data)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    if (threadIdx.x == 0)
        init(&all, blockDim.x + 1);
    __syncthreads();       // the barrier is initialised
    all.arrive_and_wait(); // expect: warp-deadlock
    data[threadIdx.x] = 1;
}

LAUNCH(object_deadlock, meet<<<1, 64>>>(room<int>(64)));
