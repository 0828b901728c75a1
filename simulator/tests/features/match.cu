// feature: __match_any_sync, __match_all_sync

#include "check.h"

__global__ void match(unsigned *out, int *same)
{
    int t = threadIdx.x, all = -1;
    out[t] = __match_any_sync(0xffffffffu, t % 4);
    out[32 + t] = __match_all_sync(0xffffffffu, t / 32, &all);
    same[t] = all;
    out[64 + t] = __match_all_sync(0xffffffffu, t / 31, &all);
    same[32 + t] = all;
    out[96 + t] = __match_any_sync(0xffffffffu, (long long)(t / 16) << 40);
}

int main()
{
    unsigned *out = shared_zeros<unsigned>(128);
    int *same = shared_zeros<int>(64);
    match<<<1, 32>>>(out, same);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++) {
        CHECK_EQUAL(out[t], 0x11111111u << t % 4);
        CHECK(out[32 + t] == 0xffffffffu && same[t] != 0);
        CHECK(out[64 + t] == 0 && same[32 + t] == 0);
        CHECK_EQUAL(out[96 + t], t < 16 ? 0xffffu : 0xffff0000u);
    }
    return check_result();
}
