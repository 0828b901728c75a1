#include "cases.h"

// feature: atomics on global memory: add sub min max and or xor exch CAS inc
// dec

__global__ void integers(int *i, unsigned *u)
{
    int t = threadIdx.x;
    atomicAdd(&i[0], t);
    atomicSub(&i[1], t);
    atomicMin(&i[2], t - 40);
    atomicMax(&i[3], t);
    atomicAnd(&i[4], ~(1 << t % 32));
    atomicOr(&i[5], 1 << t % 16);
    atomicXor(&i[6], 1 << t % 32);
    atomicInc(&u[0], 9); // 0 ... 9, then 0 again
    atomicDec(&u[1], 9); // 0, then 9 ... 0
    atomicMin(&u[2], (unsigned)(t - 40));
    atomicMax(&u[3], (unsigned)(t - 40));
    if (t == 5) {
        i[7] = atomicExch(&i[8], 17);
        i[9] = atomicCAS(&i[10], 3, 30); // equal: swapped
        i[11] = atomicCAS(&i[12], 4, 40);
    }
}

__global__ void returned(int *counter, int *order)
{
    order[atomicAdd(counter, 1)] = 1;
}

CASE(atomics_global)
{
    int *i = shared_zeros<int>(13), *order = shared_zeros<int>(64);
    unsigned *u = shared_zeros<unsigned>(4);
    i[4] = -1;
    i[8] = 8;
    i[10] = i[12] = 3;
    u[2] = 0x80000000u;
    integers<<<1, 64>>>(i, u);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(i[0], 2016);
    CHECK_EQUAL(i[1], -2016);
    CHECK_EQUAL(i[2], -40);
    CHECK_EQUAL(i[3], 63);
    CHECK_EQUAL(i[4], 0);
    CHECK_EQUAL(i[5], 0xffff);
    CHECK_EQUAL(i[6], 0);
    CHECK_EQUAL(u[0], 4);
    CHECK_EQUAL(u[1], 6);
    CHECK_EQUAL(u[2], 0);
    CHECK_EQUAL(u[3], 0xffffffffu);
    CHECK(i[7] == 8 && i[8] == 17);
    CHECK(i[9] == 3 && i[10] == 30 && i[11] == 3 && i[12] == 3);

    i[0] = 0;
    returned<<<2, 32>>>(i, order); // each gets a number of its own
    CHECK_CUDA(cudaDeviceSynchronize());
    int sum = 0;
    for (int n = 0; n < 64; n++)
        sum += order[n];
    CHECK_EQUAL(sum, 64);
}
