#include "cases.h"

// feature: arrays of a thread: registers and local memory

__global__ void local(const int *index, int *out)
{
    int squares[16], small[4] = {1, 2, 3, 4};
    for (int i = 0; i < 16; i++)
        squares[i] = i * i;
    out[threadIdx.x] = squares[index[threadIdx.x]] + small[2];
}

CASE(local_arrays)
{
    int *index = shared_zeros<int>(32), *out = shared_zeros<int>(32);
    for (int t = 0; t < 32; t++)
        index[t] = t * 5 % 16;
    local<<<1, 32>>>(index, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++)
        CHECK_EQUAL(out[t], index[t] * index[t] + 3);
}
