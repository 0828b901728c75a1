#include "cases.h"
#include <stdint.h>

// feature: grids of many blocks, indices above 2^31, grid-stride loops

__global__ void count(unsigned *total)
{
    if (threadIdx.x == 0 && blockIdx.x % 1000 == 999)
        atomicAdd(total, 1);
}

__global__ void stride(int64_t n, unsigned long long *sum)
{
    unsigned long long mine = 0;
    int64_t step = (int64_t)gridDim.x * blockDim.x << 24;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step)
        mine += i >> 31;
    atomicAdd(sum, mine);
}

CASE(big_grids)
{
    unsigned *total = zeros<unsigned>(1);
    unsigned long long *sum = zeros<unsigned long long>(1);
    count<<<100000, 1>>>(total);
    stride<<<2, 64>>>((int64_t)1 << 33, sum);
    CHECK_EQUAL(fetch(total), 100);
    CHECK_EQUAL(fetch(sum), (0 + 1 + 2 + 3) * 128);
}

// feature: 1024 threads per block with barriers in loops

__global__ void sum()
{
    __shared__ int s[1024];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    s[t] = t;
    for (int half = 512; half > 0; half /= 2) {
        __syncthreads(); // the sums of the last round are complete
        if (t < half)
            s[t] += s[t + half];
    }
    if (t == 0)
        CHECK_EQUAL(s[0], 523776);
}

LAUNCH(nested_tiles, sum<<<3, dim3(32, 32)>>>());

// feature: __threadfence, _block, _system; blocks that wait for earlier blocks

__global__ void chain(volatile int *sums, volatile int *ready)
{
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        int before = 0;
        if (b > 0) {
            while (!ready[b - 1]) {
            }
            __threadfence(); // the flag before the sum
            before = sums[b - 1];
        }
        sums[b] = before + b;
        __threadfence(); // the sum before the flag
        ready[b] = 1;
        __threadfence_block();
        __threadfence_system();
    }
}

CASE(fences)
{
    int *sums = zeros<int>(32);
    chain<<<32, 32>>>(sums, zeros<int>(32));
    CHECK_EQUAL(fetch(sums + 31), 496);
}

// feature: clock(), clock64() and __nanosleep: a count that only grows

__global__ void measure(long long *last)
{
    long long begin = clock64();
    clock_t early = clock();
    __nanosleep(100);
    CHECK(clock64() >= begin && clock() - early >= 0 && begin >= *last);
    *last = begin;
}

/** Waits some time: of the simulator's, not of the reader's. */
__global__ void wait(long long clocks)
{
    long long begin = clock64();
    while (clock64() - begin < clocks)
        ;
}

CASE(clocks)
{
    long long *last = zeros<long long>(1);
    wait<<<64, 1024>>>(100000);
    measure<<<1, 1>>>(last);
    measure<<<1, 1>>>(last);
}

// feature: printf in kernels: formats, order within a thread, before the host's
// next line

// prints: host before
// prints: block 0 thread 0: first
// prints:  3.14|7   |ff|c|1099511627776|%
// prints: host after

__global__ void speak(const char *word, float x)
{
    printf("block %d thread %d: %s\n", blockIdx.x, threadIdx.x, "first");
    printf("%5.2f|%-4d|%x|%c|%lld|%%\n", x, 7, 255, 'c', 1ll << 40);
}

CASE(printf_order)
{
    printf("host before\n");
    speak<<<1, 1>>>(NULL, 3.14159f);
    cudaDeviceSynchronize();
    printf("host after\n");
}
