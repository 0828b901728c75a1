#include "cases.h"

// feature: %globaltimer, in nanoseconds
// counted only: inline PTX needs clang

__global__ void read_timer(unsigned long long *out)
{
    unsigned long long nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    *out = nanoseconds;
}

CASE(global_timer)
{
    unsigned long long *out = shared_zeros<unsigned long long>(1);
    read_timer<<<1, 1>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    unsigned long long before = *out;
    read_timer<<<1, 1>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(*out >= before);
}
