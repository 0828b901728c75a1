#include "cases.h"

// feature: clock(), clock64() and __nanosleep: a count that only grows

__global__ void measure(long long *out)
{
    long long begin = clock64();
    clock_t early = clock();
    __nanosleep(100);
    out[0] = begin;
    out[1] = clock64() - begin;
    out[2] = clock() - early;
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
    long long *out = shared_zeros<long long>(3);
    wait<<<64, 1024>>>(100000);
    CHECK_CUDA(cudaDeviceSynchronize());
    measure<<<1, 1>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    long long before = out[0];
    CHECK(out[1] >= 0 && out[2] >= 0);
    measure<<<1, 1>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(out[0] >= before);
}
