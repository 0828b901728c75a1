#include "cases.h"

// feature: loops, break, continue, switch, early return, goto in divergent
// warps

__global__ void control(int *out)
{
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < t; i++) {
        if (i % 3 == 0)
            continue;
        if (i > 20)
            break;
        sum += i;
    }
    switch (t % 4) {
    case 0:
        sum += 1000;
        break;
    case 1:
        sum += 2000; // falls through
    case 2:
        sum += 4000;
        break;
    default:
        sum = -sum;
    }
    out[t] = sum;
    if (t == 9)
        return;
    int left = t;
again:
    if (left > 0) {
        left -= 3;
        goto again;
    }
    out[32 + t] = left;
}

static int expected(int t)
{
    int sum = 0;
    for (int i = 0; i < t && i <= 20; i++)
        sum += i % 3 ? i : 0;
    const int add[] = {1000, 6000, 4000, 0};
    return t % 4 == 3 ? -sum : sum + add[t % 4];
}

CASE(control_flow)
{
    int *out = shared_zeros<int>(64);
    control<<<1, 32>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++) {
        CHECK_EQUAL(out[t], expected(t));
        CHECK_EQUAL(out[32 + t], t == 9 ? 0 : t % 3 == 0 ? 0 : t % 3 - 3);
    }
}
