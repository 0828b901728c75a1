// feature: integers: wraparound, division, signed and unsigned, 64 bits

#include "check.h"
#include <stdint.h>

__global__ void arithmetic(const int *in, int64_t *out)
{
    unsigned big = (unsigned)in[0]; // 0x80000001
    out[0] = big * 2u;
    out[1] = (unsigned)(big + big + big);
    out[2] = in[1] / in[2]; // -7 / 2
    out[3] = in[1] % in[2];
    out[4] = (int64_t)in[3] * in[3]; // 100000^2
    out[5] = (int)((unsigned)in[3] * (unsigned)in[3]);
    out[6] = in[1] >> 1; // arithmetic
    out[7] = (unsigned)in[1] >> 28;
    out[8] = (short)(in[3] + 7);
    out[9] = (unsigned char)in[1];
    out[10] = (uint64_t)big * big % 1000003;
}

int main()
{
    int *in = shared_zeros<int>(4);
    int64_t *out = shared_zeros<int64_t>(11);
    in[0] = (int)0x80000001;
    in[1] = -7;
    in[2] = 2;
    in[3] = 100000;
    arithmetic<<<1, 1>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[0], 2);
    CHECK_EQUAL(out[1], 0x80000003u);
    CHECK_EQUAL(out[2], -3);
    CHECK_EQUAL(out[3], -1);
    CHECK_EQUAL(out[4], 10000000000ll);
    CHECK_EQUAL(out[5], 1410065408);
    CHECK_EQUAL(out[6], -4);
    CHECK_EQUAL(out[7], 15);
    CHECK_EQUAL(out[8], -31065);
    CHECK_EQUAL(out[9], 249);
    CHECK_EQUAL(out[10], 0x4000000100000001ull % 1000003);
    return check_result();
}
