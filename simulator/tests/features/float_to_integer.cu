// feature: float to integer: truncates, saturates, NaN becomes 0; all roundings
// counted only: the processor saturates otherwise

#include "check.h"
#include <limits.h>
#include <math.h>

__global__ void convert(const float *x, int *i, unsigned *u, long long *ll,
                        int *rounded)
{
    int t = threadIdx.x;
    i[t] = (int)x[t];
    u[t] = (unsigned)x[t];
    ll[t] = (long long)x[t];
    rounded[4 * t] = __float2int_rn(x[t]);
    rounded[4 * t + 1] = __float2int_rz(x[t]);
    rounded[4 * t + 2] = __float2int_ru(x[t]);
    rounded[4 * t + 3] = __float2int_rd(x[t]);
}

__global__ void convert_double(const double *x, int *i, float *f)
{
    int t = threadIdx.x;
    i[t] = (int)x[t];
    f[t] = (float)x[t];
}

int main()
{
    float *x = shared_zeros<float>(8);
    int *i = shared_zeros<int>(8), *rounded = shared_zeros<int>(32);
    unsigned *u = shared_zeros<unsigned>(8);
    long long *ll = shared_zeros<long long>(8);
    const float values[] = {2.5f, -2.5f, 3e9f,     -3e9f,
                            NAN,  1e20f, INFINITY, -INFINITY};
    memcpy(x, values, sizeof values);
    convert<<<1, 8>>>(x, i, u, ll, rounded);
    CHECK_CUDA(cudaDeviceSynchronize());
    const int as_int[] = {2, -2,      INT_MAX, INT_MIN,
                          0, INT_MAX, INT_MAX, INT_MIN};
    const unsigned as_unsigned[] = {2, 0,        3000000000u, 0,
                                    0, UINT_MAX, UINT_MAX,    0};
    for (int t = 0; t < 8; t++) {
        CHECK_EQUAL(i[t], as_int[t]);
        CHECK_EQUAL(u[t], as_unsigned[t]);
    }
    CHECK(ll[2] == 3000000000ll && ll[5] == LLONG_MAX && ll[7] == LLONG_MIN);
    const int two_and_a_half[] = {2, 2, 3, 2}, minus[] = {-2, -2, -2, -3};
    for (int r = 0; r < 4; r++) {
        CHECK_EQUAL(rounded[r], two_and_a_half[r]);
        CHECK_EQUAL(rounded[4 + r], minus[r]);
        CHECK_EQUAL(rounded[8 + r], INT_MAX);
    }

    double *d = shared_zeros<double>(3);
    d[0] = 1e10;
    d[1] = -2.9;
    d[2] = 1e300;
    convert_double<<<1, 3>>>(d, i, x);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(i[0], INT_MAX);
    CHECK_EQUAL(i[1], -2);
    CHECK_EQUAL(i[2], INT_MAX);
    CHECK_EQUAL(x[2], INFINITY);
    return check_result();
}
