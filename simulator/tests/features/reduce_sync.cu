// feature: __reduce_add_sync, _min, _max, _and, _or, _xor

#include "check.h"

__global__ void reduce(int *i, unsigned *u)
{
    int t = threadIdx.x;
    i[t] = __reduce_add_sync(0xffffffffu, t - 10);
    i[32 + t] = __reduce_min_sync(0xffffffffu, 5 - t);
    i[64 + t] = __reduce_max_sync(0xffffffffu, 5 - t);
    u[t] = __reduce_min_sync(0xffffffffu, (unsigned)(5 - t));
    u[32 + t] = __reduce_max_sync(0xffffffffu, (unsigned)(5 - t));
    u[64 + t] = __reduce_and_sync(0xffffffffu, 0xf0u | t);
    u[96 + t] = __reduce_or_sync(0xffffffffu, 1u << t % 8);
    u[128 + t] = __reduce_xor_sync(0xffffffffu, 1u << t % 31);
    u[160 + t] = __reduce_add_sync(0xffffffffu, 0x10000000u);
}

int main()
{
    int *i = shared_zeros<int>(96);
    unsigned *u = shared_zeros<unsigned>(192);
    reduce<<<1, 32>>>(i, u);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++) {
        CHECK_EQUAL(i[t], 176);
        CHECK_EQUAL(i[32 + t], -26);
        CHECK_EQUAL(i[64 + t], 5);
        CHECK_EQUAL(u[t], 0);
        CHECK_EQUAL(u[32 + t], 0xffffffffu);
        CHECK_EQUAL(u[64 + t], 0xf0);
        CHECK_EQUAL(u[96 + t], 0xff);
        CHECK_EQUAL(u[128 + t], 0x7ffffffeu);
        CHECK_EQUAL(u[160 + t], 0); // 2^33 wraps
    }
    return check_result();
}
