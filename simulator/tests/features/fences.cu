#include "cases.h"

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
    int *sums = shared_zeros<int>(32), *ready = shared_zeros<int>(32);
    chain<<<32, 32>>>(sums, ready);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(sums[31], 496);
}
