// feature: clock(), clock64(), %globaltimer and __nanosleep: a count that only
// grows

#include "check.h"

__global__ void measure(long long *out)
{
    long long begin = clock64();
    clock_t early = clock();
    __nanosleep(100);
    unsigned long long nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    long long end = clock64();
    out[0] = end - begin;
    out[1] = (long long)nanoseconds;
    out[2] = clock() - early;
}

int main()
{
    long long *out = shared_zeros<long long>(3);
    measure<<<1, 1>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(out[0] >= 0 && out[1] > 0 && out[2] >= 0);
    long long before = out[1];
    measure<<<1, 1>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(out[1] >= before);
    return check_result();
}
