#include "cases.h"
#include <stdint.h>

// feature: bool, char, short, enum, union, bit fields, 64-bit integers in
// memory

enum colour { RED, GREEN, BLUE };

union bits {
    float f;
    uint32_t u;
};

struct packed {
    unsigned low : 5;
    unsigned high : 11;
};

__global__ void types(bool *b, char *c, unsigned short *s, colour *e,
                      uint64_t *l, unsigned *u, packed *p)
{
    int t = threadIdx.x;
    b[t] = t % 2;
    c[t] = (char)(200 + t);
    s[t] = (unsigned short)(65530 + t);
    e[t] = t % 3 == 1 ? GREEN : BLUE;
    l[t] = ((uint64_t)t << 33) + 1;
    bits x;
    x.f = (float)t;
    u[t] = x.u;
    p[t].low = t;
    p[t].high = t * 3;
}

CASE(small_types)
{
    bool *b = shared_zeros<bool>(32);
    char *c = shared_zeros<char>(32);
    unsigned short *s = shared_zeros<unsigned short>(32);
    colour *e = shared_zeros<colour>(32);
    uint64_t *l = shared_zeros<uint64_t>(32);
    unsigned *u = shared_zeros<unsigned>(32);
    packed *p = shared_zeros<packed>(32);
    types<<<1, 32>>>(b, c, s, e, l, u, p);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(b[1] && !b[2] && c[31] == (char)231 && s[10] == 4);
    CHECK(e[4] == GREEN && e[5] == BLUE && l[31] == (31ull << 33) + 1);
    CHECK(u[1] == 0x3f800000u && p[31].low == 31 && p[31].high == 93);
}
