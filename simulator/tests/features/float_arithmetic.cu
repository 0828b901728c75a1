// feature: float and double: IEEE rounding, denormals, NaN, infinity, min and
// max

#include "check.h"
#include <float.h>
#include <math.h>

__global__ void arithmetic(const float *x, float *out, double *wide)
{
    out[0] = x[0] / x[1];       // 1 / 3, correctly rounded
    out[1] = sqrtf(x[2]);       // of 2
    out[2] = x[3] / 2.0f;       // smallest normal number / 2: kept
    out[3] = fminf(x[4], x[0]); // NaN loses
    out[4] = fmaxf(x[0], x[4]);
    out[5] = x[0] / x[5]; // 1 / 0
    out[6] = __frcp_rn(x[1]);
    out[7] = x[0] - x[0] * x[0];
    out[8] = __int_as_float(__float_as_int(x[1]) + 1);
    out[9] = rintf(2.5f * x[0]);
    out[10] = roundf(2.5f * x[0]);
    out[11] = floorf(-0.5f * x[0]);
    out[12] = fabsf(-x[1]);
    out[13] = copysignf(x[1], -1.0f);
    out[14] = x[4] == x[4];
    out[15] = fmodf(5.5f * x[0], 2.0f);
    wide[0] = (double)x[0] / 3.0;
    wide[1] = sqrt((double)x[2]);
    wide[2] = fma((double)x[1], (double)x[1], 0.1);
}

int main()
{
    float *x = shared_zeros<float>(6), *out = shared_zeros<float>(16);
    double *wide = shared_zeros<double>(3);
    const float values[] = {1.0f, 3.0f, 2.0f, FLT_MIN, NAN, 0.0f};
    memcpy(x, values, sizeof values);
    arithmetic<<<1, 1>>>(x, out, wide);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[0], 1.0f / 3.0f);
    CHECK_EQUAL(out[1], 1.41421354f);
    CHECK_EQUAL(out[2], FLT_MIN / 2);
    CHECK(out[2] > 0);
    CHECK_EQUAL(out[3], 1.0f);
    CHECK_EQUAL(out[4], 1.0f);
    CHECK(isinf(out[5]));
    CHECK_EQUAL(out[6], 1.0f / 3.0f);
    CHECK_EQUAL(out[7], 0.0f);
    CHECK_EQUAL(out[8], nextafterf(3.0f, 4.0f));
    CHECK_EQUAL(out[9], 2.0f);
    CHECK_EQUAL(out[10], 3.0f);
    CHECK_EQUAL(out[11], -1.0f);
    CHECK_EQUAL(out[12], 3.0f);
    CHECK_EQUAL(out[13], -3.0f);
    CHECK_EQUAL(out[14], 0.0f);
    CHECK_EQUAL(out[15], 1.5f);
    CHECK_EQUAL(wide[0], 1.0 / 3.0);
    CHECK_EQUAL(wide[1], sqrt(2.0));
    CHECK_EQUAL(wide[2], fma(3.0, 3.0, 0.1));
    return check_result();
}
