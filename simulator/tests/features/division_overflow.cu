// feature: INT_MIN / -1 wraps around, as on a GPU
// counted only: the processor stops there

#include "check.h"
#include <limits.h>
#include <stdint.h>

__global__ void divide(const int *in, const int64_t *wide, int64_t *out)
{
    out[0] = in[0] / in[1];
    out[1] = in[0] % in[1];
    out[2] = in[2] / in[1];
    out[3] = in[2] % in[1];
    out[4] = wide[0] / in[1];
    out[5] = wide[0] % in[1];
}

int main()
{
    int *in = shared_zeros<int>(3);
    int64_t *wide = shared_zeros<int64_t>(1), *out = shared_zeros<int64_t>(6);
    in[0] = INT_MIN;
    in[1] = -1;
    in[2] = -21;
    wide[0] = INT64_MIN;
    divide<<<1, 1>>>(in, wide, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[0], INT_MIN);
    CHECK_EQUAL(out[1], 0);
    CHECK_EQUAL(out[2], 21);
    CHECK_EQUAL(out[3], 0);
    CHECK(out[4] == INT64_MIN);
    CHECK_EQUAL(out[5], 0);
    return check_result();
}
