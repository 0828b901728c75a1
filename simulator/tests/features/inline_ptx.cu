#include "cases.h"

// feature: inline PTX: mov of special registers, add, mad, bfe
// counted only: inline PTX needs clang

__global__ void registers(unsigned *out)
{
    unsigned lane, warp, sum, product, field, thread;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm("mov.u32 %0, %%tid.x;" : "=r"(thread));
    asm("add.u32 %0, %1, %2;" : "=r"(sum) : "r"(lane), "r"(100));
    asm("mad.lo.u32 %0, %1, %2, %3;"
        : "=r"(product)
        : "r"(lane), "r"(3), "r"(7));
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(0xabcdu), "r"(4), "r"(8));
    out[thread] = lane + 1000 * (sum - 100) + (warp < 64 ? 0 : 1);
    out[64 + thread] = product;
    out[128 + thread] = field;
}

CASE(inline_ptx)
{
    unsigned *out = shared_zeros<unsigned>(192);
    registers<<<1, 64>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 64; t++) {
        CHECK_EQUAL(out[t], t % 32 * 1001);
        CHECK_EQUAL(out[64 + t], t % 32 * 3 + 7);
        CHECK_EQUAL(out[128 + t], 0xbc);
    }
}
