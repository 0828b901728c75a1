#include "cases.h"

// feature: blocks of a cooperative launch that wait for flags of later blocks

enum { BLOCKS = 40, ROUNDS = 3, T = 32 };

// in each round a block waits for the flag of the next one, in a circle
__global__ void circle(volatile int *flags, int *out)
{
    __shared__ int kept[T];
    kept[threadIdx.x] = blockIdx.x + threadIdx.x;
    __syncwarp();
    for (int round = 1; round <= ROUNDS; round++) {
        if (threadIdx.x == 0) {
            flags[blockIdx.x] = round;
            while (flags[(blockIdx.x + 1) % BLOCKS] < round)
                __nanosleep(20);
        }
        __syncthreads(); // all blocks so far have come to this round
    }
    out[blockIdx.x * T + threadIdx.x] = kept[T - 1 - threadIdx.x];
}

CASE(resident_blocks)
{
    int *flags = shared_zeros<int>(BLOCKS),
        *out = shared_zeros<int>(BLOCKS * T);
    void *args[] = {&flags, &out};
    CHECK_CUDA(cudaLaunchCooperativeKernel((void *)circle, dim3(BLOCKS),
                                           dim3(T), args, 0, 0));
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCKS * T; i++)
        CHECK_EQUAL(out[i], i / T + T - 1 - i % T);
}
