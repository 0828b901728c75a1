#include "cases.h"

// counted only: inline PTX

// ld.global.nc: its cache does not notice what the launch has written.

__global__ void neighbours(int *x, int *y)
{
    int t = threadIdx.x, value;
    x[t] = t;
    __syncthreads();
#if RIGHT
    asm volatile("ld.global.s32 %0, [%1];" : "=r"(value) : "l"(x + (t ^ 1)));
#else
    asm volatile("ld.global.nc.s32 %0, [%1];" // expect: read-only-load
                 : "=r"(value)
                 : "l"(x + (t ^ 1)));
#endif
    y[t] = value;
}

CASE(read_only)
{
    int *y = room<int>(64);
    neighbours<<<1, 64>>>(room<int>(64), y);
    CHECK_EQUAL(fetch(y), 1);
}
