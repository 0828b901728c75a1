// feature: shifts by 32 and more: 0 or the sign, as PTX defines it
// counted only: C++ leaves them undefined

#include "check.h"

__global__ void shifts(const unsigned *by, int n, unsigned *out)
{
    unsigned ones = 0xffffffffu;
    out[n] = __funnelshift_lc(0, ones, by[n]); // clamps at 32
    out[8 + n] = __funnelshift_rc(ones, 0, by[n]);
    out[16 + n] = __funnelshift_l(0, ones, by[n]); // uses 5 bits
    out[24 + n] = ones << by[n];
    out[32 + n] = ones >> by[n];
    out[40 + n] = (int)ones >> by[n];
}

int main()
{
    unsigned *by = shared_zeros<unsigned>(8), *out = shared_zeros<unsigned>(48);
    const unsigned amounts[] = {0, 1, 31, 32, 33, 40, 63, 64};
    for (int n = 0; n < 8; n++) {
        by[n] = amounts[n];
        shifts<<<1, 1>>>(by, n, out);
        CHECK_CUDA(cudaDeviceSynchronize());
        bool inside = amounts[n] < 32;
        unsigned left = inside ? 0xffffffffu << amounts[n] : 0;
        unsigned right = inside ? 0xffffffffu >> amounts[n] : 0;
        CHECK_EQUAL(out[n], left);
        CHECK_EQUAL(out[8 + n], right);
        CHECK_EQUAL(out[16 + n], 0xffffffffu << (amounts[n] & 31));
        CHECK_EQUAL(out[24 + n], left);
        CHECK_EQUAL(out[32 + n], right);
        CHECK_EQUAL(out[40 + n], 0xffffffffu);
    }
    return check_result();
}
