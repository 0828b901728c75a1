// feature: integer intrinsics: __popc __clz __ffs __brev __byte_perm __mulhi
// ...

#include "check.h"

__global__ void intrinsics(const unsigned *x, unsigned *out)
{
    unsigned a = x[0], b = x[1]; // 0x00f0a001, 0x80000003
    out[0] = __popc(a);
    out[1] = __clz(a);
    out[2] = __clz(0);
    out[3] = __ffs(a >> 4);
    out[4] = __ffs(0);
    out[5] = __brev(a);
    out[6] = __byte_perm(a, b, 0x7210);
    out[7] = __umulhi(a, b);
    out[8] = __mulhi((int)a, (int)b);
    out[9] = __popcll(((unsigned long long)a << 32) | b);
    out[10] = __clzll((unsigned long long)a);
    out[11] = __funnelshift_l(b, a, 8);
    out[12] = __funnelshift_r(b, a, 8);
    out[13] = __mul24((int)a, 3);
    out[14] = __sad((int)a, (int)b, 1u);
    out[15] = max((int)a, (int)b);
    out[16] = umin(a, b);
    out[17] = abs((int)b);
    out[18] = __ffsll((long long)1 << 40);
    out[19] = __brevll(1ull) >> 32;
    out[20] = __umul24(a, b);
    out[21] = __hadd(-3, 2);
    out[22] = __rhadd(-3, 2);
}

int main()
{
    unsigned *x = shared_zeros<unsigned>(2), *out = shared_zeros<unsigned>(23);
    x[0] = 0x00f0a001;
    x[1] = 0x80000003;
    intrinsics<<<1, 1>>>(x, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[0], 7);
    CHECK_EQUAL(out[1], 8);
    CHECK_EQUAL(out[2], 32);
    CHECK_EQUAL(out[3], 10); // bit 13 becomes bit 9, the tenth
    CHECK_EQUAL(out[4], 0);
    CHECK_EQUAL(out[5], 0x80050f00u);
    CHECK_EQUAL(out[6], 0x80f0a001u);
    CHECK_EQUAL(out[7], 0x00785000u);
    CHECK_EQUAL(out[8], 0xff87afffu);
    CHECK_EQUAL(out[9], 10);
    CHECK_EQUAL(out[10], 40);
    CHECK_EQUAL(out[11], 0xf0a00180u);
    CHECK_EQUAL(out[12], 0x01800000u);
    CHECK_EQUAL(out[13], (0xfff0a001u * 3u));
    CHECK_EQUAL(out[14], 0x80f09fffu);
    CHECK_EQUAL(out[15], 0x00f0a001u);
    CHECK_EQUAL(out[16], 0x00f0a001u);
    CHECK_EQUAL(out[17], 0x7ffffffdu);
    CHECK_EQUAL(out[18], 41);
    CHECK_EQUAL(out[19], 0x80000000u);
    CHECK_EQUAL(out[20], 0x00f0a001u * 3u);
    CHECK_EQUAL(out[21], (unsigned)-1);
    CHECK_EQUAL(out[22], 0);
    return check_result();
}
